"""Chi-square and G² of tables: power, sample size and smallest effect."""

from __future__ import annotations

import math

from appliance.statistics.power.planned import Planned, quantiles

SOURCE = "Cohen (1988), noncentral chi-square"


def table_power(w: float, n: int, df: int, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Power of chi-square or G² with df degrees of freedom for Cohen's effect size w = √(Σ (p-q)²/q)."""
    from scipy.stats import chi2, ncx2

    quantiles(alpha, tests, 0.8)
    found = float(ncx2.sf(chi2.isf(alpha / tests, df), df, n * w**2)) if w and n else alpha / tests
    return Planned(
        value=found, unit="probability", alpha=alpha, tests=tests, source=SOURCE,
        method=f"chi-square, w {w:g}, n {n}, {df} df",
    )  # fmt: skip


def table_n(w: float, df: int, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Units (not rounded) with which chi-square or G² shows w. Undefined for w = 0."""
    shift = _noncentrality(df, power, alpha, tests)
    return Planned(
        value=shift / w**2 if w else None, unit="units", power=power, alpha=alpha, tests=tests, source=SOURCE,
        method=f"chi-square, w {w:g}, {df} df", note="" if w else "no number of units shows 0",
    )  # fmt: skip


def table_mde(n: int, df: int, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Smallest w that n units show."""
    shift = _noncentrality(df, power, alpha, tests)
    return Planned(
        value=math.sqrt(shift / n) if n > 0 else None, unit="w", power=power, alpha=alpha, tests=tests,
        source=SOURCE, method=f"chi-square, n {n}, {df} df", note="" if n > 0 else "no unit",
    )  # fmt: skip


def _noncentrality(df: int, power: float, alpha: float, tests: int) -> float:
    from scipy.special import chndtrinc
    from scipy.stats import chi2

    quantiles(alpha, tests, power)
    if power <= alpha / tests:
        raise ValueError(f"power {power} is above the level {alpha / tests}")
    return float(chndtrinc(chi2.isf(alpha / tests, df), df, 1 - power))
