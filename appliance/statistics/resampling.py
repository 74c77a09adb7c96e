"""Bootstrap over clusters for statistics of sums.

Most statistics of an audit (means, rates, their ratios, kappa) are functions of sums over units. Resampling
whole clusters then means adding up the clusters' parts again, and clusters with equal parts can be drawn
together: 100,000 records with one of 25 pairs of labels each are one multinomial draw over 25 patterns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from appliance.statistics.arrays import Array, Codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RESAMPLES = 2000
# Up to this many different patterns one multinomial draw is the fastest; above, drawing indices is.
FEW_PATTERNS = 4096

Statistic = Callable[[Array], Array]
Method = Literal["percentile", "bca"]


class Interval(NamedTuple):
    """Both bounds, or neither and the reason."""

    low: float | None
    high: float | None
    note: str = ""


def cluster_sums(values: Array, cluster: Codes) -> Array:
    """Sums of `values` (n,) or (n, ...) over each cluster, shape (k, ...)."""
    found = np.zeros((int(cluster.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(found, cluster, values)
    return found


def bootstrap(
    parts: Array | csr_array,
    statistic: Statistic,
    *,
    counts: Codes | None = None,
    level: float = 0.95,
    method: Method = "percentile",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Interval of statistic(sum of parts) when whole clusters are drawn with replacement.

    parts: shape (clusters, ...), what each cluster adds. statistic: sums of shape (r, ...) to values of
    shape (r,), NaN where undefined. The order of clusters does not matter; the seed fixes the draws.
    counts: how many clusters each row of `parts` stands for, where the caller has counted equal clusters
    already; then the order of rows must not depend on that of the clusters. Only then may `parts` be sparse.
    No interval, with a note, for fewer than two clusters, where half of the draws are undefined, and where
    nothing varies: equal bounds would claim certainty where resampling merely has nothing to vary.
    Sources: Efron (1979); BCa: Efron (1987); whole clusters: Davison and Hinkley (1997), section 3.8.
    """
    shape = parts.shape[1:]
    if counts is None:
        parts, counts = np.unique(parts.reshape(len(parts), math.prod(shape)), axis=0, return_counts=True)
    if counts.sum() < 2:
        return Interval(None, None, "fewer than two clusters: no interval")
    values = statistic(_draw(parts, counts, resamples, seed).reshape(resamples, *shape))
    defined = values[~np.isnan(values)]
    if len(defined) <= resamples / 2:
        return Interval(None, None, "undefined in half of the resamples: no interval")
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        total = counts @ parts
        point = float(statistic(total.reshape(1, *shape))[0])
        left_out = statistic((total - parts).reshape(-1, *shape))
        tails = bca_tails(point, defined, left_out, counts.astype(float), tails)
    low, high = np.quantile(defined, tails)
    if not high - low > 1e-12:
        return Interval(None, None, "all units are alike: no interval")
    lost = resamples - len(defined)
    note = f"undefined in {lost} of {resamples} resamples, which were left out" if lost else ""
    return Interval(float(low), float(high), note)


def _draw(patterns: Array | csr_array, counts: Codes, resamples: int, seed: int) -> Array:
    """Sums over as many clusters as there are, drawn with replacement, shape (resamples, width)."""
    rng = np.random.default_rng(seed)
    k = int(counts.sum())
    if patterns.shape[0] <= FEW_PATTERNS:
        drawn: Array = rng.multinomial(k, counts / k, size=resamples).astype(float) @ patterns
        return drawn
    sums = np.empty((resamples, patterns.shape[1]))
    each = np.repeat(np.arange(len(counts)), counts)
    for i in range(resamples):
        times = np.bincount(each[rng.integers(0, k, k)], minlength=len(counts))
        sums[i] = times @ patterns
    return sums


def bca_tails(point: float, draws: Array, left_out: Array, weights: Array, tails: Array) -> Array:
    """Tail probabilities corrected for bias and skewness; the plain ones where a correction is undefined.

    left_out: the statistic with one unit of each kind left out; weights: how many units are of that kind.
    Source: Efron (1987).
    """
    below = (np.sum(draws < point) + 0.5 * np.sum(draws == point)) / len(draws)
    usable = ~np.isnan(left_out)
    if not 0 < below < 1 or not usable.any():
        return tails
    left_out, weights = left_out[usable], weights[usable]
    away = np.average(left_out, weights=weights) - left_out
    spread = float(weights @ away**2)
    acceleration = float(weights @ away**3) / (6 * spread**1.5) if spread > 0 else 0.0
    bias, z = ndtri(below), ndtri(tails)
    corrected: Array = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
    return corrected
