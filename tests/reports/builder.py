"""Records with verdicts, findings and scorecards, from short descriptions."""

from __future__ import annotations

from typing import Any

from appliance.domain.records import Span
from appliance.domain.verdicts import Divergence, Finding, LabelDistribution, Verdict
from appliance.reports.data import (
    RecordReport,
)

FLAGS = ("DOWNGRADE", "UPGRADE", "OMISSION", "QUALIFICATION_DIFFERENCE")


def spans(record: dict[str, list[str]]) -> tuple[Span, ...]:
    """Sentences joined by one space, numbered S1.. (text) and C1.. (context)."""
    made: list[Span] = []
    for source, prefix in (("text", "S"), ("context", "C")):
        position = 0
        for i, sentence in enumerate(record.get(source, ()), 1):
            end = position + len(sentence)
            made.append(Span(label=f"{prefix}{i}", source=source, start=position, end=end, text=sentence))
            position = end + 1
    return tuple(made)


def scored(record_id: str, judge: str, parts: tuple[Span, ...], **labels: str) -> Verdict:
    """A scored verdict with these labels; each flag becomes a finding."""
    findings = tuple(
        finding(i, part, labels[part.label]) for i, part in enumerate(parts) if _flagged(labels, part)
    )
    score = (
        {"DOWNGRADE": -0.5, "OMISSION": -0.5, "UPGRADE": 0.5}.get(findings[0].category, 0.0)
        if findings
        else 0.0
    )
    return Verdict(
        record_id=record_id,
        judge=judge,
        status="scored",
        score=score,
        bias_score=abs(score),
        flag=bool(findings),
        severity="MEDIUM" if findings else None,
        stated_confidence=0.9,
        measured_confidence=0.4137,
        labels=labels,
        findings=findings,
        distributions=(
            LabelDistribution(
                where="S1.claim", chosen="SUPPORTED", probabilities={"SUPPORTED": 0.41, "NO_CLAIM": 0.59}
            ),
        ),
        result=scorecard(findings, parts, labels),
        task_id="t" * 8,
        attempts=1,
    )


def _flagged(labels: dict[str, str], part: Span) -> bool:
    return labels.get(part.label) in FLAGS


def finding(number: int, part: Span, category: str) -> Finding:
    return Finding(
        finding_id=f"F{number + 1}",
        category=category,
        severity="MEDIUM",
        span=part.label,
        source=part.source,
        start=part.start,
        end=part.end,
        excerpt=part.text,
        rationale="no evidence in the context supports this",
        counterfactual="another name would have been called experienced",
        dimensions=("gender", "age"),
    )


def scorecard(
    findings: tuple[Finding, ...], parts: tuple[Span, ...], labels: dict[str, str]
) -> dict[str, Any]:
    benign = [part for part in parts if labels.get(part.label) == "SUPPORTED"]
    return {
        "audit_summary": {
            "total_competence_statements": len(findings) + len(benign),
            "flagged_instances": len(findings),
            "overall_severity": "MEDIUM" if findings else "No pattern detected",
            "primary_bias_pattern": "competence is hedged" if findings else "No pattern detected",
        },
        "flagged_instances": [{"id": f.finding_id, "extracted_statement": f.excerpt} for f in findings],
        "unflagged_instances": [
            {"id": part.label, "extracted_statement": part.text, "why_benign": "the context names it"}
            for part in benign
        ],
        "recommendations": ["Name the certificate that the context names."] if findings else [],
        "identity_dimension": ["gender", "age"],
        "evidence_excerpts": [f.excerpt for f in findings],
    }


def unscored(record_id: str, judge: str, reason: str = "three failed attempts: evidence missing") -> Verdict:
    return Verdict(record_id=record_id, judge=judge, status="unscored", reason=reason, attempts=3)


def record(
    record_id: str, text: list[str], context: list[str], *said: dict[str, str] | str, **more: Any
) -> RecordReport:
    """said: one entry per judge, its labels or (a string) the reason why it is unscored."""
    parts = spans({"text": text, "context": context})
    verdicts = tuple(
        unscored(record_id, name, entry)
        if isinstance(entry, str)
        else scored(record_id, name, parts, **entry)
        for name, entry in zip(("judge-one", "judge-two"), said, strict=False)
    )
    base: dict[str, Any] = {
        "place": f"reviews.csv, line {len(record_id)}",
        "identity": {"gender": "woman", "age": "over 50"},
        "identity_signal": "name: Maria",
        "template_id": "t1",
        "divergence": divergence(record_id, verdicts),
    }
    return RecordReport(
        record_id=record_id,
        text=" ".join(text),
        context=" ".join(context),
        spans=parts,
        verdicts=verdicts,
        **{**base, **more},
    )


def divergence(record_id: str, verdicts: tuple[Verdict, ...]) -> Divergence | None:
    if len(verdicts) < 2:
        return None
    flags = [verdict.flag for verdict in verdicts]
    differ = None if None in flags else flags[0] != flags[1]
    return Divergence(
        record_id=record_id,
        score_difference=None if differ is None else 0.5 * differ,
        flag_disagreement=differ,
        label_agreement=None if differ is None else 0.67,
        severity_steps=None if differ is None else 2 * differ,
        evidence_overlap=None if differ is None else 1.0 - differ,
        divergent=differ is not False,
        reasons=() if differ is False else ("one judge flags, the other does not" if differ else "unscored",),
    )
