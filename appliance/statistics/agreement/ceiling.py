"""How far people agree among themselves: what can be asked of a judge at most."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.kappa import Weights, kappas, weight_matrix
from appliance.statistics.agreement.ratings import Ratings, label_matrix
from appliance.statistics.agreement.tables import Labels
from appliance.statistics.arrays import Array, Codes, clusters, kept, undefined
from appliance.statistics.resampling import bootstrap, cluster_sums

LIGHT_SOURCE = "Light (1971)"


def light_kappa(
    ratings: Ratings, labels: Sequence[Hashable], weights: Weights = "none",
    clusters_of: Labels | None = None, seed: int = 0,
) -> Estimate:  # fmt: skip
    """Mean of Cohen's kappa over all pairs of raters, each pair on the items that both rated.

    ratings: shape (items, raters), None or NaN where a rater left an item out. labels: every label that could
    have been given, in order. clusters_of: as `clusters` of `tables.confusions`. Pairs without a kappa (no
    common item, one label throughout) are left out of the mean, and the note counts them. The interval is the
    BCa bootstrap over clusters; near complete agreement of few items it is too high (see `estimation`), and
    `alpha`, which asks nearly the same, has an interval that holds. n counts items that two raters or more
    rated. Undefined, with a note, where no pair has a kappa. Raises ValueError for a label outside the list.
    Source: Light (1971).
    """
    codes = label_matrix(ratings, labels)
    rated = (codes >= 0).sum(axis=1) > 1
    n, unscored = int(rated.sum()), len(codes) - int(rated.sum())
    name = "kappa" if weights == "none" else f"{weights} weighted kappa"
    method = f"mean {name} of all pairs of raters, 95% BCa bootstrap"
    inputs = kept(ratings=ratings, labels=labels, weights=weights, clusters_of=clusters_of)
    if n == 0:
        return undefined(method, "no item was rated by two", n, unscored, LIGHT_SOURCE, inputs)
    weight = weight_matrix(len(labels), weights)
    tables = cluster_sums(_pair_tables(codes[rated], len(labels)), _numbers(clusters_of, rated))
    each = _each(tables.sum(axis=0, keepdims=True), weight)[0]
    lost = int(np.isnan(each).sum())
    if lost == len(each):
        note = "no pair of raters has a kappa: one label throughout"
        return undefined(method, note, n, unscored, LIGHT_SOURCE, inputs)
    interval = bootstrap(tables, lambda sums: _mean(_each(sums, weight)), method="bca", seed=seed)
    notes = [f"{lost} of {len(each)} pairs have no kappa and are left out"] if lost else []
    return Estimate(
        value=float(np.nanmean(each)), low=interval.low, high=interval.high, n=n, n_unscored=unscored,
        method=method, source=LIGHT_SOURCE, note="; ".join([*notes, *filter(None, [interval.note])]),
        inputs=inputs,
    )  # fmt: skip


def _numbers(clusters_of: Labels | None, rated: Array) -> Codes:
    kept_numbers = clusters(clusters_of, len(rated), "clusters_of")[rated]
    return np.unique(kept_numbers, return_inverse=True)[1].astype(np.int64)


def _pair_tables(codes: Codes, q: int) -> Array:
    """Table of each pair of raters from each item, shape (items, pairs, q, q)."""
    pairs = list(combinations(range(codes.shape[1]), 2))
    tables = np.zeros((len(codes), len(pairs), q, q))
    for p, (i, j) in enumerate(pairs):
        both = np.flatnonzero((codes[:, i] >= 0) & (codes[:, j] >= 0))
        tables[both, p, codes[both, i], codes[both, j]] = 1
    return tables


def _each(sums: Array, weight: Array) -> Array:
    """Kappa of every pair, shape (r, pairs, q, q) -> (r, pairs)."""
    return kappas(sums.reshape(-1, *weight.shape), weight).reshape(sums.shape[:2])


def _mean(values: Array) -> Array:
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1))
