"""Rates: two groups, interactions of cells, preferences between two orders, tables."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from appliance.statistics.arrays import Array
from appliance.statistics.power.planned import Planned, quantiles

Z_SOURCE = "Fleiss, Levin and Paik (2003)"


def rate_half_width(n: int, p: float = 0.5, level: float = 0.95) -> Planned:
    """Half the length of Wilson's interval for a rate of p among n. p 0.5 is the widest."""
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    found = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) if n > 0 else None
    return Planned(
        value=found, unit="rate", alpha=1 - level, method=f"Wilson interval, n {n}, p {p:g}",
        source="Wilson (1927)", note="" if found is not None else "no unit",
    )  # fmt: skip


def rate_difference_mde(
    n: int, n0: int, p: float = 0.5, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Smallest difference of two independent rates near p that n and n0 units show."""
    return _contrast_mde([n, n0], p, power, alpha, tests, f"difference of rates, n {n} and {n0}, p {p:g}")


def interaction_mde(
    cells: list[int], p: float = 0.5, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Smallest additive interaction contrast, every cell with weight ±1 (four cells for 2 by 2, eight for the
    three-way contrast), of rates near p. cells: units of each."""
    return _contrast_mde(cells, p, power, alpha, tests, f"interaction of {len(cells)} cells, p {p:g}")


def _contrast_mde(cells: list[int], p: float, power: float, alpha: float, tests: int, method: str) -> Planned:
    z = sum(quantiles(alpha, tests, power))
    found = z * math.sqrt(sum(p * (1 - p) / n for n in cells)) if all(n > 0 for n in cells) else None
    return Planned(
        value=found, unit="rate difference", power=power, alpha=alpha, tests=tests, method=method,
        source=Z_SOURCE,
        note="" if found is not None else "a cell is empty",
    )  # fmt: skip


def rate_difference_n(p: float, q: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Units per group that show rates p and q to differ (pooled variance under the null).
    Source: Fleiss, Levin and Paik (2003), equation 4.14."""
    z, zb = quantiles(alpha, tests, power)
    mean = (p + q) / 2
    top = z * math.sqrt(2 * mean * (1 - mean)) + zb * math.sqrt(p * (1 - p) + q * (1 - q))
    found = (top / (p - q)) ** 2 if p != q else None
    return Planned(
        value=found, unit="units a group", power=power, alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"rates {p:g} and {q:g}", note="" if found else "equal rates do not differ",
    )  # fmt: skip


def preference_n(
    fairness: float, discordant: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Pairs judged in both orders that show a preference fairness (recency - primacy)/N of this size, when a
    share `discordant` changes its winner: (z + z)²(ψ - δ²)/δ², the normal approximation. The exact test
    needs some 5 to 10% more: see `preference_power`. Source: Miettinen (1968)."""
    if not abs(fairness) <= discordant <= 1:
        raise ValueError(f"|fairness| {fairness} is at most the discordant share {discordant}, at most 1")
    z = sum(quantiles(alpha, tests, power))
    found = z**2 * (discordant - fairness**2) / fairness**2 if fairness else None
    return Planned(
        value=found, unit="pairs", power=power, alpha=alpha, tests=tests, source="Miettinen (1968)",
        method=f"preference {fairness:g} of {discordant:.0%} discordant",
        note="" if found else "no number of pairs shows 0",
    )  # fmt: skip


def preference_power(
    n: int, fairness: float, discordant: float, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Power of the exact test of `position.position_bias`, summed over every number of discordant pairs."""
    from scipy.stats import binom

    share = 0.5 + fairness / discordant / 2 if discordant else 0.5
    found = 0.0
    for drifting in range(n + 1):
        chance = float(binom.pmf(drifting, n, discordant))
        if chance < 1e-9 or not drifting:
            continue
        # Two-sided exact p is twice the tail: the largest count whose tail stays at alpha/2.
        last = int(binom.ppf(alpha / tests / 2, drifting, 0.5))
        last -= float(binom.cdf(last, drifting, 0.5)) > alpha / tests / 2
        if last >= 0:
            found += chance * float(
                binom.cdf(last, drifting, share) + binom.sf(drifting - last - 1, drifting, share)
            )
    return Planned(
        value=found, unit="probability", alpha=alpha, tests=tests, source="Miettinen (1968)",
        method=f"exact test of preference {fairness:g}, n {n}, {discordant:.0%} discordant",
    )  # fmt: skip


def table_power(w: float, n: int, df: int, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Power of chi-square or G² with df degrees of freedom for Cohen's effect size w = √(Σ (p-q)²/q).
    Source: Cohen (1988), noncentral chi-square."""
    from scipy.stats import chi2, ncx2

    quantiles(alpha, tests, 0.8)
    found = float(ncx2.sf(chi2.ppf(1 - alpha / tests, df), df, n * w**2)) if w else alpha / tests
    return Planned(
        value=found, unit="probability", alpha=alpha, tests=tests, source="Cohen (1988)",
        method=f"chi-square, w {w:g}, n {n}, {df} df",
    )  # fmt: skip


def detectable(
    sizes: npt.ArrayLike, tests: int | None = None, p: float = 0.5, power: float = 0.8, alpha: float = 0.05
) -> Array:
    """Smallest difference of each group's rate from that of all others, shape as `sizes`, for grids of any
    number of cells at once. tests: the family, by default one for each group that has units. NaN where a
    group is empty or is everything."""
    n = np.asarray(sizes, dtype=np.float64)
    z = sum(quantiles(alpha, tests or max(int((n > 0).sum()), 1), power))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = z * np.sqrt(p * (1 - p) * (1 / n + 1 / (n.sum() - n)))
    return np.where(np.isfinite(found), found, np.nan)
