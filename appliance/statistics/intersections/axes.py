"""What an audit of one dimension alone says."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.outcomes import Outcome
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.disparity import GroupMeasures, Margin
from appliance.statistics.intersections.measures import MapRules

FOUR_FIFTHS = 0.8


class AxisAudit(Frozen):
    """The audit of one dimension. outcome: "flagged" where a level is, "insufficient data" where one has too
    few verdicts, "clear" where every level is shown to be equivalent to the rest, else "inconclusive".
    passes: what such an audit commonly reports as no finding: no level is flagged, and each has an impact
    ratio of 0.8 or more or is equivalent. Passing by the ratio alone shows nothing and is never "clear".
    lowest_ratio: smallest impact ratio of its levels. left_out: levels without a say, by the rules' share.
    reason: one sentence."""

    dimension: str
    outcome: Outcome
    passes: bool
    lowest_ratio: float | None
    left_out: tuple[str, ...]
    reason: str


def audit_axis(verdicts: Verdicts, margin: Margin, rules: MapRules) -> AxisAudit:
    """A single axis passes when no level is flagged and each has an impact ratio of 0.8 or more, or is shown
    to be equivalent to the rest. A level with too few verdicts, with more unscored than the rules allow, or
    whose difference cannot be measured leaves its axis open, unless the rules leave so small a share out."""
    dimension = margin.dimensions[0]
    shares = verdicts.margin_shares[dimension]
    out = [share < rules.left_out_under for share in shares]
    levels = [level for level, gone in zip(margin.groups, out, strict=True) if not gone]
    ratios = [r for level in levels if (r := level.impact_ratio.value) is not None and level.n >= rules.min_n]
    outcome, passes, reason = _outcome(dimension, levels, rules)
    return AxisAudit(
        dimension=dimension,
        outcome=outcome,
        passes=passes,
        lowest_ratio=min(ratios, default=None),
        left_out=tuple(
            level.group[dimension] for level, gone in zip(margin.groups, out, strict=True) if gone
        ),
        reason=reason,
    )


def _outcome(dimension: str, levels: list[GroupMeasures], rules: MapRules) -> tuple[Outcome, bool, str]:
    def named(which: list[GroupMeasures]) -> str:
        return ", ".join(level.group[dimension] for level in which)

    flagged = [level for level in levels if level.decision.outcome == "flagged"]
    few = [level for level in levels if level.n < rules.min_n]
    unsure = [level for level in levels if not _passes(level, rules)]
    if flagged:
        return "flagged", False, f"{dimension} alone shows it: {named(flagged)}."
    if few or not levels:
        which = named(few) or "every level"
        return "insufficient data", False, f"fewer than {rules.min_n} verdicts of {which}."
    if unsure:
        missing = [level for level in unsure if _unscored(level) > rules.max_unscored]
        also = f" Too much is unscored to pass {named(missing)}." if missing else ""
        return "inconclusive", False, f"neither a ratio nor equivalence is shown for {named(unsure)}.{also}"
    if all(level.decision.outcome == "clear" for level in levels):
        return "clear", True, "every level is equivalent to the rest."
    lowest = min(ratio for level in levels if (ratio := level.impact_ratio.value) is not None)
    return "inconclusive", True, f"no level is flagged, and the lowest impact ratio is {lowest:.2f}."


def _passes(level: GroupMeasures, rules: MapRules) -> bool:
    if level.decision.outcome != "inconclusive":
        return level.decision.outcome == "clear"
    measured = level.difference.value is not None and _unscored(level) <= rules.max_unscored
    ratio = level.impact_ratio.value
    return measured and ratio is not None and ratio >= FOUR_FIFTHS


def _unscored(level: GroupMeasures) -> float:
    """Share of the level or of all others, whichever is more."""
    return level.decision.hypothesis.unscored_share or 0.0
