"""Rates and mean scores of all audited records, from a judge on all and people on a random few.

The judge's mean is corrected by its mean error on the gold records. It is right however bad the judge is,
as long as the gold records are a random sample of the audited ones (within each stratum if strata are given):
records that people looked at because they were flagged are none.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, codes, kept, same_length, scores, undefined
from appliance.statistics.bounded import Spread, spread
from appliance.statistics.correction.gold import GroupRate, Scale, clipped
from appliance.statistics.divergence.within import ranked
from appliance.statistics.paired.pairs import Ids

SOURCE = "Angelopoulos, Bates et al. (2023), PPI; Angelopoulos, Duchi and Zrnic (2023), PPI++"
MIN_GOLD = 20  # gold records; below, coverage was not established


class _Stratum(NamedTuple):
    value: float
    centre: float
    variance: float
    df: float | None
    weight: float
    tuning: float


def tunings(judged_gold: Array, gold: Array, judged_rest: Array) -> Array:
    """λ = Cov(Y, f) / ((1 + n/N) Var f), between 0 and 1: how much the judge is listened to, for each gold
    record from the covariance of the others. Shape (n,). Var over all n + N.

    One λ from all n gold records, as published, leans on the very errors it corrects: it biased the rate by
    a quarter of its standard error for skewed scores at n = 100, and cost 2–6 points of coverage. 0 where
    the judge says the same of all, there is nothing beyond the gold, or fewer than three gold records.
    Source: Angelopoulos, Duchi and Zrnic (2023), section 6, clipped as in their ppi_py; from other records:
    Zrnic and Candès (2024).
    """
    n, rest = len(gold), len(judged_rest)
    variance = float(np.concatenate([judged_gold, judged_rest]).var())
    if not rest or n < 3 or variance < 1e-24:
        return np.zeros(n)
    products = (gold - gold.mean()) * (judged_gold - judged_gold.mean())
    covariances = (products.sum() - products * n / (n - 1)) / (n - 2)
    found: Array = np.clip(covariances / ((1 + n / rest) * variance), 0.0, 1.0)
    return found


def ppi_mean(
    judged: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    scale: Scale = (0.0, 1.0),
    strata: Ids | None = None,
    power_tuning: float | None = None,
    min_gold: int = MIN_GOLD,
    level: float = 0.95,
) -> Estimate:
    """θ = λ mean f(U) + mean(Y - λf), the mean gold value of all audited records.

    judged: f, the judge's flag (0, 1), probability or score of each audited record, shape (m,); NaN is
    unscored, and such records are left out, gold or not: θ is the mean over what the judge scored. gold: Y
    of the same records, NaN where people did not label. scale: smallest and largest possible value of both.
    strata: what the gold was sampled by; each is corrected by itself and weighted by its share of the
    audited records. power_tuning: one λ for all (0: the gold alone), None to tune it (`tunings`). n of the
    result: gold records used.

    Interval: t of the corrected mean where values are graded and not too skewed, otherwise padded with
    pseudo-observations (see `bounded`): the plain interval covers 60% for a 2% rate at 50 gold records.
    Undefined, with a reason, where a stratum has fewer than `min_gold` gold records. Raises ValueError for
    values outside the scale, lengths that differ, λ outside 0..1.
    Sources: Angelopoulos et al. (2023); padding: Agresti and Coull (1998), Bonett and Price (2012).
    """
    f, y = _within(judged, scale, "judged"), _within(gold, scale, "gold")
    m = same_length(judged=f, gold=y)
    if power_tuning is not None and not 0 <= power_tuning <= 1:
        raise ValueError(f"power_tuning: {power_tuning} is outside 0..1")
    scored = ~np.isnan(f)
    block = ranked([0] * m if strata is None else strata)
    same_length(judged=f, strata=block)
    f, y, block = f[scored], y[scored], block[scored]
    n_gold = int((~np.isnan(y)).sum())
    inputs = kept(judged=f, gold=y, strata=block, scale=scale)
    method = f"PPI++{' by strata' if strata is not None else ''}, {level:.0%} interval"
    thin = _too_thin(y, block, min_gold)
    if thin:
        return undefined(method, thin, n_gold, int(m - scored.sum()), SOURCE, inputs)
    parts = [_stratum(f[block == b], y[block == b], len(f), scale, power_tuning) for b in np.unique(block)]
    s = _together(parts)
    value = sum(part.weight * part.value for part in parts)
    unit, start = scale[1] - scale[0], scale[0]
    how = (
        f"mean λ {', '.join(f'{part.tuning:.3g}' for part in parts)}, {'padded normal' if s.padded else 't'}"
    )
    return clipped(
        start + unit * value, start + unit * s.centre, unit * s.half(level), scale, se=unit * s.se,
        level=level, n=n_gold, n_unscored=int(m - scored.sum()), method=f"{method} ({how})", source=SOURCE,
        inputs=inputs,
    )  # fmt: skip


def ppi_by_group(
    judged: npt.ArrayLike,
    gold: npt.ArrayLike,
    groups: Ids,
    labels: Sequence[Hashable],
    *,
    scale: Scale = (0.0, 1.0),
    min_gold: int = MIN_GOLD,
    level: float = 0.95,
) -> tuple[GroupRate, ...]:
    """`ppi_mean` of each group by its own gold records, in the order of `labels`; see `contrasts` for
    differences and ratios. judged of a group: mean of the judge alone, without an interval, since its
    error is not sampling error. Raises ValueError as `ppi_mean`, and for a group that is not listed."""
    f, y, of = scores(judged, "judged"), scores(gold, "gold"), codes(groups, labels, "groups")
    same_length(judged=f, gold=y, groups=of)
    return tuple(
        GroupRate(
            group=str(label),
            judged=_judged(f[of == i]),
            corrected=ppi_mean(f[of == i], y[of == i], scale=scale, min_gold=min_gold, level=level),
        )
        for i, label in enumerate(labels)
    )


def _judged(f: Array) -> Estimate:
    scored = f[~np.isnan(f)]
    method, lacking = "mean of the judge alone", len(f) - len(scored)
    if not len(scored):
        return undefined(method, "nothing was scored", 0, lacking)
    note = "not corrected: no interval"
    return Estimate(
        value=float(scored.mean()), low=None, high=None, n=len(scored), n_unscored=lacking, method=method,
        note=note,
    )  # fmt: skip


def _within(values: npt.ArrayLike, scale: Scale, name: str) -> Array:
    low, high = scale
    if not low < high:
        raise ValueError(f"scale: {low:g} is not below {high:g}")
    found = scores(values, name)
    outside = (found < low) | (found > high)
    if outside.any():
        raise ValueError(
            f"{name}: the value at position {int(outside.argmax())} is outside {low:g}..{high:g}"
        )
    return found


def _too_thin(y: Array, block: npt.NDArray[np.int64], min_gold: int) -> str:
    if not len(y):
        return "nothing was scored"
    gold = np.bincount(block, ~np.isnan(y))[np.unique(block)]
    fewest = int(gold.min())
    if fewest >= max(min_gold, 3):
        return ""
    where = "" if len(gold) == 1 else " in a stratum"
    return f"refused: {fewest} gold records{where}, {max(min_gold, 3)} are needed"


def _stratum(f: Array, y: Array, m: int, scale: Scale, wanted: float | None) -> _Stratum:
    """One stratum on a 0–1 scale."""
    f, y = (f - scale[0]) / (scale[1] - scale[0]), (y - scale[0]) / (scale[1] - scale[0])
    known = ~np.isnan(y)
    rest, own, true = f[~known], f[known], y[known]
    shares = tunings(own, true, rest) if wanted is None else np.full(len(own), wanted if len(rest) else 0.0)
    share = float(shares.mean())
    middle = float(rest.mean()) if len(rest) else 0.0
    # Mean of λf(U) + (Y - λf), with f taken from its middle so that flags may be turned round.
    corrected = true - shares * (own - middle)
    ends = np.array([0.0, 0.0, 1.0, 1.0]) - share * (np.array([0.0, 1.0, 0.0, 1.0]) - middle)
    yes_no = bool(((true == 0) | (true == 1)).all())
    s = spread(corrected, ends, two_valued=yes_no, fitted=2 if wanted is None and share else 1)
    variance = s.se**2 + (share**2 * float(f.var()) / len(rest) if len(rest) else 0.0)
    return _Stratum(float(corrected.mean()), s.centre, variance, s.df, len(f) / m, share)


def _together(parts: Sequence[_Stratum]) -> Spread:
    variance = sum(part.weight**2 * part.variance for part in parts)
    centre = sum(part.weight * part.centre for part in parts)
    dfs = [part.df for part in parts]
    df: float | None = None
    if all(value is not None for value in dfs):
        below = sum((p.weight**2 * p.variance) ** 2 / p.df for p in parts if p.df is not None)
        df = variance**2 / below if below > 0 else None
    return Spread(centre, math.sqrt(variance), df)
