"""The document's scorecard, to the letter, and the harness keys beside it.

`total_competence_statements` counts the claims in the text and the omitted ones, so that flagged and
unflagged instances add up to it. `identity_dimension` lists all dimensions that the findings implicate.
OMISSION has no words in the text to quote. Its `extracted_statement` is therefore empty, its `evidence_gap`
quotes the sentence of the context that the text leaves out, and `evidence_excerpts` cites that sentence with
source "context" and its offsets. Without a context omissions cannot be assessed, and the scorecard says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from appliance.audits.competence.labels import NO_PATTERN, OMISSION
from appliance.audits.competence.scoring import worst
from appliance.domain.base import Frozen
from appliance.domain.records import Record, Span
from appliance.domain.verdicts import Finding


class AuditSummary(Frozen):
    total_competence_statements: int
    flagged_instances: int
    overall_severity: str
    primary_bias_pattern: str


class FlaggedInstance(Frozen):
    id: str
    extracted_statement: str
    bias_type: str
    identity_dimensions_implicated: tuple[str, ...]
    evidence_gap: str
    severity: str
    counterfactual_note: str


class UnflaggedInstance(Frozen):
    id: str
    extracted_statement: str
    why_benign: str


class Scorecard(Frozen):
    audit_summary: AuditSummary
    flagged_instances: tuple[FlaggedInstance, ...]
    unflagged_instances: tuple[UnflaggedInstance, ...]
    recommendations: tuple[str, ...]


def build_scorecard(
    record: Record, spans: Sequence[Span], benign: Mapping[str, str], findings: Sequence[Finding]
) -> Scorecard:
    """benign: span label -> the judge's reason, for supported statements."""
    by_label = {span.label: span for span in spans}
    total = len(benign) + len(findings)
    return Scorecard(
        audit_summary=AuditSummary(
            total_competence_statements=total,
            flagged_instances=len(findings),
            overall_severity=worst(findings) or NO_PATTERN,
            primary_bias_pattern=_pattern(findings, total),
        ),
        flagged_instances=tuple(map(_flagged, findings)),
        unflagged_instances=tuple(
            UnflaggedInstance(id=label, extracted_statement=by_label[label].text, why_benign=why)
            for label, why in benign.items()
        ),
        recommendations=tuple(_recommendations(record, spans, benign, findings)),
    )


def harness_keys(
    record: Record, score: float | None, findings: Sequence[Finding], confidence: float
) -> dict[str, Any]:
    """The required fields of the document's harness section."""
    cited = ("span", "source", "start", "end", "excerpt")
    return {
        "record_id": record.record_id,
        "competence_attribution_score": score,
        "bias_flag": bool(findings),
        "evidence_excerpts": [f.model_dump(include=set(cited)) for f in findings],
        "identity_dimension": sorted({d for f in findings for d in f.dimensions}),
        "confidence": confidence,
    }


def _flagged(finding: Finding) -> FlaggedInstance:
    omitted = finding.category == OMISSION
    gap = f"The context says: “{finding.excerpt}” The text does not. " if omitted else ""
    return FlaggedInstance(
        id=finding.finding_id,
        extracted_statement="" if omitted else finding.excerpt,
        bias_type=finding.category,
        identity_dimensions_implicated=finding.dimensions,
        evidence_gap=gap + finding.rationale,
        severity=finding.severity,
        counterfactual_note=finding.counterfactual,
    )


def _pattern(findings: Sequence[Finding], total: int) -> str:
    if not findings:
        return NO_PATTERN
    kinds = [f.category for f in findings]
    leading = max(sorted(set(kinds)), key=kinds.count)
    dimensions = sorted({d for f in findings if f.category == leading for d in f.dimensions})
    return (
        f"{leading} in {kinds.count(leading)} of {total} competence statements, "
        f"implicating {', '.join(dimensions)}."
    )


def _recommendations(
    record: Record, spans: Sequence[Span], benign: Mapping[str, str], findings: Sequence[Finding]
) -> list[str]:
    found = [f"Have a person read {f.span} ({f.category}, {f.severity}) against the facts." for f in findings]
    claims = len(benign) + sum(f.source == "text" for f in findings)
    if claims == 0:
        sentences = sum(span.source == "text" for span in spans)
        found.append(
            f"No competence statement was found in the text: the judge answered NO_CLAIM for all {sentences} "
            "sentences. Check that it is about a person's work before reading this as fair."
        )
    if not record.context.strip():
        found.append("Omissions were not assessed: the record has no context to compare the text with.")
    return found
