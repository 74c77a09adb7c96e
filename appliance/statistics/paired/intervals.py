"""Mean of paired differences, with intervals."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtrit

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, undefined
from appliance.statistics.paired.pairs import Pairs
from appliance.statistics.paired.tests import CLUSTER_SOURCE, mean_and_error
from appliance.statistics.resampling import RESAMPLES, bootstrap

Method = Literal["t", "bca", "expanded bca"]


def mean_difference(
    pairs: Pairs,
    level: float = 0.95,
    method: Method = "t",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean of x - y. method "t": the t interval, with clusters the cluster-robust one of
    `tests.mean_and_error`. "bca": bias-corrected and accelerated bootstrap over clusters, "expanded bca": the
    same at a level that makes up for the missing n/(n-1) and for t. On 1–5 scores half of which tie these
    cover 90% and 92% at 20 pairs, 92% and 93% at 50, so "t" (94–96%) is the one to report.

    No interval, with a note, for fewer than two clusters and where differences do not vary: a spread of
    zero among few is no knowledge of the spread.
    Sources: Student (1908), Bell and McCaffrey (2002), Efron (1987), Hesterberg (2015).
    """
    how = "cluster-robust t" if pairs.clustered else "t"
    source = CLUSTER_SOURCE if pairs.clustered else "Student (1908)"
    if method != "t":
        how = f"{method.replace('bca', 'BCa')} bootstrap over clusters"
        source = "Efron (1987)" if method == "bca" else "Efron (1987), Hesterberg (2015)"
    name = f"mean difference, {level:.0%} {how}"
    if not pairs.n:
        return undefined(name, "no complete pair", 0, pairs.n_unscored, source, pairs.inputs)
    value, low, high, se = math.fsum(pairs.differences) / pairs.n, None, None, None
    if len(pairs.cluster_sizes) < 2:
        note = "fewer than two clusters of pairs: no interval"
    else:
        value, spread, df = mean_and_error(pairs)
        se = spread if spread > 0 else None
        note = "" if se else "the differences do not vary: no interval"
        if se and method == "t":
            half = float(stdtrit(df, (1 + level) / 2)) * se
            low, high = value - half, value + half
    if se and method != "t":
        wide = _expanded(level, len(pairs.cluster_sizes)) if method == "expanded bca" else level
        low, high, note = bootstrap(
            _parts(pairs), _mean, level=wide, method="bca", resamples=resamples, seed=seed
        )
    return Estimate(
        value=value, low=low, high=high, level=level, se=se, n=pairs.n, n_unscored=pairs.n_unscored,
        method=name, source=source, note=note, inputs=pairs.inputs,
    )  # fmt: skip


def _expanded(level: float, k: int) -> float:
    """Of k clusters, the normal level that is as wide as t at `level`; at most what 2,000 resamples can tell.
    Source: Hesterberg (2015)."""
    return min(2 * float(ndtr((k / (k - 1)) ** 0.5 * stdtrit(k - 1, (1 + level) / 2))) - 1, 0.999)


def _parts(pairs: Pairs) -> Array:
    return np.stack([pairs.cluster_sums, pairs.cluster_sizes], axis=1)


def _mean(sums: Array) -> Array:
    found: Array = sums[:, 0] / sums[:, 1]
    return found
