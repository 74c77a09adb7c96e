"""Rates corrected for a judge's sensitivity and specificity, measured on a golden set of its own.

The golden set need not be a random sample of the audited records, as it must be for `ppi`; instead the judge
must err on both alike, given the truth. Where the gold is a random sample, `ppi` asks for less.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Codes, Mask, codes, kept, same_length, scores, undefined
from appliance.statistics.correction.gold import GroupRate, clipped
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.proportions import rate

SOURCE = "Rogan and Gladen (1978); interval: Lang and Reiczigel (2014), as in Lee et al. (2025)"
MIN_CLASS = 20  # gold records of each class
LEAST_YOUDEN = 0.1


def youden(
    true_negatives: int, n_negative: int, true_positives: int, n_positive: int, level: float = 0.95
) -> Estimate:
    """J = specificity + sensitivity - 1, 0 for a judge that knows nothing, with Newcombe's interval.
    Undefined where a class has no gold record. Raises ValueError for impossible counts.
    Sources: Youden (1950), Newcombe (1998), through statsmodels."""
    for right, n in ((true_negatives, n_negative), (true_positives, n_positive)):
        if not 0 <= right <= n:
            raise ValueError(f"{right} right of {n}")
    method, source = f"Youden's J, {level:.0%} Newcombe interval", "Youden (1950), Newcombe (1998)"
    n = n_negative + n_positive
    inputs = kept(
        true_negatives=true_negatives, n_negative=n_negative, true_positives=true_positives,
        n_positive=n_positive,
    )  # fmt: skip
    if not n_negative or not n_positive:
        return undefined(method, "a class has no gold record", n, 0, source, inputs)
    from statsmodels.stats.proportion import confint_proportions_2indep

    false_positives = n_negative - true_negatives
    low, high = confint_proportions_2indep(
        true_positives, n_positive, false_positives, n_negative, method="newcomb", alpha=1 - level
    )
    value = true_positives / n_positive - false_positives / n_negative
    return Estimate(
        value=value, low=float(low), high=float(high), level=level, n=n, method=method, source=source,
        inputs=inputs,
    )  # fmt: skip


def rogan_gladen(
    flagged: int,
    n: int,
    true_negatives: int,
    n_negative: int,
    true_positives: int,
    n_positive: int,
    *,
    n_unscored: int = 0,
    min_class: int = MIN_CLASS,
    level: float = 0.95,
) -> Estimate:
    """θ = (p + q₀ - 1) / (q₀ + q₁ - 1): the true rate behind a judge's rate p = flagged / n.

    q₀ = true_negatives / n_negative, its specificity, and q₁ = true_positives / n_positive, its sensitivity,
    from gold records that are not among the n. A value outside 0..1 is moved to the end and named. Refused
    (undefined, with the reason) below `min_class` gold records of either class and where the lower bound of
    q₀ + q₁ - 1 is not above 0.1: dividing by what may be 0 makes any rate of any. Raises ValueError for
    impossible counts.
    Sources: Rogan and Gladen (1978); interval: Lang and Reiczigel (2014), as in Lee et al. (2025).
    """
    if not 0 <= flagged <= n:
        raise ValueError(f"{flagged} flagged of {n}")
    judge = youden(true_negatives, n_negative, true_positives, n_positive, level)
    method = f"Rogan–Gladen, {level:.0%} Lang–Reiczigel interval"
    inputs = {**judge.inputs, "flagged": flagged, "n": n}
    refused = _refused(n, n_negative, n_positive, judge, min_class)
    if refused:
        return undefined(method, refused, n, n_unscored, SOURCE, inputs)
    q0, q1 = true_negatives / n_negative, true_positives / n_positive
    centre, se, half = _interval(flagged, n, true_negatives, n_negative, true_positives, n_positive, level)
    return clipped(
        (flagged / n + q0 - 1) / (q0 + q1 - 1), centre, half, (0.0, 1.0), se=se, level=level, n=n,
        n_unscored=n_unscored, method=method, source=SOURCE, inputs=inputs,
    )  # fmt: skip


def rogan_gladen_by_group(
    flags: npt.ArrayLike,
    groups: Ids,
    gold_flags: npt.ArrayLike,
    gold_truth: npt.ArrayLike,
    gold_groups: Ids,
    labels: Sequence[Hashable],
    *,
    min_class: int = MIN_CLASS,
    level: float = 0.95,
) -> tuple[GroupRate, ...]:
    """Each group's rate corrected by its own sensitivity and specificity, in the order of `labels`.

    flags: the judge's, 0 or 1, of the audited records; gold_flags, gold_truth: the judge's and people's of
    the golden set. NaN is unscored. Raises ValueError for other values, lengths that differ, and a group
    that is not listed.
    """
    judged, of = _flags(flags, "flags"), codes(groups, labels, "groups")
    said, true = _flags(gold_flags, "gold_flags"), _flags(gold_truth, "gold_truth")
    gold_of = codes(gold_groups, labels, "gold_groups")
    same_length(flags=judged, groups=of)
    same_length(gold_flags=said, gold_truth=true, gold_groups=gold_of)
    found = []
    for i, label in enumerate(labels):
        own, gold = of == i, (gold_of == i) & (said >= 0) & (true >= 0)
        flagged, n, lacking = (
            _count(judged, 1, own),
            int((own & (judged >= 0)).sum()),
            _count(judged, -1, own),
        )
        corrected = rogan_gladen(
            flagged, n, _count(said, 0, gold & (true == 0)), _count(true, 0, gold),
            _count(said, 1, gold & (true == 1)), _count(true, 1, gold), n_unscored=lacking,
            min_class=min_class, level=level,
        )  # fmt: skip
        found.append(GroupRate(group=str(label), judged=rate(flagged, n, lacking), corrected=corrected))
    return tuple(found)


def _count(values: Codes, wanted: int, among: Mask) -> int:
    return int(((values == wanted) & among).sum())


def _flags(values: npt.ArrayLike, name: str) -> Codes:
    """0, 1, or -1 for unscored."""
    found = scores(values, name)
    odd = ~np.isnan(found) & (found != 0) & (found != 1)
    if odd.any():
        raise ValueError(f"{name}: {found[odd][0]:g} at position {int(odd.argmax())} is neither 0 nor 1")
    return np.where(np.isnan(found), -1, found).astype(np.int64)


def _refused(n: int, n_negative: int, n_positive: int, judge: Estimate, min_class: int) -> str:
    if not n:
        return "nothing was scored"
    fewest, which = min((n_negative, "negative"), (n_positive, "positive"))
    if fewest < max(min_class, 1):
        return f"refused: {fewest} gold records are {which}, {max(min_class, 1)} of each class are needed"
    if judge.low is None or judge.low <= LEAST_YOUDEN:
        return (
            f"refused: the judge's sensitivity + specificity - 1 is {judge.value:.3g} and may be "
            f"{judge.low:.3g}; above {LEAST_YOUDEN:g} is needed to tell its flags from chance"
        )
    return ""


def _interval(
    flagged: int, n: int, right0: int, m0: int, right1: int, m1: int, level: float
) -> tuple[float, float, float]:
    """Centre, standard error and half width: every rate padded (p by z²/2 of each kind, q by one), then the
    delta method with its correction for the bias of a ratio. Source: Lang and Reiczigel (2014)."""
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    size, size0, size1 = n + z**2, m0 + 2, m1 + 2
    p, q0, q1 = (flagged + z**2 / 2) / size, (right0 + 1) / size0, (right1 + 1) / size1
    j = q0 + q1 - 1
    theta = (p + q0 - 1) / j
    v0, v1 = q0 * (1 - q0) / size0, q1 * (1 - q1) / size1
    shift = 2 * z**2 * (theta * v1 - (1 - theta) * v0)
    se = math.sqrt(p * (1 - p) / size + (1 - theta) ** 2 * v0 + theta**2 * v1) / j
    return theta + shift, se, z * se
