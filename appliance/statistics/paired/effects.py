"""Effect sizes of paired differences, each with the field's word for its size."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import gammaln

from appliance.domain.estimates import EffectSize
from appliance.statistics.arrays import Array, undefined_effect
from appliance.statistics.paired.net import interpret, net_share
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.tests import signed_ranks
from appliance.statistics.resampling import Interval, bootstrap

COHEN_BOUNDS = (0.2, 0.5, 0.8)  # Cohen (1988), for d
RANK_BOUNDS = (0.1, 0.3, 0.5)  # Cohen (1988), for correlations
MOST_LEVELS = 400  # different differences up to which ranks are resampled
D_SOURCE = "Cohen (1988); Lakens (2013)"
RANK_SOURCE = "Kerby (2014)"

Standardiser = Literal["z", "av"]


def cohen_d(pairs: Pairs, standardiser: Standardiser = "z", level: float = 0.95) -> EffectSize:
    """Mean difference over a standard deviation: of the differences (d_z), or the root of the mean of the
    two sides' variances (d_av), which does not grow as the two sides correlate more.

    d_z of independent pairs has the exact interval of the noncentral t; the others a BCa bootstrap over
    clusters, which is short for fewer than some 30. Undefined where the standardiser is 0.
    Sources: Cohen (1988), Lakens (2013).
    """
    name = f"Cohen's d_{standardiser}"
    if pairs.n < 2:
        return _undefined(name, "fewer than two complete pairs", D_SOURCE, pairs)
    parts = _moments(pairs)
    total = parts.sum(axis=0, keepdims=True)
    statistic = _d_z if standardiser == "z" else _d_av
    value = float(statistic(total)[0])
    if np.isnan(value):
        what = "the differences do not vary" if standardiser == "z" else "neither side varies"
        return _undefined(name, what, D_SOURCE, pairs)
    if standardiser == "z" and not pairs.clustered:
        interval, how = _noncentral(value, pairs.n, level), "noncentral t"
    else:
        interval, how = bootstrap(parts, statistic, level=level, method="bca"), "BCa bootstrap"
    return _made(f"{name}, {level:.0%} {how}", value, interval, level, COHEN_BOUNDS, D_SOURCE, pairs)


def hedges_correction(df: float) -> float:
    """J = Γ(df/2) / (√(df/2) Γ((df-1)/2)), which takes the small-sample bias from d; df > 1.
    Source: Hedges (1981)."""
    return float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))


def hedges_g(pairs: Pairs, standardiser: Standardiser = "z", level: float = 0.95) -> EffectSize:
    """Cohen's d times J, df = n - 1, its interval likewise. Undefined for fewer than three pairs.
    Source: Hedges (1981)."""
    d = cohen_d(pairs, standardiser, level)
    name = f"Hedges' g_{standardiser}"
    if d.value is None or pairs.n < 3:
        return _undefined(name, d.note or "fewer than three complete pairs", "Hedges (1981)", pairs)
    j = hedges_correction(pairs.n - 1)
    low, high = (None if bound is None else j * bound for bound in (d.low, d.high))
    interval = Interval(low, high, d.note)
    method = d.method.replace("Cohen's d", "Hedges' g")
    return _made(method, j * d.value, interval, level, COHEN_BOUNDS, "Hedges (1981)", pairs)


def rank_biserial(pairs: Pairs, level: float = 0.95) -> EffectSize:
    """(R+ - R-) / (R+ + R-), zeros dropped: positive when x > y. It looks large when ties dominate, so it
    is never shown without the net difference. Undefined where all differences are zero.
    Interval: percentile bootstrap over clusters. Source: Kerby (2014)."""
    name = "matched-pairs rank-biserial correlation"
    if not pairs.differences.any():
        note = "all differences are zero" if pairs.n else "no complete pair"
        return _undefined(name, note, RANK_SOURCE, pairs)
    plus, minus, _ = signed_ranks(pairs.differences, "wilcox")
    interval = _rank_interval(pairs, level)
    value = (plus - minus) / (plus + minus)
    method = f"{name}, {level:.0%} percentile bootstrap"
    return _made(method, value, interval, level, RANK_BOUNDS, RANK_SOURCE, pairs)


def net_difference(pairs: Pairs, level: float = 0.95) -> EffectSize:
    """P(d > 0) - P(d < 0) over all pairs, ties and zeros included. See `net.net_share`; with clusters the
    interval is that of the mean sign, cluster-robust t."""
    signs = np.sign(pairs.differences)
    plus, minus = int((signs > 0).sum()), int((signs < 0).sum())
    plain = net_share(plus, minus, pairs.n, pairs.n_unscored, level)
    if not pairs.clustered:
        return plain
    from appliance.statistics.paired.intervals import mean_difference

    mean = mean_difference(Pairs(signs, np.zeros(pairs.n), pairs.cluster), level)
    bounds = {"low": mean.low, "high": mean.high, "se": mean.se, "note": mean.note}
    return plain.model_copy(update={**bounds, "method": f"net difference, {mean.method.split(', ', 1)[1]}"})


def _moments(pairs: Pairs) -> Array:
    """Per cluster: n, Σd, Σd², Σx, Σx², Σy, Σy², about the means so that squares do not cancel."""
    d, x, y = pairs.differences, pairs.x - pairs.x.mean(), pairs.y - pairs.y.mean()
    columns = (np.ones(pairs.n), d, d**2, x, x**2, y, y**2)
    k = len(pairs.cluster_sums)
    return np.stack([np.bincount(pairs.cluster, column, minlength=k) for column in columns], axis=1)


def _variance(n: Array, first: Array, second: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = (second - first**2 / n) / (n - 1)
    return np.where(found > 1e-12 * np.maximum(second, 1e-300), found, 0.0)


def _d_z(sums: Array) -> Array:
    n, d, dd = sums[:, 0], sums[:, 1], sums[:, 2]
    return _ratio(d / n, np.sqrt(_variance(n, d, dd)))


def _d_av(sums: Array) -> Array:
    n, d, _, x, xx, y, yy = sums.T
    return _ratio(d / n, np.sqrt((_variance(n, x, xx) + _variance(n, y, yy)) / 2))


def _ratio(above: Array, below: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.where(below > 0, above / below, np.nan)
    return found


def _noncentral(d: float, n: int, level: float) -> Interval:
    """Bounds of the noncentrality whose t distribution has the observed t at its tails, over √n."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    t, df, root = abs(d) * n**0.5, n - 1, n**0.5

    def bound(tail: float) -> float:
        def apart(delta: float) -> float:
            below = float(nct.cdf(t, df, delta))
            # Far in a tail the series underflows to NaN: then all of the mass lies on one side.
            return (float(delta < t) if np.isnan(below) else below) - tail

        found: float = brentq(apart, -10 - t, 10 + 3 * t) / root
        return found

    low, high = bound((1 + level) / 2), bound((1 - level) / 2)
    return Interval(low, high) if d >= 0 else Interval(-high, -low)


