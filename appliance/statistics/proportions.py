"""Rates of one group, and differences of two."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Codes, kept, undefined, untestable

RateTest = Literal["auto", "pearson", "fisher", "boschloo"]
WILSON = "Wilson 95% interval"
WILSON_SOURCE = "Wilson (1927)"
PEARSON = "Pearson's chi-square"


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
    low, high = _wilson(successes / n, n)
    return Estimate(
        value=successes / n,
        low=low,
        high=high,
        n=n,
        n_unscored=n_unscored,
        method=WILSON,
        source=WILSON_SOURCE,
        inputs=inputs,
    )


def clustered_rate(events: npt.ArrayLike, cluster: Codes, n_unscored: int = 0) -> Estimate:
    """A proportion of units that come in clusters (templates), shape (n,) of 0 and 1 with the cluster's
    number: Wilson's interval with n over the design effect, the cluster-robust variance over the binomial
    one, at least 1, and t with clusters - 1 degrees in place of the normal. Each unit a cluster: `rate`.

    Where all or none have the event no design effect can be seen, and each cluster counts as one unit. No
    interval, with a note, for a single cluster of several units.
    Sources: Wilson (1927), Kish (1965), Korn and Graubard (1998)."""
    values = np.asarray(events, dtype=np.float64)
    clusters = np.unique(cluster, return_inverse=True)[1]
    return rate_over_clusters(np.bincount(clusters, values), np.bincount(clusters), n_unscored)


def rate_over_clusters(events: npt.ArrayLike, units: npt.ArrayLike, n_unscored: int = 0) -> Estimate:
    """`clustered_rate` of clusters counted already: events and units of each, shape (clusters,)."""
    k, n = np.asarray(events, dtype=np.float64), np.asarray(units, dtype=np.float64)
    k, n = k[n > 0], n[n > 0]
    count, total = len(n), int(n.sum())
    plain = rate(int(k.sum()), total, n_unscored)
    if plain.value is None or count == total:
        return plain
    if count < 2:
        return plain.model_copy(
            update={"low": None, "high": None, "note": "one cluster: how clusters vary is not known"}
        )
    effective, note, p = float(count), "nothing varies: every cluster counts as one unit", plain.value
    if 0 < p < 1:
        spread = count / (count - 1) * float(((k - p * n) ** 2).sum()) / total**2
        effect = max(1.0, spread / (p * (1 - p) / total))
        effective, note = total / effect * (ndtri(0.975) / stdtrit(count - 1, 0.975)) ** 2, ""
    low, high = _wilson(p, effective)
    method = f"{WILSON}, {count} clusters, effective n {effective:.1f}"
    return plain.model_copy(update={"low": low, "high": high, "method": method, "note": note})


def _wilson(p: float, n: float) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(p * n, n, method="wilson")
    # Exact at the ends, where rounding would leave 1e-17.
    return 0.0 if p == 0 else float(low), 1.0 if p == 1 else float(high)


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
    """Test of equal rates. method: "pearson", "fisher", "boschloo" (exact, stronger than Fisher's and
    slow above some 100 units), or "auto": Pearson's chi-square where every expected count is 5 or more, else
    Fisher's exact test, which is conservative. Undefined without units in either
    group; p = 1 where all or none have the event.
    Sources: Pearson (1900), Fisher (1935), Boschloo (1970); the rule: Cochran (1954)."""
    _check(k, n, k0, n0)
    inputs, total = kept(k=k, n=n, k0=k0, n0=n0), n + n0
    if min(n, n0) == 0:
        note = "nothing was scored in one group"
        return untestable("test of equal rates", note, total, n_unscored, "", inputs)
    from scipy import stats

    smallest = min(n, n0) * min(k + k0, total - k - k0) / total
    varies = 0 < k + k0 < total
    if method == "auto":
        method = "pearson" if smallest >= 5 else "fisher"
    statistic: float | None = None
    if not varies:
        name, source, p = "test of equal rates, nothing varies", "Fisher (1935)", 1.0
    elif method == "pearson":
        z = (k / n - k0 / n0) / math.sqrt((k + k0) * (total - k - k0) / total**2 * (1 / n + 1 / n0))
        name, source, statistic, p = PEARSON, "Pearson (1900)", z**2, 2 * stats.norm.sf(abs(z))
    elif method == "boschloo":
        found = stats.boschloo_exact([[k, k0], [n - k, n0 - k0]])
        name, source, p = "Boschloo's exact test", "Boschloo (1970)", found.pvalue
    else:
        found = stats.fisher_exact([[k, n - k], [k0, n0 - k0]])
        statistic = float(found.statistic) if math.isfinite(found.statistic) else None
        name, source, p = "Fisher's exact test", "Fisher (1935)", found.pvalue
    return Significance(
        statistic=statistic, p=min(float(p), 1.0), n=total, n_unscored=n_unscored, method=name,
        source=source, inputs=inputs,
    )  # fmt: skip


def equivalent_rates(k: int, n: int, k0: int, n0: int, margin: float, n_unscored: int = 0) -> Significance:
    """Two one-sided score tests of |rate - rate0| < margin, independent groups; p is the larger.

    Variances are those of the rates that fit a difference of just the margin best. TOST with the sample's own
    variance errs for rare events: a rate of 12% seen as 6% in 50 also looks more precise than it is, and 13%
    of such groups pass against a 2% reference at a margin of 10 points. Undefined without units in either
    group. Raises ValueError for impossible counts and a margin outside 0..1.
    Source: Farrington and Manning (1990).
    """
    _check(k, n, k0, n0)
    if not 0 < margin < 1:
        raise ValueError(f"margin: {margin} is not between 0 and 1")
    name, source = f"score TOST within ±{margin:g}", "Farrington and Manning (1990)"
    inputs = kept(k=k, n=n, k0=k0, n0=n0, margin=margin)
    if min(n, n0) == 0:
        return untestable(name, "nothing was scored in one group", n + n0, n_unscored, source, inputs)
    above, below = (_score_z(k, n, k0, n0, d) for d in (-margin, margin))
    p_above, p_below = float(ndtr(-above)), float(ndtr(below))
    return Significance(
        statistic=above if p_above > p_below else below, p=max(p_above, p_below), alternative="less",
        n=n + n0, n_unscored=n_unscored, method=name, source=source, inputs=inputs,
    )  # fmt: skip


def _score_z(k: int, n: int, k0: int, n0: int, difference: float) -> float:
    """(p - p0 - difference) over its standard error at the most likely rates that differ by `difference`.
    statsmodels' closed form of those fails for rates near 0."""
    from scipy.optimize import brentq

    def slope(p0: float) -> float:
        p = p0 + difference
        return k / p - (n - k) / (1 - p) + k0 / p0 - (n0 - k0) / (1 - p0)

    least, most = max(0.0, -difference) + 1e-12, min(1.0, 1.0 - difference) - 1e-12
    p0 = least if slope(least) <= 0 else most if slope(most) >= 0 else brentq(slope, least, most, xtol=1e-14)
    p = p0 + difference
    return (k / n - k0 / n0 - difference) / math.sqrt(p * (1 - p) / n + p0 * (1 - p0) / n0)


def _check(k: int, n: int, k0: int, n0: int) -> None:
    if not (0 <= k <= n and 0 <= k0 <= n0):
        raise ValueError(f"{k} events of {n} and {k0} of {n0}")
