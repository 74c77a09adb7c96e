"""Rates of one group, their ratios and their differences."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Codes, kept, undefined, untestable

RateTest = Literal["auto", "pearson", "fisher"]
WILSON = "Wilson 95% interval"
WILSON_SOURCE = "Wilson (1927)"


def rate(successes: int, n: int, n_unscored: int = 0) -> Estimate:
    """A proportion with its Wilson 95% interval; undefined at n = 0. Raises ValueError unless
    0 <= successes <= n.

    Source: Wilson (1927), through statsmodels' proportion_confint.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    inputs = kept(successes=successes, n=n)
    if n == 0:
        return undefined(WILSON, "nothing was scored", 0, n_unscored, WILSON_SOURCE, inputs)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, method="wilson")
    return Estimate(
        value=successes / n,
        low=0.0 if successes == 0 else float(low),  # exact at the ends, where rounding would leave 1e-17
        high=1.0 if successes == n else float(high),
        n=n,
        n_unscored=n_unscored,
        method=WILSON,
        source=WILSON_SOURCE,
        inputs=inputs,
    )


def clustered_rate(events: npt.ArrayLike, cluster: Codes, n_unscored: int = 0) -> Estimate:
    """A proportion of units that come in clusters (templates), shape (n,) of 0 and 1 with the cluster's
    number: Wilson's interval with n over the design effect, the cluster-robust variance over the binomial
    one, at least 1. With each unit its own cluster this is `rate`.
    Sources: Wilson (1927), Kish (1965)."""
    values = np.asarray(events, dtype=np.float64)
    n, k = len(values), int(values.sum())
    plain = rate(k, n, n_unscored)
    clusters = np.unique(cluster, return_inverse=True)[1]
    count = int(clusters.max(initial=-1)) + 1
    if n == 0 or count == n or count < 2 or k in (0, n):
        return plain
    spread = count / (count - 1) * float((np.bincount(clusters, values - k / n) ** 2).sum()) / n**2
    effect = max(1.0, spread / (k / n * (1 - k / n) / n))
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(k / effect, n / effect, method="wilson")
    return plain.model_copy(
        update={"low": float(low), "high": float(high), "method": f"{WILSON}, design effect {effect:.2f}"}
    )


def risk_ratio(k: int, n: int, k0: int, n0: int, level: float = 0.95, n_unscored: int = 0) -> Estimate:
    """Rate k/n over rate k0/n0, independent groups; Katz' interval on the log scale. `se` is that of the log.

    With a zero count the log is infinite: the bounds are then those of the score interval (Koopman 1984), and
    None where they are infinite. Undefined without units in either group, or where the lower rate is 0/n0 and
    the upper one too. n counts both groups. Raises ValueError for impossible counts.
    Source: Katz et al. (1978).
    """
    _check(k, n, k0, n0)
    method, source = f"risk ratio, {level:.0%} log interval", "Katz et al. (1978)"
    inputs = kept(k=k, n=n, k0=k0, n0=n0)
    if min(n, n0) == 0 or k0 == 0:
        note = "nothing was scored in one group" if min(n, n0) == 0 else "the rate to divide by is 0"
        return undefined(method, note, n + n0, n_unscored, source, inputs)
    value = (k / n) / (k0 / n0)
    if k == 0:
        high = _score_bound(k, n, k0, n0, level)
        note = "no event in one group: upper bound by the score interval"
        return Estimate(
            value=0.0, low=0.0, high=high, level=level, n=n + n0, n_unscored=n_unscored, note=note,
            method=f"risk ratio, {level:.0%} score interval", source="Koopman (1984)", inputs=inputs,
        )  # fmt: skip
    se = math.sqrt(1 / k - 1 / n + 1 / k0 - 1 / n0)
    half = _z(level) * se
    return Estimate(
        value=value, low=value * math.exp(-half), high=value * math.exp(half), level=level, se=se, n=n + n0,
        n_unscored=n_unscored, method=method, source=source, inputs=inputs,
    )  # fmt: skip