def _rank_interval(pairs: Pairs, level: float) -> Interval:
    """Mid-ranks follow from how often each difference occurs, so resampling counts is enough."""
    sizes, place = np.unique(np.abs(pairs.differences), return_inverse=True)
    if len(sizes) > MOST_LEVELS:
        return Interval(None, None, f"more than {MOST_LEVELS} different differences: no interval")
    k, q = len(pairs.cluster_sums), len(sizes)
    parts = np.zeros((k, 2, q))
    np.add.at(parts, (pairs.cluster, (pairs.differences < 0).astype(int), place), 1)
    parts[:, :, sizes == 0] = 0

    def statistic(counts: Array) -> Array:
        both = counts.sum(axis=1)
        ranks = np.cumsum(both, axis=1) - (both - 1) / 2
        plus, minus = (counts[:, 0] * ranks).sum(axis=1), (counts[:, 1] * ranks).sum(axis=1)
        return _ratio(plus - minus, plus + minus)

    return bootstrap(parts, statistic, level=level)


def _made(
    method: str, value: float, interval: Interval, level: float, bounds: tuple[float, float, float],
    source: str, pairs: Pairs,
) -> EffectSize:  # fmt: skip
    return EffectSize(
        value=value,
        low=interval.low,
        high=interval.high,
        level=level,
        interpretation=interpret(value, bounds),
        n=pairs.n,
        n_unscored=pairs.n_unscored,
        method=method,
        source=source,
        note=interval.note,
        inputs=pairs.inputs,
    )


def _undefined(method: str, note: str, source: str, pairs: Pairs) -> EffectSize:
    return undefined_effect(method, note, pairs.n, pairs.n_unscored, source, pairs.inputs)
