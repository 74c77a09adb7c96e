"""Rates: one group, two groups, interactions of cells. Units that come in clusters count as their number
over `means.design_effect`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from appliance.statistics.arrays import Array
from appliance.statistics.power.planned import Planned, quantiles

Z_SOURCE = "Fleiss, Levin and Paik (2003)"


def rate_half_width(n: float, p: float = 0.5, level: float = 0.95) -> Planned:
    """Half the length of Wilson's interval for a rate of p among n. p 0.5 is the widest."""
    found = float(half_widths([n], p, level)[0]) if n > 0 else None
    return Planned(
        value=found, unit="rate", alpha=1 - level, method=f"Wilson interval, n {n:g}, p {p:g}",
        source="Wilson (1927)", note="" if found is not None else "no unit",
    )  # fmt: skip


def rate_n(p: float, threshold: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Units with which Wilson's interval of a rate of p leaves out `threshold`, a fixed rate such as 0.15.
    Undefined where they are equal. Source: Fleiss, Levin and Paik (2003)."""
    _rates(p=p, threshold=threshold)
    z, zb = quantiles(alpha, tests, power)
    reach = z * math.sqrt(threshold * (1 - threshold)) + zb * math.sqrt(p * (1 - p))
    found = (reach / (p - threshold)) ** 2 if p != threshold else None
    return Planned(
        value=found, unit="units", power=power, alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"rate {p:g} against {threshold:g}", note="" if found is not None else "the rates are equal",
    )  # fmt: skip


def rate_difference_power(
    p: float, q: float, n: float, n0: float, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Power of Pearson's chi-square for rates p among n and q among n0 (pooled variance under the null)."""
    _rates(p=p, q=q)
    z, _ = quantiles(alpha, tests, 0.8)
    found = 0.0
    if n > 0 and n0 > 0:
        from scipy.special import ndtr

        pooled = (n * p + n0 * q) / (n + n0)
        null, spread = pooled * (1 - pooled) * (1 / n + 1 / n0), p * (1 - p) / n + q * (1 - q) / n0
        tails = [(side * (p - q) - z * math.sqrt(null)) / math.sqrt(spread or 1e-300) for side in (1, -1)]
        found = float(ndtr(tails).sum()) if null else 0.0
    return Planned(
        value=found, unit="probability", alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"rates {p:g} and {q:g}, n {n:g} and {n0:g}",
    )  # fmt: skip


def rate_difference_n(p: float, q: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1) -> Planned:
    """Units per group with which Pearson's chi-square shows rates p and q to differ. Undefined for equal
    rates."""
    _rates(p=p, q=q)
    z, zb = quantiles(alpha, tests, power)
    mean = (p + q) / 2
    top = z * math.sqrt(2 * mean * (1 - mean)) + zb * math.sqrt(p * (1 - p) + q * (1 - q))
    found = (top / (p - q)) ** 2 if p != q else None
    return Planned(
        value=found, unit="units a group", power=power, alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"rates {p:g} and {q:g}", note="" if found is not None else "equal rates do not differ",
    )  # fmt: skip


def rate_difference_mde(
    n: float, n0: float, p: float = 0.5, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Smallest difference of two independent rates near p that n and n0 units show; undefined where even
    rates of 0 and 1 would not be enough."""
    return _contrast_mde([n, n0], p, power, alpha, tests, f"difference of rates, n {n:g} and {n0:g}")


def interaction_mde(
    cells: Sequence[float], p: float = 0.5, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Smallest additive interaction contrast, every cell with weight ±1 (four cells for 2 by 2, eight for the
    three-way contrast), of rates near p. cells: units of each."""
    return _contrast_mde(list(cells), p, power, alpha, tests, f"interaction of {len(cells)} cells")


def interaction_n(
    effect: float,
    cells: int = 4,
    p: float = 0.5,
    power: float = 0.8,
    alpha: float = 0.05,
    tests: int = 1,
) -> Planned:
    """Units per cell that show an additive interaction contrast; see `interaction_mde`."""
    _rates(p=p)
    z = sum(quantiles(alpha, tests, power))
    found = z**2 * cells * p * (1 - p) / effect**2 if effect else None
    return Planned(
        value=found, unit="units a cell", power=power, alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"interaction {effect:g} of {cells} cells, p {p:g}",
        note="" if found is not None else "no number of units shows 0",
    )  # fmt: skip


def half_widths(sizes: npt.ArrayLike, p: float = 0.5, level: float = 0.95) -> Array:
    """Half the length of Wilson's interval for a rate of p in each group, shape as `sizes`, NaN where it is
    empty. Source: Wilson (1927)."""
    from scipy.special import ndtri

    _rates(p=p)
    n, z = checked_sizes(sizes), float(ndtri((1 + level) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return np.where(n > 0, found, np.nan)


def detectable(
    sizes: npt.ArrayLike, tests: int | None = None, p: float = 0.5, power: float = 0.8, alpha: float = 0.05
) -> Array:
    """Smallest difference of each group's rate from that of all others, shape as `sizes`, for grids of any
    number of cells at once. tests: the family, by default one for each group that has units. NaN where a
    group is empty or is everything; 1 or more where no records could show a difference."""
    _rates(p=p)
    n = checked_sizes(sizes)
    z = sum(quantiles(alpha, tests or max(int((n > 0).sum()), 1), power))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = z * np.sqrt(p * (1 - p) * (1 / n + 1 / (n.sum() - n)))
    return np.where(np.isfinite(found), found, np.nan)


def checked_sizes(sizes: npt.ArrayLike) -> Array:
    """As floats. Raises ValueError for a size below 0 or not finite."""
    n = np.asarray(sizes, dtype=np.float64)
    if not (np.isfinite(n) & (n >= 0)).all():
        raise ValueError("sizes: numbers of 0 or more expected")
    return n


def _contrast_mde(
    cells: list[float], p: float, power: float, alpha: float, tests: int, method: str
) -> Planned:
    _rates(p=p)
    z, n = sum(quantiles(alpha, tests, power)), checked_sizes(cells)
    found, note = None, "a cell is empty" if n.size else "no cell"
    if n.size and n.all():
        found = z * math.sqrt(float((p * (1 - p) / n).sum()))
        # Rates lie in 0..1: half of the cells can add 1 each.
        if found > n.size / 2:
            found, note = None, "too few units: not even the largest difference of rates would be shown"
    return Planned(
        value=found, unit="rate difference", power=power, alpha=alpha, tests=tests, source=Z_SOURCE,
        method=f"{method}, p {p:g}", note="" if found is not None else note,
    )  # fmt: skip


def _rates(**rates: float) -> None:
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"{name}: {rate} is no rate between 0 and 1")