def rate_difference(k: int, n: int, k0: int, n0: int, level: float = 0.95, n_unscored: int = 0) -> Estimate:
    """Rate k/n less rate k0/n0, independent groups; Newcombe's hybrid score interval. `se` is the plain one
    of rates moved by half an event, so that a rate of 0 or 1 claims no certainty. n counts both groups.
    Undefined without units in either group. Raises ValueError for impossible counts.
    Source: Newcombe (1998), method 10, through statsmodels.
    """
    _check(k, n, k0, n0)
    method, source = f"difference of rates, {level:.0%} hybrid score interval", "Newcombe (1998)"
    inputs = kept(k=k, n=n, k0=k0, n0=n0)
    if min(n, n0) == 0:
        return undefined(method, "nothing was scored in one group", n + n0, n_unscored, source, inputs)
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(
        k, n, k0, n0, compare="diff", method="newcomb", alpha=1 - level, correction=False
    )
    return Estimate(
        value=k / n - k0 / n0, low=float(low), high=float(high), level=level,
        se=math.sqrt(smoothed_variance(k, n) + smoothed_variance(k0, n0)), n=n + n0, n_unscored=n_unscored,
        method=method, source=source, inputs=inputs,
    )  # fmt: skip


def smoothed_variance(k: int, n: int) -> float:
    """Sampling variance of k/n at the rate (k + 1/2)/(n + 1): never 0, however one-sided the sample."""
    p = (k + 0.5) / (n + 1)
    return p * (1 - p) / n


def compare_rates(
    k: int, n: int, k0: int, n0: int, n_unscored: int = 0, method: RateTest = "auto"
) -> Significance:
    """Test of equal rates. method: "pearson", "fisher", or "auto": Pearson's chi-square where every expected
    count is 5 or more, else Fisher's exact test, which is conservative. Undefined without units in either
    group; p = 1 where all or none have the event.
    Sources: Pearson (1900), Fisher (1935); the rule: Cochran (1954)."""
    _check(k, n, k0, n0)
    inputs, total = kept(k=k, n=n, k0=k0, n0=n0), n + n0
    if min(n, n0) == 0:
        note = "nothing was scored in one group"
        return untestable("test of equal rates", note, total, n_unscored, "", inputs)
    from scipy import stats

    statistic: float | None
    smallest = min(n, n0) * min(k + k0, total - k - k0) / total
    varies = 0 < k + k0 < total
    if varies and (method == "pearson" or (method == "auto" and smallest >= 5)):
        z = (k / n - k0 / n0) / math.sqrt((k + k0) * (total - k - k0) / total**2 * (1 / n + 1 / n0))
        name, source, statistic, p = (
            "Pearson's chi-square",
            "Pearson (1900)",
            z**2,
            2 * stats.norm.sf(abs(z)),
        )
    else:
        found = stats.fisher_exact([[k, n - k], [k0, n0 - k0]])
        odds = float(found.statistic)
        statistic = odds if math.isfinite(odds) else None
        name, source, p = "Fisher's exact test", "Fisher (1935)", found.pvalue
    return Significance(
        statistic=statistic, p=min(float(p), 1.0), n=total, n_unscored=n_unscored, method=name,
        source=source, inputs=inputs,
    )  # fmt: skip


def _check(k: int, n: int, k0: int, n0: int) -> None:
    if not (0 <= k <= n and 0 <= k0 <= n0):
        raise ValueError(f"{k} events of {n} and {k0} of {n0}")


def _z(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _score_bound(k: int, n: int, k0: int, n0: int, level: float) -> float | None:
    from statsmodels.stats.proportion import confint_proportions_2indep

    bounds = confint_proportions_2indep(k, n, k0, n0, compare="ratio", method="score", alpha=1 - level)
    return float(bounds[1]) if math.isfinite(bounds[1]) else None
