"""Agreement of two raters: plain and chance-corrected, with intervals that respect clusters."""

from __future__ import annotations

from typing import Literal

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, undefined
from appliance.statistics.resampling import Statistic, bootstrap

Weights = Literal["none", "linear", "quadratic"]
KAPPA_SOURCE = "Cohen (1960, 1968)"


def agreement(confusions: Array, n_unscored: int = 0, seed: int = 0) -> Estimate:
    """Share of equal labels; see `kappa` for the shape and the interval."""
    return _clustered(confusions, _agreement, "plain agreement", "", n_unscored, seed)


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
    weight = weight_matrix(confusions.shape[-1], weights)
    name = "Cohen's kappa" if weights == "none" else f"{weights} weighted kappa"
    statistic = lambda tables: kappas(tables, weight)  # noqa: E731
    return _clustered(confusions, statistic, name, KAPPA_SOURCE, n_unscored, seed)


def weight_matrix(q: int, weights: Weights) -> Array:
    """Agreement weights of q ordered labels, shape (q, q), 1 on the diagonal."""
    if weights == "none":
        return np.eye(q)
    power = {"linear": 1, "quadratic": 2}[weights]
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    weight: Array = 1 - (steps / max(q - 1, 1)) ** power
    return weight


def _agreement(tables: Array) -> Array:
    totals = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Array = np.trace(tables, axis1=1, axis2=2) / totals
    return shares


def kappas(tables: Array, weight: Array) -> Array:
    """Kappa of each table, shape (k, q, q) -> (k,); NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        observed = (shares * weight).sum(axis=(1, 2))
        chance = np.einsum("ki,kj,ij->k", shares.sum(axis=2), shares.sum(axis=1), weight)
        # Complete chance agreement up to rounding: one label everywhere.
        found: Array = np.where(chance > 1 - 1e-12, np.nan, (observed - chance) / (1 - chance))
    return found


def _clustered(
    confusions: Array, statistic: Statistic, name: str, source: str, n_unscored: int, seed: int
) -> Estimate:
    n = len(confusions)
    method = f"{name}, 95% percentile bootstrap over records"
    inputs = kept(confusions=confusions)
    if n == 0 or confusions.sum() == 0:
        note = "no record was scored by both judges"
        return undefined(method, note, n, n_unscored, source, inputs)
    value = float(statistic(confusions.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        note = "both gave one and the same label throughout: agreement is complete, kappa is undefined"
        return undefined(method, note, n, n_unscored, source, inputs)
    interval = bootstrap(confusions, statistic, seed=seed)
    return Estimate(
        value=value, low=interval.low, high=interval.high, n=n, n_unscored=n_unscored, method=method,
        source=source, note=interval.note, inputs=inputs,
    )  # fmt: skip
