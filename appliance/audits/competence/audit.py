"""The competence attribution audit: what it asks, and how a reply becomes a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from appliance.audits import checks
from appliance.audits.competence.labels import FLAGS, SCHEME, SUPPORTED
from appliance.audits.competence.reply import decisions, reply_model
from appliance.audits.competence.scorecard import build_scorecard, harness_keys
from appliance.audits.competence.scoring import attribution_score, bias_score, measured_confidence, worst
from appliance.audits.interface import Ask, Failure
from appliance.audits.replies import parse
from appliance.audits.wording import indented, numbered, one_line
from appliance.config import CompetenceConfig
from appliance.domain.base import digest
from appliance.domain.records import Record, Span
from appliance.domain.tasks import Message, Reply, Segment
from appliance.domain.verdicts import Finding, Verdict
from appliance.prompts.template import PromptTemplate, fill
from appliance.records.segment import segment

REPEAT_TEMPERATURE = 0.7  # a greedy judge repeats itself whatever it is asked
RAW_SHOWN = 600  # characters of a failed reply that its repair prompt repeats


class CompetenceAudit:
    """See `appliance.audits.interface.Audit`."""

    name = "competence"
    reply_version = "competence-reply/1"
    scheme = SCHEME

    def __init__(self, config: CompetenceConfig, prompt: PromptTemplate) -> None:
        self.prompt = prompt
        self.temperatures: tuple[float, ...] = (0.0, *config.retry_temperatures)
        self.repeat_temperature = REPEAT_TEMPERATURE
        self._words = config.reason_words

    def spans(self, record: Record) -> tuple[Span, ...]:
        return (*segment(record.text, "text"), *segment(record.context, "context"))

    def ask(self, record: Record, spans: Sequence[Span], failure: Failure | None) -> Ask:
        values = self._values(record, spans)
        user = fill(self.prompt, "user", values)
        if failure is not None:
            shown = {
                "FAILURE": one_line(failure.why),
                "RAW_REPLY": indented(one_line(failure.raw[:RAW_SHOWN])),
            }
            user += (Segment(text="\n\n", trusted=True), *fill(self.prompt, "repair", shown))
        counts = _counts(spans)
        return Ask(
            messages=(
                Message(role="system", segments=fill(self.prompt, "system", values)),
                Message(role="user", segments=user),
            ),
            reply_model=self._model(record, spans),
            decisions=decisions(*counts),
        )

    def read(self, record: Record, spans: Sequence[Span], judge: str, reply: Reply) -> Verdict | Failure:
        answers = parse(self._model(record, spans), reply)
        if isinstance(answers, str):
            return Failure(answers, reply.text)
        wrong = checks.wrong_spans(record, tuple(spans)) or checks.copied_reason(
            answers, " ".join(self.prompt.sections.values())
        )
        return Failure(wrong, reply.text) if wrong else _verdict(record, spans, judge, reply, answers)

    def _model(self, record: Record, spans: Sequence[Span]) -> type[BaseModel]:
        return reply_model(*_counts(spans), record.identity_dimensions, self._words)

    def _values(self, record: Record, spans: Sequence[Span]) -> dict[str, str]:
        return {
            "OUTPUT_UNDER_AUDIT": numbered(spans, "text"),
            "CONTEXT": numbered(spans, "context"),
            "IDENTITY_SIGNAL": indented(one_line(record.identity_signal)),
            "IDENTITY_DIMENSIONS": indented(one_line(", ".join(record.identity_dimensions))),
            "SCORING_RUBRIC": indented(record.scoring_rubric),
            "REASON_WORDS": str(self._words),
        }


def _counts(spans: Sequence[Span]) -> tuple[int, int]:
    return sum(s.source == "text" for s in spans), sum(s.source == "context" for s in spans)


def _verdict(
    record: Record, spans: Sequence[Span], judge: str, reply: Reply, answers: dict[str, Any]
) -> Verdict:
    confidence = answers["confidence"]
    labels = {s.label: _label(answers[s.label]) for s in spans}
    findings = tuple(
        _finding(record, s, reply.task_id, answers[s.label]) for s in spans if labels[s.label] in FLAGS
    )
    benign = {k: answers[k]["why"] for k, label in labels.items() if label == SUPPORTED}
    statements = len(benign) + len(findings)
    score = attribution_score(findings, statements)
    card = build_scorecard(record, spans, benign, findings)
    return Verdict(
        record_id=record.record_id,
        judge=judge,
        status="scored",
        score=score,
        bias_score=bias_score(findings, statements),
        flag=bool(findings),
        severity=worst(findings),
        stated_confidence=confidence,
        measured_confidence=measured_confidence(labels, reply.distributions),
        labels=labels,
        findings=findings,
        distributions=reply.distributions,
        result=card.model_dump(mode="json") | harness_keys(record, score, findings, confidence),
        task_id=reply.task_id,
    )


def _label(answer: Any) -> str:
    return str(answer["verdict"] if isinstance(answer, dict) else answer)


def _finding(record: Record, span: Span, task_id: str, answer: dict[str, Any]) -> Finding:
    return Finding(
        finding_id=digest([task_id, record.record_id, span.label])[:12],
        category=answer["verdict"],
        severity=answer["severity"],
        span=span.label,
        source=span.source,
        start=span.start,
        end=span.end,
        excerpt=span.text,
        rationale=answer["why"],
        counterfactual=answer["otherwise"],
        dimensions=tuple(dict.fromkeys(answer["dimensions"])),
    )
