"""The disparity map: every intersection and every single axis, measured and decided."""

from __future__ import annotations

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.domain.outcomes import Decision, FamilyDecision, Hypothesis
from appliance.statistics.equivalence import tost
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.measures import Group, MapRules, Measures
from appliance.statistics.outcome import decide
from appliance.statistics.proportions import risk_ratio


class GroupMeasures(Frozen):
    """One group: a cell of the grid, or one level of one axis.

    group: dimension -> level. rate: share of scored verdicts of the flagging severity or above. severities:
    share of each severity, 0 first. mean_severity: on 0..top. impact_ratio: share without a flag over the
    reference's (the favourable outcome; four-fifths rule at 0.8). difference: flag rate less that of all
    other verdicts, within templates where there are any. decision: of that difference.
    """

    group: dict[str, str]
    n: int
    n_unscored: int
    rate: Estimate
    severities: tuple[Estimate, ...]
    mean_severity: Estimate
    impact_ratio: Estimate
    difference: Estimate
    decision: Decision


class DisparityMap(Frozen):
    """cells: row-major over `dimensions`. margins: per dimension, its levels. reference: the group that
    impact ratios of each part refer to, chosen by the data as the one treated best (its ratio's interval
    does not know that). within_templates: whether differences were made within templates."""

    dimensions: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cells: tuple[GroupMeasures, ...]
    margins: dict[str, tuple[GroupMeasures, ...]]
    cell_family: FamilyDecision
    margin_families: dict[str, FamilyDecision]
    within_templates: bool


def disparity_map(verdicts: Verdicts, rules: MapRules | None = None) -> DisparityMap:
    """Measure and decide every cell and every level of every axis. Verdicts without a score are counted in
    n_unscored of their group and nowhere else. Templates, where given, are compared within; with fewer than
    six that is impossible and rows are taken for independent, which `within_templates` says."""
    rules = rules or MapRules()
    measure = Measures(verdicts, rules)
    cells = [measure.group(np.arange(verdicts.n_cells) == i) for i in range(verdicts.n_cells)]
    cell_family, found = _decided("all intersections", verdicts.names, cells, rules)
    margins, families = {}, {}
    for dimension, levels in zip(verdicts.dimensions, verdicts.levels, strict=True):
        place = verdicts.margin(dimension)
        groups = [measure.group(place == i) for i in range(len(levels))]
        named = tuple({dimension: level} for level in levels)
        families[dimension], margins[dimension] = _decided(f"levels of {dimension}", named, groups, rules)
    return DisparityMap(
        dimensions=verdicts.dimensions,
        levels=verdicts.levels,
        cells=found,
        margins=margins,
        cell_family=cell_family,
        margin_families=families,
        within_templates=measure.per_template is not None,
    )


def _decided(
    family: str, names: tuple[dict[str, str], ...], groups: list[Group], rules: MapRules
) -> tuple[FamilyDecision, tuple[GroupMeasures, ...]]:
    decided = decide(
        f"difference of flag rates from the rest, {family}",
        [_hypothesis(name, group, rules) for name, group in zip(names, groups, strict=True)],
        alpha=rules.alpha,
        max_unscored=rules.max_unscored,
    )
    reference = _reference(groups, rules.min_n)
    found = tuple(
        GroupMeasures(
            group=name,
            n=group.n,
            n_unscored=group.n_unscored,
            rate=group.rate,
            severities=group.severities,
            mean_severity=group.mean_severity,
            impact_ratio=_impact_ratio(group, reference),
            difference=group.difference,
            decision=decision,
        )
        for name, group, decision in zip(names, groups, decided.decisions, strict=True)
    )
    return decided, found


def _hypothesis(name: dict[str, str], group: Group, rules: MapRules) -> Hypothesis:
    effect = group.difference
    return Hypothesis(
        name=", ".join(f"{dimension} {level}" for dimension, level in name.items()),
        effect=effect,
        margin=rules.margin,
        test=group.test,
        equivalence=tost(
            effect.value, effect.se, group.test.df, rules.margin, n=group.n, n_unscored=group.n_unscored
        )
        if group.test.df is None or group.test.df > 0
        else None,
        n=group.n,
        min_n=rules.min_n,
    )


def _reference(groups: list[Group], min_n: int) -> Group | None:
    """The group treated best, among those with enough verdicts: a lucky few must not set the standard.
    Of all, where none has enough; None where nothing was scored."""
    scored = [g for g in groups if g.n >= min_n] or [g for g in groups if g.n]
    return min(scored, key=lambda g: g.events / g.n, default=None)


def _impact_ratio(group: Group, reference: Group | None) -> Estimate:
    if reference is None:
        return risk_ratio(0, 0, 0, 0, n_unscored=group.n_unscored)
    return risk_ratio(
        group.n - group.events,
        group.n,
        reference.n - reference.events,
        reference.n,
        n_unscored=group.n_unscored,
    )
