"""Agreement of two raters: plain and chance-corrected, with intervals that respect clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate

Array = npt.NDArray[np.float64]
Statistic = Callable[[Array], Array]
Weights = Literal["none", "linear", "quadratic"]
RESAMPLES = 2000


def rate(successes: int, n: int, n_unscored: int = 0) -> Estimate:
    """A proportion with its Wilson 95% interval; undefined at n = 0.

    Source: Wilson (1927), through statsmodels' proportion_confint.
    """
    if n == 0:
        return _undefined(0, n_unscored, "Wilson 95% interval", "nothing was scored")
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, method="wilson")
    return Estimate(
        value=successes / n,
        low=0.0 if successes == 0 else float(low),  # exact at the ends, where rounding would leave 1e-17
        high=1.0 if successes == n else float(high),
        n=n,
        n_unscored=n_unscored,
        method="Wilson 95% interval",
    )


def agreement(confusions: Array, n_unscored: int = 0, seed: int = 0) -> Estimate:
    """Share of equal labels; see `kappa` for the shape and the interval."""
    return _clustered(confusions, _agreement, "plain agreement", n_unscored, seed)


def kappa(confusions: Array, n_unscored: int = 0, weights: Weights = "none", seed: int = 0) -> Estimate:
    """Cohen's kappa of two raters over clusters of items.

    confusions: shape (clusters, q, q); confusions[c, i, j] counts the items of cluster c that the first
    rater gave label i and the second label j, over one fixed list of q labels. weights: "none", "linear",
    1 - |i-j| / (q-1), or "quadratic", 1 - (i-j)^2 / (q-1)^2. The interval resamples whole clusters
    (percentile bootstrap, 2,000 resamples, seeded), so that items of one record are not taken for
    independent. Undefined, with a note, where chance agreement is complete: both raters used one and the
    same label throughout.
    Source: Cohen (1960, 1968).
    """
    q = confusions.shape[-1]
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    power = {"linear": 1, "quadratic": 2}
    weight = (
        (steps == 0).astype(float) if weights == "none" else 1 - (steps / max(q - 1, 1)) ** power[weights]
    )
    name = "Cohen's kappa" if weights == "none" else f"{weights} weighted kappa"
    return _clustered(confusions, lambda tables: _kappa(tables, weight), name, n_unscored, seed)


def _agreement(tables: Array) -> Array:
    totals = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Array = np.trace(tables, axis1=1, axis2=2) / totals
    return shares


def _kappa(tables: Array, weight: Array) -> Array:
    """Kappa of each table, shape (k, q, q) -> (k,); NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        observed = (shares * weight).sum(axis=(1, 2))
        chance = np.einsum("ki,kj,ij->k", shares.sum(axis=2), shares.sum(axis=1), weight)
        # Complete chance agreement up to rounding: one label everywhere.
        kappas: Array = np.where(chance > 1 - 1e-12, np.nan, (observed - chance) / (1 - chance))
    return kappas


def _clustered(confusions: Array, statistic: Statistic, name: str, n_unscored: int, seed: int) -> Estimate:
    n = len(confusions)
    method = f"{name}, 95% percentile bootstrap over records"
    if n == 0 or confusions.sum() == 0:
        return _undefined(n, n_unscored, method, "no record was scored by both judges")
    value = float(statistic(confusions.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        note = "both gave one and the same label throughout: agreement is complete, kappa is undefined"
        return _undefined(n, n_unscored, method, note)
    low, high = _interval(confusions, statistic, seed)
    note = "" if low is not None else "too few records, or all of them alike"
    return Estimate(value=value, low=low, high=high, n=n, n_unscored=n_unscored, method=method, note=note)


def _interval(confusions: Array, statistic: Statistic, seed: int) -> tuple[float | None, float | None]:
    n = len(confusions)
    if n < 2:
        return None, None
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    values = statistic(np.einsum("rc,cij->rij", draws.astype(float), confusions))
    defined = values[~np.isnan(values)]
    if len(defined) < RESAMPLES / 2:
        return None, None
    low, high = np.quantile(defined, [0.025, 0.975])
    # Equal bounds would claim certainty where resampling merely has nothing to vary.
    return (float(low), float(high)) if high - low > 1e-12 else (None, None)


def _undefined(n: int, n_unscored: int, method: str, note: str) -> Estimate:
    return Estimate(value=None, low=None, high=None, n=n, n_unscored=n_unscored, method=method, note=note)
