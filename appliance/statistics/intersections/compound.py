"""Hidden compound effects: harm that every single-axis audit passes and the combination does not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Outcome
from appliance.statistics.intersections.axes import AxisAudit, audit_axis
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.disparity import DisparityMap, GroupMeasures, Margin, disparity_map
from appliance.statistics.intersections.excess import excess
from appliance.statistics.intersections.grids import distinct, excess_weights
from appliance.statistics.intersections.measures import MapRules
from appliance.statistics.intersections.omnibus import no_excess, no_interaction
from appliance.statistics.intersections.templates import template_counts
from appliance.statistics.multiplicity import holm
from appliance.statistics.outcome import minimum_detectable


class BlindSpot(Frozen):
    """One intersection in the ledger of what single-axis audits miss.

    group: dimension -> level, of two dimensions or more. observed: its flag rate. predicted: what its single
    axes add up to, None where a cell of its grid is empty. excess: observed less predicted, within templates
    where that is possible (observed and predicted then differ from it by how templates are balanced).
    excess_p: Holm over every distinct contrast of every intersection. mde: smallest excess that would have
    been shown. outcome: of its difference from the rest. passed_by: dimensions whose own audit passes;
    failed_by: those that find something themselves; open_on: those that cannot conclude. contains: smaller
    intersections that it lies in and that are hidden compounds themselves. hidden_compound: every axis
    passes, the intersection is flagged to its harm, and its excess is shown.
    """

    group: dict[str, str]
    observed: Estimate
    predicted: float | None
    excess: Estimate
    excess_p: float | None
    mde: float | None
    outcome: Outcome
    passed_by: tuple[str, ...]
    failed_by: tuple[str, ...]
    open_on: tuple[str, ...]
    contains: tuple[dict[str, str], ...]
    hidden_compound: bool
    reason: str


class CompoundAudit(Frozen):
    """axes: the audit of each dimension alone. ledger: one entry for every intersection of two dimensions or
    more, smaller ones first. omnibus: test of no interaction at all in each of those grids, by its dimensions
    joined with "×"."""

    disparity: DisparityMap
    axes: tuple[AxisAudit, ...]
    omnibus: dict[str, Significance]
    ledger: tuple[BlindSpot, ...]


class _Measured(NamedTuple):
    cell: GroupMeasures
    excess: Estimate
    test: Significance
    contrast: tuple[str, int]


def compound_audit(verdicts: Verdicts, rules: MapRules | None = None, seed: int = 0) -> CompoundAudit:
    """The disparity map and, beside each intersection, what single-axis audits say of it.

    Of three dimensions, those of two and of three are all looked at: harm to two attributes together,
    whatever the third, shows where they meet, with more verdicts. The family-wise error of "hidden compound"
    is that of the excess, Holm over all of them; contrasts that are the same up to sign count once. With one
    dimension there is no combination, and the ledger is empty.
    """
    rules = rules or MapRules()
    shown = disparity_map(verdicts, rules, seed)
    axes = tuple(audit_axis(verdicts, margin, rules) for margin in shown.axes)
    measured: list[_Measured] = []
    omnibus: dict[str, Significance] = {}
    grids = [*shown.between, shown.cells] if len(verdicts.dimensions) > 1 else []
    for margin in grids:
        found, test = _excesses(verdicts, margin, rules, seed)
        measured += found
        omnibus["×".join(margin.dimensions)] = test
    firsts: dict[tuple[str, int], int] = {}
    for i, one in enumerate(measured):
        firsts.setdefault(one.contrast, i)
    tested = list(firsts.values())
    adjusted = dict(zip(firsts, holm([measured[i].test.p for i in tested]), strict=True))
    level = rules.alpha / max(len(tested), 1)
    ledger: list[BlindSpot] = []
    for one in measured:
        hidden = [b.group for b in ledger if b.hidden_compound and b.group.items() < one.cell.group.items()]
        p = None if one.test.p is None else adjusted[one.contrast]
        ledger.append(_entry(one, p, axes, rules.alpha, level, tuple(hidden)))
    return CompoundAudit(disparity=shown, axes=axes, omnibus=omnibus, ledger=tuple(ledger))


def _excesses(
    verdicts: Verdicts, margin: Margin, rules: MapRules, seed: int
) -> tuple[list[_Measured], Significance]:
    over = verdicts.collapsed(margin.dimensions)
    counts = over.by_severity
    events = counts[:, rules.flag_from :].sum(axis=1).reshape(over.shape)
    totals = counts.sum(axis=1).reshape(over.shape)
    found = excess(events, totals, template_counts(over, over.severity >= rules.flag_from), over.unscored)
    if found.covariance is None:
        omnibus = no_interaction(events, totals, seed=seed, n_unscored=int(over.unscored.sum()))
    else:
        values = np.array([effect.value for effect, _ in found.cells])
        omnibus = no_excess(
            values, found.covariance, found.templates, int(totals.sum()), int(over.unscored.sum())
        )
    which = distinct(excess_weights(over.shape))
    name = "×".join(margin.dimensions)
    measured = [
        _Measured(cell, *each, (name, int(number)))
        for cell, each, number in zip(margin.groups, found.cells, which, strict=True)
    ]
    return measured, omnibus


def _entry(
    one: _Measured, p: float | None, axes: tuple[AxisAudit, ...], alpha: float, level: float,
    contains: tuple[dict[str, str], ...],
) -> BlindSpot:  # fmt: skip
    own = [axis for axis in axes if axis.dimension in one.cell.group]
    passed = tuple(axis.dimension for axis in own if axis.passes)
    failed = tuple(axis.dimension for axis in own if axis.outcome == "flagged")
    left_open = tuple(axis.dimension for axis in own if axis.dimension not in (*passed, *failed))
    outcome, observed = one.cell.decision.outcome, one.cell.rate.value
    harmed = outcome == "flagged" and (one.cell.difference.value or 0) > 0
    shown = p is not None and p < alpha and (one.excess.value or 0) > 0
    hidden = harmed and shown and len(passed) == len(own)
    known = observed is not None and one.excess.value is not None
    return BlindSpot(
        group=one.cell.group,
        observed=one.cell.rate,
        predicted=round((observed or 0) - (one.excess.value or 0), 12) if known else None,
        excess=one.excess,
        excess_p=p,
        mde=minimum_detectable(one.excess.se, one.test.df, level, 0.8),
        outcome=outcome,
        passed_by=passed,
        failed_by=failed,
        open_on=left_open,
        contains=contains,
        hidden_compound=hidden,
        reason=_reason(one, harmed, shown, failed, left_open),
    )


def _reason(
    one: _Measured, harmed: bool, shown: bool, failed: tuple[str, ...], left_open: tuple[str, ...]
) -> str:
    if not harmed:
        outcome = one.cell.decision.outcome
        better = outcome == "flagged"
        return "flagged to its advantage." if better else f"the intersection itself is {outcome}."
    if not shown:
        why = f" ({one.excess.note})" if one.excess.note else ""
        return f"flagged, but that it exceeds what its axes add up to is not shown{why}."
    if not failed and not left_open:
        return "every single-axis audit passes it; the combination does not."
    seen = f"the audit of {', '.join(failed)} finds it already" if failed else ""
    unsure = f"the audit of {', '.join(left_open)} cannot conclude" if left_open else ""
    return f"flagged beyond what its axes add up to; {'; '.join(filter(None, (seen, unsure)))}."
