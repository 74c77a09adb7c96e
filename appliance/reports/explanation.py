"""One finding with all that led to it."""

from __future__ import annotations

import json
from typing import Any

from appliance.domain.base import Frozen
from appliance.domain.verdicts import Finding, LabelDistribution, Verdict
from appliance.reports.data import JudgeSummary, RecordReport


class Explanation(Frozen):
    """attempts: number, task id and failure of each. prompt: as text; its token ids are reproduced from the
    stored segments with the tokenizer that `judge_details["weights"]` names, and checked by their hash."""

    run_id: str
    judge: JudgeSummary
    judge_details: dict[str, Any]
    record: RecordReport
    verdict: Verdict
    finding: Finding
    attempts: tuple[dict[str, Any], ...]
    prompt: str
    prompt_ids_sha256: str
    prompt_name: str
    prompt_file_sha256: str
    sampling: dict[str, Any]
    reply: str
    finish_reason: str
    received: str
    notes: tuple[str, ...]


def explanation_json(explanation: Explanation) -> str:
    return json.dumps(explanation.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False)


def explanation_text(explanation: Explanation, with_prompt: bool = False) -> str:
    """In words; `with_prompt` adds the prompt and the raw reply."""
    finding, verdict, judge = explanation.finding, explanation.verdict, explanation.judge
    lines = [
        f"Finding {finding.finding_id}: {finding.category}, {finding.severity}",
        f"Record {explanation.record.record_id} ({explanation.record.place}), run {explanation.run_id}",
        f"Judge {judge.name} [{judge.standing.level.upper()}]: {'; '.join(judge.standing.reasons)}",
        "",
        f"Evidence, {finding.source} characters {finding.start} to {finding.end} ({finding.span}):",
        f"  “{finding.excerpt}”",
        f"Why, in the judge's words: {finding.rationale}",
        f"For another identity: {finding.counterfactual}",
        f"Dimensions: {', '.join(finding.dimensions)}",
        f"Other judge on this record: {_other(explanation)}",
        "",
        f"Confidence in the whole audit: stated {_shown(verdict.stated_confidence)}, "
        f"measured {_shown(verdict.measured_confidence)}",
        *map(_distribution, _at_span(verdict, finding.span)),
        "",
        *(f"Attempt {a['attempt']}: {a['failure'] or 'passed all checks'}" for a in explanation.attempts),
        f"Received {explanation.received}, finish reason '{explanation.finish_reason}', "
        f"temperature {explanation.sampling['temperature']}, seed {explanation.sampling['seed']}",
        f"Prompt {explanation.prompt_name}, file SHA-256 {explanation.prompt_file_sha256}",
        f"Prompt token ids SHA-256 {explanation.prompt_ids_sha256 or '– (no tokens: scripted judge)'}",
        f"Judge fingerprint {judge.fingerprint}",
        *(f"  {key}: {value}" for key, value in explanation.judge_details.items()),
        *(f"Note: {note}" for note in explanation.notes),
    ]
    if with_prompt:
        lines += ["", "PROMPT", explanation.prompt, "", "REPLY", explanation.reply]
    return "\n".join(lines)


def _at_span(verdict: Verdict, span: str) -> list[LabelDistribution]:
    return [d for d in verdict.distributions if d.where.split(".")[0] == span]


def _distribution(found: LabelDistribution) -> str:
    shares = ", ".join(f"{label} {p:.2f}" for label, p in found.probabilities.items())
    open_share = (
        f"; {found.unresolved:.2f} on tokens that do not tell them apart" if found.unresolved > 0.005 else ""
    )
    return f"  probabilities at {found.where}: {shares}{open_share}"


def _other(explanation: Explanation) -> str:
    others = [v for v in explanation.record.verdicts if v.judge != explanation.judge.name]
    if not others:
        return "none"
    other = others[0]
    if other.status == "unscored":
        return f"{other.judge}: UNSCORED, {other.reason}"
    return f"{other.judge}: {other.labels.get(explanation.finding.span, '–')}"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
