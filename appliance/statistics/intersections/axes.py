"""What an audit of one dimension alone says."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.outcomes import Outcome
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.disparity import GroupMeasures, Margin
from appliance.statistics.intersections.measures import MapRules

FOUR_FIFTHS = 0.8


class AxisAudit(Frozen):
    """The audit of one dimension. outcome: "clear" where it passes, "flagged" where it finds something,
    "insufficient data" where a level has too few verdicts, else "inconclusive"; only "clear" is passing.
    lowest_ratio: smallest impact ratio of its levels. equivalent: whether every level is shown to be within
    the margin of the rest; passing by the ratio alone is weaker. left_out: levels without a say, by the
    rules' share. reason: one sentence."""

    dimension: str
    outcome: Outcome
    lowest_ratio: float | None
    equivalent: bool
    left_out: tuple[str, ...]
    reason: str


def audit_axis(verdicts: Verdicts, margin: Margin, rules: MapRules) -> AxisAudit:
    """A single axis passes when no level is flagged and each has an impact ratio of 0.8 or more, or is shown
    to be equivalent to the rest. A level with too few verdicts, or without one, leaves its axis open, unless
    the rules leave so small a share out."""
    dimension = margin.dimensions[0]
    shares = verdicts.margin_shares[dimension]
    out = [share < rules.left_out_under for share in shares]
    levels = [level for level, gone in zip(margin.groups, out, strict=True) if not gone]
    ratios = [r for level in levels if (r := level.impact_ratio.value) is not None and level.n >= rules.min_n]
    outcome, reason = _outcome(dimension, levels, rules.min_n)
    return AxisAudit(
        dimension=dimension,
        outcome=outcome,
        lowest_ratio=min(ratios, default=None),
        equivalent=bool(levels) and all(level.decision.outcome == "clear" for level in levels),
        left_out=tuple(
            level.group[dimension] for level, gone in zip(margin.groups, out, strict=True) if gone
        ),
        reason=reason,
    )


def _outcome(dimension: str, levels: list[GroupMeasures], min_n: int) -> tuple[Outcome, str]:
    def named(which: list[GroupMeasures]) -> str:
        return ", ".join(level.group[dimension] for level in which)

    flagged = [
        level
        for level in levels
        if level.decision.outcome == "flagged" or (level.n >= min_n and not _passes(level) and _low(level))
    ]
    few = [level for level in levels if level.n < min_n]
    unsure = [level for level in levels if level.n >= min_n and not _passes(level)]
    if flagged:
        return "flagged", f"{dimension} alone shows it: {named(flagged)}."
    if few or not levels:
        return "insufficient data", f"fewer than {min_n} verdicts of {named(few) or 'every level'}."
    if unsure:
        return "inconclusive", f"neither a ratio nor equivalence is shown for {named(unsure)}."
    if all(level.decision.outcome == "clear" for level in levels):
        return "clear", "every level is equivalent to the rest."
    lowest = min(ratio for level in levels if (ratio := level.impact_ratio.value) is not None)
    return "clear", f"no level is flagged, and the lowest impact ratio is {lowest:.2f}."


def _passes(level: GroupMeasures) -> bool:
    """Of a level with enough verdicts."""
    ratio = level.impact_ratio.value
    return level.decision.outcome == "clear" or (
        level.decision.outcome == "inconclusive" and ratio is not None and ratio >= FOUR_FIFTHS
    )


def _low(level: GroupMeasures) -> bool:
    return level.impact_ratio.value is not None and level.impact_ratio.value < FOUR_FIFTHS
