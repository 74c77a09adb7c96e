"""Paired means: power, sample size, smallest detectable effect; with repeats and in clusters.

An interaction contrast of each template is such a mean too: n counts templates, sd is of the contrasts.
"""

from __future__ import annotations

import math

import numpy as np

from appliance.statistics.power.planned import Planned, crossing, detectable_ratio, quantiles

T_SOURCE = "Cohen (1988), noncentral t"
MILLER_SOURCE = "Miller (2024)"


def paired_power(d: float, n: float, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Probability that a two-sided paired t-test of n pairs shows a standardised difference d (d_z).
    Raises ValueError for a d that is not finite."""
    quantiles(alpha, tests, 0.8)
    _finite(d)
    return Planned(
        value=_t_power(d, n, alpha / tests), unit="probability", alpha=alpha, tests=tests,
        method=f"paired t-test, d {d:g}, n {n:g}", source=T_SOURCE,
    )  # fmt: skip


def paired_n(d: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Number of pairs (not rounded) with which a paired t-test shows d. Undefined for d = 0 and beyond a
    billion pairs. Raises ValueError for a d that is not finite."""
    quantiles(alpha, tests, power)
    _finite(d)
    found = crossing(lambda n: _t_power(d, n, alpha / tests) - power, 2.0001, 1e9) if d else None
    return Planned(
        value=found, unit="pairs", power=power, alpha=alpha, tests=tests, method=f"paired t-test, d {d:g}",
        source=T_SOURCE, note="" if found else "more than a billion pairs" if d else "no number shows 0",
    )  # fmt: skip


def paired_mde(n: int, sd: float = 1.0, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Smallest mean difference that n pairs show, sd: standard deviation of the differences (1: in d_z)."""
    quantiles(alpha, tests, power)
    found = detectable_ratio(alpha / tests, power, n - 1) / math.sqrt(n) * sd if n > 1 else None
    return Planned(
        value=found, unit="mean difference", power=power, alpha=alpha, tests=tests, source=T_SOURCE,
        method=f"paired t-test, n {n}, sd {sd:g}", note="" if found else "two pairs are the least",
    )  # fmt: skip


def repeated_n(
    effect: float,
    between: float,
    within: float = 0.0,
    repeats: int = 1,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 1,
) -> Planned:
    """Items needed for a mean difference of two sides, each asked `repeats` times per item. between: variance
    of the item's true difference; within: variance of one repeat of one side. (z + z)²(ω² + 2σ²/K)/δ².
    Raises ValueError for a variance below 0 and fewer than one repeat. Source: Miller (2024)."""
    z = sum(quantiles(alpha, tests, power))
    found = z**2 * _variance(between, within, repeats) / effect**2 if effect else None
    return Planned(
        value=found, unit="items", power=power, alpha=alpha, tests=tests, source=MILLER_SOURCE,
        method=f"paired difference, {repeats} repeats", note="" if found else "no number of items shows 0",
    )  # fmt: skip


def repeated_mde(
    n: int,
    between: float,
    within: float = 0.0,
    repeats: int = 1,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 1,
) -> Planned:
    """Smallest mean difference that n items show; see `repeated_n`."""
    z = sum(quantiles(alpha, tests, power))
    found = z * math.sqrt(_variance(between, within, repeats) / n) if n > 0 else None
    return Planned(
        value=found, unit="mean difference", power=power, alpha=alpha, tests=tests, source=MILLER_SOURCE,
        method=f"paired difference, n {n}, {repeats} repeats", note="" if found is not None else "no item",
    )  # fmt: skip


def design_effect(size: float, icc: float) -> float:
    """By how much clusters of `size` units with intraclass correlation `icc` need more units:
    1 + (size - 1)·icc. Source: Kish (1965)."""
    if size < 1 or not -1 <= icc <= 1:
        raise ValueError(f"size {size} is 1 or more and icc {icc} lies in -1..1")
    return 1 + (size - 1) * icc


def _finite(d: float) -> None:
    if not math.isfinite(d):
        raise ValueError(f"d: {d} is not a finite effect")


def _variance(between: float, within: float, repeats: int) -> float:
    if not (between >= 0 and within >= 0 and repeats >= 1):
        raise ValueError(f"variances {between} and {within} are 0 or more, repeats {repeats} 1 or more")
    return between + 2 * within / repeats


def _t_power(d: float, n: float, alpha: float) -> float:
    from scipy.stats import nct, norm, t

    if n <= 1:
        return 0.0
    df, shift = n - 1, abs(d) * math.sqrt(n)
    if df > 1e5 or shift > 35:  # the noncentral t is then the normal, and its series fails
        return float(norm.sf(norm.ppf(1 - alpha / 2) - shift))
    limit = float(t.ppf(1 - alpha / 2, df))
    below = float(nct.cdf(-limit, df, shift))
    return float(nct.sf(limit, df, shift)) + (0.0 if np.isnan(below) else below)
