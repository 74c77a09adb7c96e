"""The disparity map: every intersection and every margin, measured and decided."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.domain.outcomes import Decision, FamilyDecision, Hypothesis
from appliance.statistics.arrays import Mask
from appliance.statistics.intersections.cells import Verdicts
from appliance.statistics.intersections.measures import Group, MapRules, Measures
from appliance.statistics.outcome import decide


class GroupMeasures(Frozen):
    """One group: a cell of the grid, or of a margin.

    group: dimension -> level. rate: share of scored verdicts of the flagging severity or above. severities:
    share of each severity, 0 first. mean_severity: on 0..top. impact_ratio: share without a flag over that of
    `reference` (the favourable outcome; four-fifths rule at 0.8); its note says why where there is none.
    rest_ratio: flag rate over that of all other verdicts, which shows what the impact ratio hides where
    flags are rare. difference: flag rate less that of all others, within templates where there are any.
    decision: of that difference.
    """

    group: dict[str, str]
    n: int
    n_unscored: int
    rate: Estimate
    severities: tuple[Estimate, ...]
    mean_severity: Estimate
    impact_ratio: Estimate
    rest_ratio: Estimate
    difference: Estimate
    decision: Decision


class Margin(Frozen):
    """All groups of some dimensions, decided as one family. reference: the group that impact ratios refer to,
    declared, or chosen by the data as the one treated best (the ratio's interval does not know of that
    choice: read it as lower by some); None where nothing was scored."""

    dimensions: tuple[str, ...]
    groups: tuple[GroupMeasures, ...]
    reference: dict[str, str] | None
    family: FamilyDecision


class DisparityMap(Frozen):
    """cells: the whole grid, row-major over `dimensions`. axes: each single dimension. between: every margin
    of two or more dimensions short of all. templates: how many verdicts share, None where rows stand for
    themselves. Each part is a family of its own."""

    dimensions: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cells: Margin
    axes: tuple[Margin, ...]
    between: tuple[Margin, ...]
    templates: int | None

    def margin(self, *dimensions: str) -> Margin:
        """The part with these dimensions. Raises ValueError if there is none."""
        for part in (self.cells, *self.axes, *self.between):
            if set(part.dimensions) == set(dimensions):
                return part
        raise ValueError(f"dimensions: {', '.join(dimensions)} is no part of {', '.join(self.dimensions)}")


def disparity_map(verdicts: Verdicts, rules: MapRules | None = None, seed: int = 0) -> DisparityMap:
    """Measure and decide every cell and every margin. Verdicts without a score are counted in n_unscored of
    their group and nowhere else. Templates, where given, are compared within. seed: of the exchange tests
    that rare flags need. Raises ValueError for a declared reference that does not exist, and for a flag_from
    that no severity of the verdicts can reach: nothing would be flagged, and everything look clear."""
    rules = rules or MapRules()
    if not 1 <= rules.flag_from <= verdicts.top:
        raise ValueError(f"flag_from: {rules.flag_from} is not a severity of 1..{verdicts.top}")
    for dimension, level in rules.reference.items():
        known = dict(zip(verdicts.dimensions, verdicts.levels, strict=True)).get(dimension, ())
        if level not in known:
            raise ValueError(f"reference: {dimension} {level} is not in the grid")
    measures = Measures(verdicts, rules, seed)
    d = verdicts.dimensions
    every = [m for size in range(1, len(d)) for m in combinations(d, size)]
    return DisparityMap(
        dimensions=d,
        levels=verdicts.levels,
        cells=_margin(verdicts, d, measures, rules),
        axes=tuple(_margin(verdicts, (one,), measures, rules) for one in d),
        between=tuple(_margin(verdicts, m, measures, rules) for m in every if len(m) > 1),
        templates=None if measures.templates is None else measures.templates.n_templates,
    )


TWO_RATES = 2.0  # what a difference of two rates can move: each by 1


def _margin(verdicts: Verdicts, dimensions: tuple[str, ...], measures: Measures, rules: MapRules) -> Margin:
    levels = [verdicts.levels[verdicts.dimensions.index(one)] for one in dimensions]
    names = [dict(zip(dimensions, each, strict=True)) for each in product(*levels)]
    place = verdicts.margin(dimensions)
    groups = [measures.group(place == i) for i in range(len(names))]
    decided = decide(
        f"difference of flag rates from the rest, {' × '.join(dimensions)}",
        [_hypothesis(name, group, rules) for name, group in zip(names, groups, strict=True)],
        alpha=rules.alpha,
        max_unscored=rules.max_unscored,
    )
    shares = np.array([group.n for group in groups]) / max(sum(group.n for group in groups), 1)
    out = shares < rules.left_out_under
    at = _reference(names, groups, out, rules)
    reference = None if at is None else groups[at]
    found = tuple(
        _measured(name, group, decision, measures.impact_ratio(group, reference, _why_not(share, rules)))
        for name, group, decision, share in zip(names, groups, decided.decisions, shares, strict=True)
    )
    return Margin(
        dimensions=dimensions,
        groups=found,
        reference=None if at is None else names[at],
        family=decided,
    )


def _measured(name: dict[str, str], group: Group, decision: Decision, ratio: Estimate) -> GroupMeasures:
    return GroupMeasures(
        group=name,
        n=group.n,
        n_unscored=group.n_unscored,
        rate=group.rate,
        severities=group.severities,
        mean_severity=group.mean_severity,
        impact_ratio=ratio,
        rest_ratio=group.rest_ratio,
        difference=group.contrast.effect,
        decision=decision,
    )


def _why_not(share: float, rules: MapRules) -> str:
    if share >= rules.left_out_under:
        return ""
    return f"left out: {share:.1%} of the verdicts, under {rules.left_out_under:.1%}"


def _hypothesis(name: dict[str, str], group: Group, rules: MapRules) -> Hypothesis:
    return Hypothesis(
        name=", ".join(f"{dimension} {level}" for dimension, level in name.items()),
        effect=group.contrast.effect,
        margin=rules.margin,
        test=group.contrast.test,
        equivalence=group.contrast.equivalence,
        n=min(group.n, group.n_rest),
        min_n=rules.min_n,
        unscored_share=group.unscored_share,
        reach=TWO_RATES,
    )


def _reference(names: list[dict[str, str]], groups: list[Group], out: Mask, rules: MapRules) -> int | None:
    """The declared group, else the one treated best among those with enough verdicts: a lucky few must not
    set the standard. Of all, where none has enough; None where nothing was scored."""
    if all(one in rules.reference for one in names[0]):
        return names.index({one: rules.reference[one] for one in names[0]})
    scored = [i for i, g in enumerate(groups) if g.n >= rules.min_n and not out[i]]
    scored = scored or [i for i, g in enumerate(groups) if g.n]
    return min(
        scored,
        # Of equals the larger, then by name: the order of levels must not matter.
        key=lambda i: (groups[i].events / groups[i].n, -groups[i].n, sorted(names[i].items())),
        default=None,
    )
