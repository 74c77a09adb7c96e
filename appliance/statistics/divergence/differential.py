"""Do the two judges differ more, or in another direction, about one group than about the rest?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.arrays import Array, Codes, codes, kept, same_length, scores, undefined, untestable
from appliance.statistics.divergence.exchange import DRAWS, Chance, chances
from appliance.statistics.divergence.within import Contrast, Layout, by_name, contrast, layout, ranked
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.multiplicity import holm
from appliance.statistics.paired.pairs import Ids

Measure = Literal["signed", "absolute"]
SOURCE = "Fisher (1935), Janssen (1997); cluster-robust: Liang and Zeger (1986); Welch (1947)"


class GroupContrast(Frozen):
    """effect: group less rest within blocks; its n and n_unscored are the group's records. marginal: mean of
    the group less mean of the rest whatever the blocks; where it differs from `effect`, templates are not
    balanced over groups. p_adjusted: Holm over the groups. blocks: those that hold both the group and
    others; blocks_alone: those with only this group, which say nothing. n_rest: records of the others in
    the blocks used."""

    group: str
    effect: Estimate
    marginal: float | None
    test: Significance
    p_adjusted: float | None
    blocks: int
    blocks_alone: int
    n_rest: int


class Differential(Frozen):
    """Every group against the rest. blocks_alone: blocks with records of one group only, which contribute
    to no contrast."""

    measure: str
    groups: tuple[GroupContrast, ...]
    n: int
    n_unscored: int
    blocks: int
    blocks_alone: int


def differential(
    differences: npt.ArrayLike,
    groups: Ids,
    labels: Sequence[Hashable],
    *,
    templates: Ids | None = None,
    strata: Ids | None = None,
    measure: Measure = "signed",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Differential:
    """Δ_g = mean difference in group g less that in the rest, within templates or strata.

    differences: s1 - s2 of each record, shape (n,), NaN where either judge left it unscored; any other
    score of a record will do. groups: of each record; labels: all groups, in the order wanted. templates:
    what each record is a variant of; templates are taken for a sample, so both the standard error and the
    exchange of identities respect them. strata: blocks of independent records (a job family) that are only
    adjusted for. Neither: all records are independent and one block. measure: "signed" shows that one judge
    scores a group higher than the other does; "absolute", |s1 - s2|, that the judges disagree more.

    Test: exchange of identities within blocks, studentised, exact up to 10,000 arrangements, else `draws`
    seeded draws; and t. The larger p and the wider interval of the two count: t alone invents differences
    where few records differ, exchange alone where templates are few and the group varies more than the
    rest. A bound is None where the arrangements are too few for it. p is adjusted by Holm over the groups.
    A group without a block that it shares with others has no effect and no p, with a note. Raises ValueError
    for templates together with strata, a group that is not listed, lengths that differ.
    """
    values, of = scores(differences, "differences"), codes(groups, labels, "groups")
    if templates is not None and strata is not None:
        raise ValueError("templates and strata: only one of the two defines the blocks")
    blocks = templates if templates is not None else strata
    block = ranked([0] * len(values) if blocks is None else blocks)
    same_length(differences=values, groups=of, blocks=block)
    values = np.abs(values) if measure == "absolute" else values
    scored = ~np.isnan(values) & (of >= 0)
    data = layout(values[scored], by_name(labels)[of[scored]], block[scored], templates is not None)
    found = _contrasts(data, values, of, labels, level, draws, seed)
    shared = data.groups_in_block
    return Differential(
        measure=measure, groups=found, n=int(scored.sum()), n_unscored=int((~scored).sum()),
        blocks=len(shared), blocks_alone=int((shared == 1).sum()),
    )  # fmt: skip


def hypotheses(
    found: Differential, margin: float, min_n: int, prefix: str = "", largest: float | None = None
) -> tuple[Hypothesis, ...]:
    """One hypothesis a group for `outcome.decide`, with TOST within ±margin. n: the smaller of the group
    and the rest in the blocks used. TOST takes its standard error from the interval, which is the wider
    where few records differ: there the plain one would clear too much. largest: the largest difference of two
    records that the scale allows, None where it is unbounded: what is rare and what is unscored then cannot
    bring a clear effect to the margin either (see `paired.equivalence.equivalent_mean`)."""
    return tuple(
        Hypothesis(
            name=f"{prefix}{one.group}", effect=one.effect, margin=margin, test=one.test,
            equivalence=_equivalence(one, margin, largest), n=min(one.effect.n, one.n_rest), min_n=min_n,
            unscored_share=_unscored_share(found, one), reach=None if largest is None else 2 * largest,
        )
        for one in found.groups
    )  # fmt: skip


def _equivalence(one: GroupContrast, margin: float, largest: float | None) -> Significance:
    effect = one.effect
    told = tost(
        effect.value, _cautious_se(one), one.test.df, margin, n=effect.n, n_unscored=effect.n_unscored
    )
    if largest is None or told.p is None or effect.value is None:
        return told
    units = one.blocks if one.blocks > 1 else min(effect.n, one.n_rest)
    rare = equivalence_without_variation(effect.value, largest, margin, n=units)
    return told.model_copy(update={"p": max(told.p, 1.0 if rare.p is None else rare.p)})


def _unscored_share(found: Differential, one: GroupContrast) -> float:
    """Of the group or of the others, whichever is more: a difference has two sides."""
    own, rest = one.effect.n_unscored, found.n_unscored - one.effect.n_unscored
    return max(own / max(own + one.effect.n, 1), rest / max(rest + one.n_rest, 1))


def _cautious_se(one: GroupContrast) -> float | None:
    effect = one.effect
    if effect.value is None or effect.low is None or effect.high is None:
        return None
    half = max(effect.value - effect.low, effect.high - effect.value)
    return float(half / stdtrit(one.test.df, (1 + effect.level) / 2))


def _contrasts(
    data: Layout, values: Array, of: Codes, labels: Sequence[Hashable], level: float, draws: int, seed: int
) -> tuple[GroupContrast, ...]:
    order = by_name(labels).tolist()
    measured = [contrast(data, g) for g in order]
    varies = bool(len(data.values)) and bool(data.centred.any())
    wanted = [g for g, one in zip(order, measured, strict=True) if one.blocks and varies]
    chance = chances(data, wanted, draws, seed)
    lacking = [int((np.isnan(values) & (of == i)).sum()) for i in range(len(labels))]
    effects = [
        _effect(one, chance.get(g), data.whole, missing, level)
        for g, one, missing in zip(order, measured, lacking, strict=True)
    ]
    tests = [
        _test(one, effect, chance.get(g), data.whole)
        for g, one, effect in zip(order, measured, effects, strict=True)
    ]
    adjusted = holm([test.p for test in tests])
    return tuple(
        GroupContrast(
            group=str(labels[i]), effect=effects[i], marginal=data.marginal(g), test=tests[i],
            p_adjusted=adjusted[i], blocks=one.blocks, blocks_alone=data.alone(g), n_rest=one.n_rest,
        )
        for i, (g, one) in enumerate(zip(order, measured, strict=True))
    )  # fmt: skip


def _effect(one: Contrast, chance: Chance | None, whole: bool, n_unscored: int, level: float) -> Estimate:
    over = f"over {one.blocks} templates" if whole else f"of independent records in {one.blocks} strata"
    method = f"group less rest within blocks, {level:.0%} t interval or exchange interval, the wider, {over}"
    if one.value is None:
        note = "no block holds both enough of this group and of others"
        return undefined(method, note, one.n_group, n_unscored, SOURCE)
    low, high = _bounds(one, chance, level)
    note = "" if one.se else "one template: no interval" if one.se is None else "nothing varies: no interval"
    if one.se and low is None and high is None:
        note = f"too few arrangements for {level:.0%}: no interval"
    return Estimate(
        value=one.value, low=low, high=high, level=level, se=one.se, n=one.n_group, n_unscored=n_unscored,
        method=method, source=SOURCE, note=note, inputs=kept(contrast=one),
    )  # fmt: skip


def _bounds(one: Contrast, chance: Chance | None, level: float) -> tuple[float | None, float | None]:
    """The wider of t and what exchange makes of the same statistic, on each side; None where chance alone
    reaches any value."""
    if one.value is None or not one.se or chance is None:
        return None, None
    lower, upper = chance.critical(level)
    t = float(stdtrit(one.df, (1 + level) / 2))
    low, high = one.value - max(t, upper) * one.se, one.value + max(t, -lower) * one.se
    return (low if np.isfinite(low) else None), (high if np.isfinite(high) else None)


def _test(one: Contrast, effect: Estimate, chance: Chance | None, whole: bool) -> Significance:
    beside = ", studentised, or t, the larger p" if one.se is not None else ""
    method = f"exchange of identities within {'templates' if whole else 'strata'}{beside}"
    if chance is None:
        note = effect.note if one.value is None else "nothing varies within blocks"
        return untestable(method, note, effect.n, effect.n_unscored, SOURCE)
    finite = bool(np.isfinite(chance.observed))
    by_t = 2 * float(stdtr(one.df, -abs(chance.observed))) if one.se and finite else 0.0
    return Significance(
        statistic=chance.observed if finite else None, p=max(chance.p, by_t),
        df=one.df if one.se else None, n=effect.n, n_unscored=effect.n_unscored,
        method=f"{method}, {chance.how}", source=SOURCE, inputs=kept(contrast=one),
    )  # fmt: skip
