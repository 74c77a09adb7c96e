"""Gwet's AC1 and AC2: agreement that one frequent label does not drag down."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.estimation import IntervalMethod
from appliance.statistics.agreement.kappa import INTERVAL_NAMES, Weights, weight_matrix
from appliance.statistics.agreement.ratings import (
    Ratings,
    label_counts,
    label_matrix,
    rated,
    rated_interval,
)
from appliance.statistics.agreement.tables import Labels
from appliance.statistics.arrays import Array, Codes, kept, undefined
from appliance.statistics.resampling import Statistic

GWET_SOURCE = "Gwet (2008; 2014, chapters 4 and 5)"


def ac1(
    ratings: Ratings, labels: Sequence[Hashable], clusters: Labels | None = None, seed: int = 0,
    interval: IntervalMethod = "score",
) -> Estimate:  # fmt: skip
    """Gwet's AC1 of two or more raters; see `ac2`, of which it is the case without weights."""
    return _estimate("Gwet's AC1", ratings, labels, "none", clusters, seed, interval)


def ac2(
    ratings: Ratings, labels: Sequence[Hashable], weights: Weights = "quadratic",
    clusters: Labels | None = None, seed: int = 0, interval: IntervalMethod = "score",
) -> Estimate:  # fmt: skip
    """Gwet's AC2 of two or more raters, ordered labels.

    ratings: shape (items, raters), None or NaN where a rater left an item out. labels: every label that
    could have been given, in order: their number enters the value. An item with one rating tells of the
    labels' frequencies only; one without counts as unscored. clusters: see `tables.confusions`. The
    interval is the score interval (see `estimation`), or the bootstrap over items. The standard error is
    Gwet's where every item has two ratings; otherwise the number of such items is taken as it fell, which
    irrCAC does not do. n counts items. Undefined, with a note, where no item has two ratings and where the
    list holds a single label. Raises ValueError for a label outside the list.
    Source: Gwet (2008; 2014, chapters 4 and 5).
    """
    return _estimate(f"Gwet's AC2, {weights} weights", ratings, labels, weights, clusters, seed, interval)


def gwet_parts(items: Codes, weight: Array) -> Array:
    """What each item adds: 1 and its agreement where two or more rated it, 1 and its label shares where
    any did; shape (items, 3 + q)."""
    counts = label_counts(items, len(weight))
    numbers = counts.sum(axis=1)
    paired = numbers > 1
    alike = (counts * (counts @ weight - 1)).sum(axis=1) / np.where(paired, numbers * (numbers - 1), 1)
    shares = counts / np.maximum(numbers, 1)[:, np.newaxis]
    return np.column_stack([paired, np.where(paired, alike, 0.0), numbers > 0, shares])


def gwet_statistic(weight: Array) -> Statistic:
    """AC2 of sums of `gwet_parts`, shape (r, 3 + q) -> (r,); NaN where undefined."""
    q = len(weight)

    def values(sums: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            observed, shares = sums[:, 1] / sums[:, 0], sums[:, 3:] / sums[:, 2:3]
            chance = weight.sum() / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=1)
            return np.asarray((observed - chance) / (1 - chance))

    return values


def _estimate(
    name: str, ratings: Ratings, labels: Sequence[Hashable], weights: Weights, clusters: Labels | None,
    seed: int, interval: IntervalMethod,
) -> Estimate:  # fmt: skip
    method, weight = f"{name}, {INTERVAL_NAMES[interval]} over items", weight_matrix(len(labels), weights)
    found = rated(label_matrix(ratings, labels), clusters, at_least=1)
    inputs = kept(ratings=ratings, labels=labels, weights=weights, clusters=clusters)
    n, observed = int(found.groups.frequencies.sum()), found.groups.frequencies
    parts = gwet_parts(found.items, weight)
    if not (observed @ parts)[0] > 0 or len(labels) < 2:
        note = "no item has two ratings" if len(labels) > 1 else "a list of one label leaves no disagreement"
        return undefined(method, note, n, found.n_unscored, GWET_SOURCE, inputs)
    statistic = gwet_statistic(weight)
    bounds, se = rated_interval(
        statistic, lambda items: gwet_parts(items, weight), found, len(labels), interval, seed
    )
    return Estimate(
        value=float(statistic((observed @ parts)[np.newaxis])[0]), low=bounds.low, high=bounds.high,
        se=se, n=n, n_unscored=found.n_unscored, method=method,
        source=GWET_SOURCE, note=bounds.note, inputs=inputs,
    )  # fmt: skip
