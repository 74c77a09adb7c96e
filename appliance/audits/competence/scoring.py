"""Numbers that follow from the labels.

competence_attribution_score, in [-1, 1]: sum of direction x severity weight over flagged items, divided by
the competence statements (claims in the text plus omitted ones). Positive: raised beyond the evidence;
negative: lowered. bias_score, in [0, 1]: the same without direction. Both are None, not 0, without
statements. Definitions are ours; the document names the score and leaves its scale open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from appliance.audits.competence.labels import (
    DIRECTION,
    FLAGS,
    NO_CLAIM,
    SEVERITIES,
    SEVERITY_WEIGHT,
    TEXT_FLAGS,
)
from appliance.domain.verdicts import Finding, LabelDistribution


def attribution_score(findings: Sequence[Finding], statements: int) -> float | None:
    """Signed score in [-1, 1]; None when there is no competence statement."""
    signed = sum(DIRECTION[f.category] * SEVERITY_WEIGHT[f.severity] for f in findings)
    return round(signed / statements, 6) if statements else None


def bias_score(findings: Sequence[Finding], statements: int) -> float | None:
    """Unsigned score in [0, 1]; None when there is no competence statement."""
    weight = sum(SEVERITY_WEIGHT[f.severity] for f in findings)
    return round(weight / statements, 6) if statements else None


def worst(findings: Sequence[Finding]) -> str | None:
    """The highest severity among the findings; None when there is none."""
    return max((f.severity for f in findings), key=SEVERITIES.index, default=None)


def measured_confidence(
    labels: Mapping[str, str], distributions: Sequence[LabelDistribution]
) -> float | None:
    """The judge's own probability of its bias flag, from its token probabilities.

    Flagged: the highest probability of a flag over the flagged spans. Not flagged: 1 minus the highest
    probability of a flag over all spans, where a sentence answered NO_CLAIM counts with all of its
    probability of a claim (so this is a lower bound). None when a needed distribution is missing: an
    answer of another label than NO_CLAIM needs its verdict's as well.
    """
    known = {d.where: d.probabilities for d in distributions}
    flagged = [span for span, label in labels.items() if label in FLAGS]
    chances = [_flag_probability(span, labels[span], known) for span in (flagged or labels)]
    if not chances or any(chance is None for chance in chances):
        return None
    highest = max(chance for chance in chances if chance is not None)
    return round(highest if flagged else 1 - highest, 6)


def _flag_probability(span: str, label: str, known: Mapping[str, Mapping[str, float]]) -> float | None:
    if span.startswith("C"):
        fact = known.get(f"{span}.fact")
        return fact["OMISSION"] if fact else None
    claim, verdict = known.get(f"{span}.claim"), known.get(f"{span}.verdict")
    if claim is None or (verdict is None and label != NO_CLAIM):
        return None
    return claim["CLAIM"] * (sum(verdict[flag] for flag in TEXT_FLAGS) if verdict else 1.0)
