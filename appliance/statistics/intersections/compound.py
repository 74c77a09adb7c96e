"""Hidden compound effects: harm that every single-axis audit passes and the combination does not."""

from __future__ import annotations

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Outcome
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.disparity import DisparityMap, GroupMeasures, disparity_map
from appliance.statistics.intersections.interaction import excess, no_interaction
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.templates import excess_within, template_rates
from appliance.statistics.multiplicity import holm
from appliance.statistics.outcome import minimum_detectable

FOUR_FIFTHS = 0.8


class BlindSpot(Frozen):
    """One cell in the ledger of what single-axis audits miss.

    observed: its flag rate. predicted: what the single axes add up to, None where a cell of the grid is
    empty. excess: observed less predicted; excess_p: Holm over all cells. mde: smallest excess that would
    have been shown. cell_outcome: of its difference from the rest. passed_by: the dimensions whose own audit
    passes; failed_by: those that find something themselves; open_on: those that could not conclude.
    hidden_compound: every axis passes, the cell is flagged to its harm, and its excess is shown.
    """

    group: dict[str, str]
    observed: Estimate
    predicted: float | None
    excess: Estimate
    excess_p: float | None
    mde: float | None
    cell_outcome: Outcome
    passed_by: tuple[str, ...]
    failed_by: tuple[str, ...]
    open_on: tuple[str, ...]
    hidden_compound: bool
    reason: str


class CompoundAudit(Frozen):
    """ledger: one entry a cell. omnibus: G² of no interaction of any order, None with one dimension."""

    disparity: DisparityMap
    omnibus: Significance | None
    ledger: tuple[BlindSpot, ...]


def compound_audit(verdicts: Verdicts, rules: MapRules | None = None, seed: int = 0) -> CompoundAudit:
    """The disparity map and, beside each cell, what single-axis audits say of it.

    A single axis passes when none of its levels is flagged, and each level with enough verdicts has an impact
    ratio of 0.8 or more or is shown to be equivalent. A level with too few verdicts leaves its axis open:
    it does not pass. Excess is measured within templates where six or more have every cell.
    With one dimension there is no combination, and the ledger is empty.
    """
    rules = rules or MapRules()
    shown = disparity_map(verdicts, rules)
    if len(verdicts.dimensions) < 2:
        return CompoundAudit(disparity=shown, omnibus=None, ledger=())
    shape = verdicts.shape
    events = verdicts.by_severity[:, rules.flag_from :].sum(axis=1).reshape(shape)
    totals = verdicts.by_severity.sum(axis=1).reshape(shape)
    measured = _excesses(verdicts, rules)
    # Counted over all cells: whichever is largest was looked for.
    adjusted = holm([test.p for _, test in measured])
    axes = {d: _axis(groups, rules.min_n) for d, groups in shown.margins.items()}
    level = rules.alpha / verdicts.n_cells
    return CompoundAudit(
        disparity=shown,
        omnibus=no_interaction(events, totals, seed=seed),
        ledger=tuple(
            _entry(cell, e, test, p, axes, rules.alpha, level)
            for cell, (e, test), p in zip(shown.cells, measured, adjusted, strict=True)
        ),
    )


def _excesses(verdicts: Verdicts, rules: MapRules) -> tuple[tuple[Estimate, Significance], ...]:
    if verdicts.template is not None:
        tables = template_rates(verdicts, verdicts.severity >= rules.flag_from)
        found = excess_within(*tables, verdicts.shape, verdicts.unscored)
        if found is not None:
            return found
    events = verdicts.by_severity[:, rules.flag_from :].sum(axis=1).reshape(verdicts.shape)
    totals = verdicts.by_severity.sum(axis=1).reshape(verdicts.shape)
    return tuple((e, _z_test(e)) for e in excess(events, totals))


def _z_test(effect: Estimate) -> Significance:
    from scipy.stats import norm

    z = None if effect.value is None or not effect.se else effect.value / effect.se
    return Significance(
        statistic=z,
        p=None if z is None else float(2 * norm.sf(abs(z))),
        n=effect.n,
        n_unscored=effect.n_unscored,
        method="z of the excess",
        source=effect.source,
        note=effect.note or ("no spread" if z is None else ""),
    )


def _axis(levels: tuple[GroupMeasures, ...], min_n: int) -> Outcome:
    """ "clear" if its own audit passes, "flagged" if it finds something, else "inconclusive"."""
    outcomes = [level.decision.outcome for level in levels]
    if "flagged" in outcomes:
        return "flagged"
    if all(_level_passes(level, min_n) for level in levels):
        return "clear"
    ratios = [level.impact_ratio.value for level in levels if level.n >= min_n]
    return "flagged" if any(r is not None and r < FOUR_FIFTHS for r in ratios) else "inconclusive"


def _level_passes(level: GroupMeasures, min_n: int) -> bool:
    if level.n < min_n:
        return False
    ratio = level.impact_ratio.value
    return level.decision.outcome == "clear" or (ratio is not None and ratio >= FOUR_FIFTHS)


def _entry(
    cell: GroupMeasures,
    over: Estimate,
    test: Significance,
    p: float | None,
    axes: dict[str, Outcome],
    alpha: float,
    level: float,
) -> BlindSpot:
    passed, failed, left_open = (
        tuple(d for d, outcome in axes.items() if outcome == wanted)
        for wanted in ("clear", "flagged", "inconclusive")
    )
    harmed = cell.decision.outcome == "flagged" and (cell.difference.value or 0) > 0
    shown = p is not None and p < alpha and (over.value or 0) > 0
    hidden = harmed and shown and len(passed) == len(axes)
    observed = cell.rate.value
    predicted = None if observed is None or over.value is None else float(np.round(observed - over.value, 12))
    return BlindSpot(
        group=cell.group,
        observed=cell.rate,
        predicted=predicted,
        excess=over,
        excess_p=p,
        mde=minimum_detectable(over.se, test.df, level, 0.8),
        cell_outcome=cell.decision.outcome,
        passed_by=passed,
        failed_by=failed,
        open_on=left_open,
        hidden_compound=hidden,
        reason=_reason(hidden, harmed, shown, failed, left_open, over),
    )


def _reason(
    hidden: bool,
    harmed: bool,
    shown: bool,
    failed: tuple[str, ...],
    left_open: tuple[str, ...],
    over: Estimate,
) -> str:
    if hidden:
        return "every single-axis audit passes it; the combination does not."
    if not harmed:
        return "the cell itself is not flagged to its harm."
    if not shown:
        why = f" ({over.note})" if over.note else ""
        return f"flagged, but that it exceeds what its axes add up to is not shown{why}."
    seen = f"the audit of {', '.join(failed)} finds it already" if failed else ""
    unsure = f"the audit of {', '.join(left_open)} cannot conclude" if left_open else ""
    return f"flagged beyond what its axes add up to; {'; '.join(filter(None, (seen, unsure)))}."
