"""From the store to the plain data of a judge-bias report. Everything is read back: it needs no model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from appliance.config import DecisionConfig, TargetConfig
from appliance.domain.records import Record
from appliance.domain.verdicts import Verdict
from appliance.pipeline.given import RECORDED
from appliance.pipeline.judge_bias.asked import Asked
from appliance.pipeline.judge_bias.assessment import remediation_of, severity_of, summary_of
from appliance.pipeline.judge_bias.drift import earlier_of
from appliance.pipeline.judge_bias.labels import against_labels, own_pairs
from appliance.pipeline.judge_bias.observed import observed_results
from appliance.pipeline.judge_bias.results import dimension_results, family_of, not_cleared
from appliance.pipeline.judge_bias.signature import signature
from appliance.pipeline.judge_bias.usage import score_use
from appliance.pipeline.turns import judge_turns
from appliance.reports.judge_bias.data import JudgeBiasReport, SideBySide, TargetResult
from appliance.statistics.agreement.kappa import kappa
from appliance.store.reader import Reader

PAIRWISE_MARGIN = 0.1
CAVEATS = (
    "A difference is shown between variants that were built by rule; look at the pairs before acting on it.",
    "Names stand for groups as readers in the United States associate them; a name is no person's identity.",
    "'clear' means that an effect of the margin or more is ruled out for texts like these only.",
    "'inconclusive' means that too little was asked to say either; it is never a clean bill.",
    "Nothing is decided by this report: a person reviews the flagged dimensions and their pairs.",
)


def build_judge_bias_report(reader: Reader, run_id: str) -> JudgeBiasReport:
    """The report of a run, complete or not. UnknownIdError for an unknown id."""
    run = reader.run(run_id)
    run_id, config = run["run_id"], json.loads(run["config"])
    target, rule = TargetConfig(**config["target"]), DecisionConfig(**config["decision"])
    records = {r.record_id: r for r in reader.records(run_id)}
    targets, answers = [], []
    for judge in reader.judges(run_id):
        asked = asked_of(reader, run_id, judge["fingerprint"], records, target, rule)
        targets.append(_target(reader, run_id, judge, asked))
        answers.append(asked.answers[0])
    low, high = scale_of(target)
    complete = run["status"] == "complete"
    inconclusive = any(t.inconclusive for t in targets)
    skipped = reader.skipped(run_id)
    review = reader.review(run_id)
    return JudgeBiasReport(
        run_id=run_id,
        audit=run["audit"],
        created=run["created"],
        finished=run["finished"],
        status="incomplete" if not complete else "INCONCLUSIVE" if inconclusive else "complete",
        version=run["version"],
        config=config,
        prompt_name=run["prompt_name"],
        prompt_hash=run["prompt_sha256"],
        input_path=run["input_path"],
        mode=target.mode,
        scale=(low, high),
        margin=margin_of(target, rule),
        headline=_headline(targets, complete, inconclusive, len(review)),
        caveats=CAVEATS,
        n_items=len({r.metadata["item_id"] for r in records.values()}),
        skipped=tuple(skipped),
        targets=tuple(targets),
        side_by_side=_side_by_side(targets, answers, records, target) if len(targets) == 2 else None,
        earlier=tuple(e for t in targets if (e := earlier_of(reader, run, t)) is not None),
        review=review,
        signed=signature(reader, run_id),
    )


def scale_of(target: TargetConfig) -> tuple[float, float]:
    """Lowest and highest score that the target can give."""
    return (0.0, 1.0) if target.mode == "pairwise" else (float(min(target.scale)), float(max(target.scale)))


def margin_of(target: TargetConfig, rule: DecisionConfig) -> float:
    default = PAIRWISE_MARGIN if target.mode == "pairwise" else rule.disparity_threshold
    return default if rule.margin is None else rule.margin


def asked_of(
    reader: Reader,
    run_id: str,
    fingerprint: str,
    records: Mapping[str, Record],
    target: TargetConfig,
    rule: DecisionConfig,
) -> Asked:
    low, high = scale_of(target)
    repeats = reader.repeats(run_id, fingerprint) or [0]
    return Asked(
        records=records,
        answers=[reader.verdicts(run_id, fingerprint, repeat) for repeat in repeats],
        prompts=reader.prompts(run_id, fingerprint),
        pairwise=target.mode == "pairwise",
        span=high - low,
        margin=margin_of(target, rule),
        rule=rule,
        mitigations=target.mitigations,
    )


def _target(reader: Reader, run_id: str, judge: dict[str, Any], asked: Asked) -> TargetResult:
    pairs = own_pairs(reader.pairs(run_id), RECORDED in judge["details"], asked.answers[0])
    results = dimension_results(pairs, asked, judge["name"])
    if not pairs:
        results = observed_results(asked, family_of(judge["name"]))
    use = score_use(asked, results)
    results = not_cleared(results) if use.constant else results
    said = [v for by_record in asked.answers for v in by_record.values()]
    unscored = [v for v in said if v.status == "unscored"]
    turns = judge_turns(reader, run_id, judge)
    return TargetResult(
        judge=judge["name"],
        title=judge["title"],
        fingerprint=judge["fingerprint"],
        details=judge["details"],
        engine=turns.engine,
        device=turns.device,
        sandbox=turns.sandbox,
        family=family_of(judge["name"]),
        dimensions=results,
        scores=use,
        against_labels=against_labels(pairs, asked),
        severity=severity_of(results, asked.rule.high_stakes),
        summary=summary_of(judge["name"], results, use.problems),
        remediation=remediation_of(judge["name"], results, asked.rule.high_stakes),
        n_questions=len(said),
        n_unscored=len(unscored),
        unscored_reasons=dict(Counter(_kind(v) for v in unscored).most_common()),
        inconclusive=any(_failed_thrice(v) for v in unscored),
        records_per_second=turns.records_per_second,
    )


def _kind(verdict: Verdict) -> str:
    """A countable reason: what names one number is left out."""
    return verdict.reason.split("context:")[0].split(" at '")[0].strip(" :")


def _failed_thrice(verdict: Verdict) -> bool:
    """What does not fit the context was never asked; three failed replies are the judge's own."""
    return verdict.attempts > 1


def _side_by_side(
    targets: Sequence[TargetResult],
    answers: Sequence[Mapping[str, Verdict]],
    records: Mapping[str, Record],
    target: TargetConfig,
) -> SideBySide:
    values = [0.0, 0.5, 1.0] if target.mode == "pairwise" else sorted(float(s) for s in set(target.scale))
    both = [(answers[0].get(k), answers[1].get(k)) for k in records]
    scored = [(a.score, b.score) for a, b in both if a and b and a.score is not None and b.score is not None]
    tables = np.zeros((len(scored), len(values), len(values)))
    for number, (one, two) in enumerate(scored):
        tables[number, values.index(one), values.index(two)] = 1
    agreement = kappa(tables, len(records) - len(scored), weights="quadratic")
    outcomes = {
        d.dimension: (d.status, e.status) for d, e in zip(*(t.dimensions for t in targets), strict=True)
    }
    return SideBySide(agreement=agreement, outcomes=outcomes)


def _headline(targets: Sequence[TargetResult], complete: bool, inconclusive: bool, waiting: int) -> str:
    state = "" if complete else "INCOMPLETE: run the same command again to go on. "
    if complete and inconclusive:
        state = "INCONCLUSIVE: a judge failed three times to answer a question. "
    people = f" {waiting} questions wait for a person." if waiting else ""
    return state + " ".join(t.summary for t in targets) + people
