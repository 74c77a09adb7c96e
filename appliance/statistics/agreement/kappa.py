"""Agreement of two raters: plain and chance-corrected, with intervals that respect clusters."""

from __future__ import annotations

from typing import Literal

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.estimation import (
    IntervalMethod,
    Population,
    bootstrap_interval,
    score_interval,
    spread,
)
from appliance.statistics.agreement.tables import Confusions, from_tables
from appliance.statistics.arrays import Array, kept, undefined
from appliance.statistics.resampling import Statistic

Weights = Literal["none", "linear", "quadratic"]
KAPPA_SOURCE = "Cohen (1960, 1968); standard error: Fleiss, Cohen and Everitt (1969)"
INTERVAL_NAMES = {"score": "95% score interval", "bootstrap": "95% percentile bootstrap"}


def agreement(
    confusions: Array | Confusions, n_unscored: int = 0, seed: int = 0, interval: IntervalMethod = "score"
) -> Estimate:
    """Share of equal labels; see `kappa` for the shape and the interval, which is Wilson's where every
    record is one item."""
    return _estimate(confusions, plain, "plain agreement", "Wilson (1927)", n_unscored, seed, interval)


def kappa(
    confusions: Array | Confusions,
    n_unscored: int = 0,
    weights: Weights = "none",
    seed: int = 0,
    interval: IntervalMethod = "score",
) -> Estimate:
    """Cohen's kappa of two raters over clusters of items.

    confusions: from `tables.confusions`, or an array of shape (clusters, q, q) in which [c, i, j] counts the
    items of cluster c that the first rater gave label i and the second label j, over one fixed list of q
    labels. n_unscored: adds to what `confusions` counts itself. weights: "none", "linear", 1 - |i-j|/(q-1),
    or "quadratic", 1 - (i-j)^2/(q-1)^2. interval: "score" (see `estimation`), or "bootstrap", the percentile
    interval of 2,000 resamples, seeded, as a cross-check. Both take clusters as wholes, so that items of one
    record are not taken for independent; so does the standard error. n counts clusters. Undefined, with a
    note, where chance agreement is complete: both raters used one and the same label throughout. Raises
    ValueError for another shape.
    Source: Cohen (1960, 1968); standard error: Fleiss, Cohen and Everitt (1969).
    """
    if not isinstance(confusions, Confusions):
        confusions = np.asarray(confusions, dtype=np.float64)
        if confusions.ndim != 3 or confusions.shape[1] != confusions.shape[2]:
            raise ValueError(f"confusions: shape (clusters, q, q) expected, found {confusions.shape}")
    q = confusions.q if isinstance(confusions, Confusions) else confusions.shape[-1]
    name = "Cohen's kappa" if weights == "none" else f"{weights} weighted kappa"
    statistic = kappa_statistic(weight_matrix(q, weights))
    return _estimate(confusions, statistic, name, KAPPA_SOURCE, n_unscored, seed, interval)


def weight_matrix(q: int, weights: Weights) -> Array:
    """Agreement weights of q ordered labels, shape (q, q), 1 on the diagonal."""
    if weights == "none":
        return np.eye(q)
    power = {"linear": 1, "quadratic": 2}[weights]
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    weight: Array = 1 - (steps / max(q - 1, 1)) ** power
    return weight


def plain(sums: Array) -> Array:
    """Plain agreement of each row of cells, shape (k, q * q) -> (k,); NaN of nothing."""
    tables = _square(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Array = np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    return shares


def kappa_statistic(weight: Array) -> Statistic:
    """Kappa of each row of cells, shape (k, q * q) -> (k,); NaN where undefined."""
    return lambda sums: kappas(_square(sums), weight)


def kappas(tables: Array, weight: Array) -> Array:
    """Kappa of each table, shape (k, q, q) -> (k,); NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        observed = (shares * weight).sum(axis=(1, 2))
        chance = np.einsum("ki,ki->k", shares.sum(axis=2) @ weight, shares.sum(axis=1))
        # Complete chance agreement up to rounding: one label everywhere.
        found: Array = np.where(chance > 1 - 1e-12, np.nan, (observed - chance) / (1 - chance))
    return found


def table_population(table: Array) -> Population:
    """Where the hypothetical values of two raters lie: chance keeps both raters' margins, disagreement is
    chance without its diagonal, full agreement keeps the mean of the margins."""
    q, shares = len(table), table / table.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance, apart = np.outer(rows, columns), 1 - np.eye(q)
    against = chance * apart if (chance * apart).any() else apart
    down = [chance.ravel(), against.ravel() / max(against.sum(), 1e-300)]
    return Population(
        parts=np.eye(q * q),
        observed=table.ravel(),
        down=down,
        up=np.diag((rows + columns) / 2).ravel(),
        discordant=apart.ravel() > 0,
    )


def _square(sums: Array) -> Array:
    q = round(sums.shape[-1] ** 0.5)
    return sums.reshape(-1, q, q)


def _estimate(
    confusions: Array | Confusions, statistic: Statistic, name: str, source: str, n_unscored: int, seed: int,
    interval: IntervalMethod,
) -> Estimate:  # fmt: skip
    method, inputs = f"{name}, {INTERVAL_NAMES[interval]} over records", kept(confusions=confusions)
    found = confusions if isinstance(confusions, Confusions) else from_tables(confusions)
    n, n_unscored = found.pairs.n_clusters, n_unscored + found.n_unscored
    if n == 0:
        note = "no record was scored by both judges"
        return undefined(method, note, n, n_unscored, source, inputs)
    value = float(statistic(found.table.reshape(1, -1))[0])
    if np.isnan(value):
        note = "both gave one and the same label throughout: agreement is complete, kappa is undefined"
        return undefined(method, note, n, n_unscored, source, inputs)
    population = table_population(found.table)
    if interval == "score":
        bounds = score_interval(statistic, population, found.pairs)
    else:
        bounds = bootstrap_interval(statistic, None, found.pairs, seed=seed)
    se = None if n < 2 else spread(statistic, population, found.pairs).clustered ** 0.5
    return Estimate(
        value=value, low=bounds.low, high=bounds.high, se=se, n=n, n_unscored=n_unscored, method=method,
        source=source, note=bounds.note, inputs=inputs,
    )  # fmt: skip
