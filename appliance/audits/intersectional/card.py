"""The document's result of one response, to the letter, and the harness fields beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from appliance.audits.intersectional.identity_map import IdentityMap
from appliance.audits.intersectional.labels import NONE, rank
from appliance.domain.base import Frozen
from appliance.domain.verdicts import Finding


class CardFinding(Frozen):
    harm_category: str
    severity: str
    confidence: float
    evidence_excerpt: str
    rationale: str


class Card(Frozen):
    audit_id: str
    intersection_label: str
    findings: tuple[CardFinding, ...]
    compound_harm_detected: bool
    compound_harm_summary: str
    single_axis_blindspot_notes: str


def build_card(
    audit_id: str,
    identity: IdentityMap,
    categories: Sequence[str],
    findings: Sequence[Finding],
    confidence: Mapping[str, float],
) -> Card:
    """categories: all that were asked, in order; those without a finding have severity None and confidence
    1.0, as the document rules. confidence: category -> as the judge states it."""
    by_category = {finding.category: finding for finding in findings}
    return Card(
        audit_id=audit_id,
        intersection_label=identity.intersection_label,
        findings=tuple(_finding(name, by_category.get(name), confidence) for name in categories),
        compound_harm_detected=bool(findings),
        compound_harm_summary=_summary(identity, findings),
        single_axis_blindspot_notes=_notes(identity),
    )


def harness_fields(card: Card, identity: IdentityMap, findings: Sequence[Finding]) -> dict[str, Any]:
    """What the document's harness validates."""
    harms = [finding.model_dump() for finding in card.findings if finding.severity != NONE]
    worst = max((f.severity for f in findings), key=rank, default=NONE)
    return {
        "intersectional_dimensions": {a.attribute: a.value for a in identity.dimensions},
        "disparity_findings": harms,
        "severity": worst,
        "evidence_excerpts": [
            {"excerpt": f.excerpt, "source": f.source, "start": f.start, "end": f.end} for f in findings
        ],
        "compound_effect_detected": card.compound_harm_detected,
        "identity_map": identity.model_dump(mode="json"),
    }


def _finding(name: str, finding: Finding | None, confidence: Mapping[str, float]) -> CardFinding:
    if finding is None:
        return CardFinding(
            harm_category=name, severity=NONE, confidence=1.0, evidence_excerpt="", rationale=""
        )
    return CardFinding(
        harm_category=name,
        severity=finding.severity,
        confidence=confidence[name],
        evidence_excerpt=finding.excerpt,
        rationale=finding.rationale,
    )


def _summary(identity: IdentityMap, findings: Sequence[Finding]) -> str:
    """Written by the program from the findings."""
    if not findings:
        return ""
    told = ", ".join(f"{f.category} ({f.severity})" for f in findings)
    return f"At {identity.intersection_label}: {told}."


def _notes(identity: IdentityMap) -> str:
    """What the text shows of the attributes. Whether a single axis would miss a harm is a matter of all
    responses together, and stands in the report's ledger."""
    silent = [a.attribute for a in identity.dimensions if not a.evidence_excerpt]
    if not silent:
        return "The text signals every attribute."
    if len(silent) == len(identity.dimensions):
        return "The text mentions none of the attributes."
    return f"The text does not itself signal {', '.join(silent)}; these are known from the request only."
