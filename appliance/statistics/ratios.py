"""Ratios of two rates."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, undefined

KATZ_SOURCE = "Katz et al. (1978)"
MOVER_SOURCE = "Katz et al. (1978), Donner and Zou (2012)"
FEW = 5


def risk_ratio(k: int, n: int, k0: int, n0: int, level: float = 0.95, n_unscored: int = 0) -> Estimate:
    """Rate k/n over rate k0/n0, independent groups; Katz' interval on the log scale. `se` is that of the log.

    Where a group has fewer than five units with the event, or without, Katz' interval covers as little as
    88%, and where all have it it has no width: the bounds are then the wider of Katz' (where it exists) and
    that of the two Wilson intervals joined (MOVER). Undefined without units in either group, or where the
    rate to divide by is 0. n counts both groups. Raises ValueError for impossible counts.
    Sources: Katz et al. (1978), Donner and Zou (2012).
    """
    if not (0 <= k <= n and 0 <= k0 <= n0):
        raise ValueError(f"{k} events of {n} and {k0} of {n0}")
    method, source = f"risk ratio, {level:.0%} log interval", KATZ_SOURCE
    inputs = kept(k=k, n=n, k0=k0, n0=n0)
    if min(n, n0) == 0 or k0 == 0:
        note = "nothing was scored in one group" if min(n, n0) == 0 else "the rate to divide by is 0"
        return undefined(method, note, n + n0, n_unscored, source, inputs)
    value, se = (k / n) / (k0 / n0), None
    low, high = math.inf, 0.0
    if k:
        se = math.sqrt(1 / k - 1 / n + 1 / k0 - 1 / n0)
        half = float(ndtri((1 + level) / 2)) * se
        low, high = value * math.exp(-half), value * math.exp(half)
    few = min(k, n - k, k0, n0 - k0) < FEW
    if few:
        joined = _mover(k, n, k0, n0, level)
        low, high = min(low, joined[0]), max(high, joined[1])
        method, source = f"risk ratio, {level:.0%} log or MOVER interval, the wider", MOVER_SOURCE
    return Estimate(
        value=value, low=low, high=high, level=level, se=se or None, n=n + n0, n_unscored=n_unscored,
        method=method, source=source, note="few events: interval widened" if few else "", inputs=inputs,
    )  # fmt: skip


def clustered_risk_ratio(
    k: Array, n: Array, k0: Array, n0: Array, level: float = 0.95, n_unscored: int = 0
) -> Estimate:
    """Ratio of two rates over the same clusters (templates): events and units of each cluster on either
    side, shape (clusters,) each. t interval of the log with clusters - 1 degrees, cluster-robust, so that
    what both sides share in a template cancels out; never narrower than `risk_ratio`'s, since a robust error
    covers too little where events are few. Undefined as `risk_ratio`; no interval, with a note, for fewer
    than two clusters.
    Sources: Liang and Zeger (1986), Katz et al. (1978).
    """
    total = [int(each.sum()) for each in (k, n, k0, n0)]
    plain = risk_ratio(total[0], total[1], total[2], total[3], level, n_unscored)
    used = int(((n + n0) > 0).sum())
    if plain.value is None or used == total[1] + total[3]:
        return plain
    if used < 2:
        note = "fewer than two clusters: no interval"
        return plain.model_copy(update={"low": None, "high": None, "se": None, "note": note})
    if total[0] == 0 or plain.low is None or plain.high is None:
        return plain
    p, p0 = total[0] / total[1], total[2] / total[3]
    parts = (k - p * n) / total[0] - (k0 - p0 * n0) / total[2]
    se = math.sqrt(used / (used - 1) * float((parts**2).sum()))
    half = float(stdtrit(used - 1, (1 + level) / 2)) * se
    return plain.model_copy(
        update={
            "low": min(plain.low, plain.value * math.exp(-half)),
            "high": max(plain.high, plain.value * math.exp(half)),
            "se": max(se, plain.se or 0.0) or None,
            "method": f"risk ratio, {level:.0%} log interval, cluster-robust or plain, the wider",
            "source": f"Liang and Zeger (1986); {plain.source}",
            "inputs": kept(k=k, n=n, k0=k0, n0=n0),
        }
    )


def _mover(k: int, n: int, k0: int, n0: int, level: float) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    (l1, l2), (u1, u2) = proportion_confint(np.array([k, k0]), np.array([n, n0]), 1 - level, "wilson")
    p, q = k / n, k0 / n0
    below = max((p * q) ** 2 - l1 * u2 * (2 * p - l1) * (2 * q - u2), 0.0)
    above = max((p * q) ** 2 - u1 * l2 * (2 * p - u1) * (2 * q - l2), 0.0)
    low, high = (p * q - below**0.5) / (u2 * (2 * q - u2)), (p * q + above**0.5) / (l2 * (2 * q - l2))
    return max(0.0, float(low)), float(high)
