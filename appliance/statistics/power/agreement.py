"""How many items people must label before a judge can be admitted by the lower bound of its kappa."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from appliance.statistics.agreement.estimation import influence, variance_at
from appliance.statistics.agreement.kappa import Weights, kappa_statistic, table_population, weight_matrix
from appliance.statistics.power.planned import Planned, quantiles

SOURCE = "Cantor (1996), with the variances of the score interval"


def kappa_n(
    shares: npt.ArrayLike, kappa: float = 0.8, required: float = 0.7, weights: Weights = "none",
    power: float = 0.8, level: float = 0.95,
) -> Planned:  # fmt: skip
    """Items with which the lower bound of the `level` interval of kappa reaches `required`, when the judge's
    true kappa is `kappa`; see `strata.admit`. shares: how often each label is given, by people and judge
    alike, adding up to 1; items as independent (else times the design effect). Undefined unless
    required < kappa. Raises ValueError for other shares, fewer than two labels, kappas outside 0..1.
    Source: Cantor (1996). The normal approximation: where 80% is planned, the score interval admits in 73% (n
    of 44) to 82% (n of 363), measured in 500 draws each."""
    here, there = _deviations(shares, kappa, required, weights)
    z, zb = quantiles(1 - level, 1, power)
    found = ((z * there + zb * here) / (kappa - required)) ** 2 if kappa > required else None
    return Planned(
        value=found, unit="items", power=power, alpha=1 - level, source=SOURCE,
        method=f"{level:.0%} interval of kappa {kappa:g} above {required:g}",
        note="" if found else f"a kappa of {kappa:g} is not above {required:g}",
    )  # fmt: skip


def kappa_power(
    n: int, shares: npt.ArrayLike, kappa: float = 0.8, required: float = 0.7, weights: Weights = "none",
    level: float = 0.95,
) -> Planned:  # fmt: skip
    """Probability that n labelled items admit the judge; see `kappa_n`."""
    from scipy.special import ndtr

    here, there = _deviations(shares, kappa, required, weights)
    z = quantiles(1 - level, 1, 0.8)[0]
    away = math.sqrt(n) * (kappa - required) - z * there
    # A judge that never errs has no spread of its own: it passes or it does not.
    found = float(ndtr(away / here)) if here > 0 else float(away >= 0)
    return Planned(
        value=found, unit="probability", alpha=1 - level, source=SOURCE,
        method=f"{level:.0%} interval of kappa {kappa:g} above {required:g}, n {n}",
    )  # fmt: skip


def _deviations(
    shares: npt.ArrayLike, kappa: float, required: float, weights: Weights
) -> tuple[float, float]:
    """Standard deviation of kappa over √n where it is `kappa`, and where it is `required`: labels agree in
    the share kappa of items and are independent in the rest."""
    p = np.asarray(shares, dtype=np.float64)
    if p.ndim != 1 or len(p) < 2 or not (p >= 0).all() or abs(p.sum() - 1) > 1e-6 or p.max() >= 1:
        raise ValueError("shares: one for each of two or more labels, adding up to 1, expected")
    if not (0 < required < 1 and 0 <= kappa <= 1):
        raise ValueError(f"kappa {kappa} and required {required} lie between 0 and 1")
    statistic = kappa_statistic(weight_matrix(len(p), weights))
    table = kappa * np.diag(p) + (1 - kappa) * np.outer(p, p)
    population = table_population(table)
    effects = influence(statistic, population.parts, population.observed)
    there = variance_at(statistic, population, kappa, required)
    return float(population.observed @ effects**2) ** 0.5, float(there or 0.0) ** 0.5
