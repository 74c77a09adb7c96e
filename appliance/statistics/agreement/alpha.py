"""Krippendorff's alpha: any number of raters, any scale of measurement, gaps allowed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.estimation import IntervalMethod
from appliance.statistics.agreement.kappa import INTERVAL_NAMES
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

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
ALPHA_SOURCE = "Krippendorff (2011; 2019, chapter 12)"
MOST_LABELS = 512


def alpha(
    ratings: Ratings, labels: Sequence[Hashable], metric: Metric = "ordinal",
    clusters: Labels | None = None, seed: int = 0, interval: IntervalMethod = "score",
) -> Estimate:  # fmt: skip
    """Krippendorff's alpha, 1 - D_o / D_e.

    ratings: shape (items, raters), None or NaN where a rater left an item out. labels: every label that
    could have been given, lowest first; numbers for "interval" and "ratio" (not negative for "ratio").
    Labels that nobody used change nothing. Items with fewer than two ratings cannot be paired and count as
    unscored. clusters: see `tables.confusions`. The interval is the score interval (see `estimation`) or the
    bootstrap over items; for "ordinal" both keep the distances between labels as the data have them. n counts
    items. Undefined, with a note, where no item has two ratings and where all ratings are one and the same.
    Raises ValueError for a label outside the list, labels that do not suit the metric and more than 512.
    Source: Krippendorff (2011; 2019, chapter 12).
    """
    method = f"Krippendorff's alpha, {metric}, {INTERVAL_NAMES[interval]} over items"
    found = rated(label_matrix(ratings, labels), clusters, at_least=2)
    inputs = kept(ratings=ratings, labels=labels, metric=metric, clusters=clusters)
    observed = found.groups.frequencies
    n = int(observed.sum())
    counts = observed @ label_counts(found.items, len(labels))
    distance = squared_distance(labels, metric, counts)
    if np.count_nonzero(counts) < 2 or not (distance[np.ix_(counts > 0, counts > 0)] > 0).any():
        note = "no item has two ratings" if n == 0 else "all ratings are one and the same: alpha is undefined"
        return undefined(method, note, n, found.n_unscored, ALPHA_SOURCE, inputs)
    distance = distance / distance.max()  # alpha is free of the unit; sums of like size keep rounding small
    statistic, parts = alpha_statistic(distance), alpha_parts(found.items, distance)
    bounds, se = rated_interval(
        statistic, lambda items: alpha_parts(items, distance), found, len(labels), interval, seed
    )
    return Estimate(
        value=float(statistic((observed @ parts)[np.newaxis])[0]), low=bounds.low, high=bounds.high, se=se,
        n=n, n_unscored=found.n_unscored, method=method, source=ALPHA_SOURCE, note=bounds.note, inputs=inputs,
    )  # fmt: skip


def squared_distance(labels: Sequence[Hashable], metric: Metric, counts: Array) -> Array:
    """Squared difference of each pair of labels, shape (q, q). counts: how often each label was given, which
    sets the distances of "ordinal"."""
    q = len(labels)
    if q > MOST_LABELS:
        raise ValueError(f"labels: at most {MOST_LABELS} expected, found {q}; group the values")
    if metric == "nominal":
        return 1 - np.eye(q)
    if metric == "ordinal":
        middle = np.cumsum(counts) - counts / 2
        return np.subtract.outer(middle, middle) ** 2
    if metric not in ("interval", "ratio"):
        raise ValueError(f"metric: nominal, ordinal, interval or ratio expected, found {metric!r}")
    values = _numbers(labels, metric)
    apart = np.subtract.outer(values, values)
    total = np.add.outer(values, values)
    if metric == "ratio":
        apart = np.divide(apart, total, out=np.zeros_like(apart), where=total > 0)
    squared: Array = apart**2
    return squared


def _numbers(labels: Sequence[Hashable], metric: Metric) -> Array:
    try:
        values = np.array([float(label) for label in labels])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"labels: numbers expected for the metric {metric!r}") from None
    if not np.isfinite(values).all() or (metric == "ratio" and (values < 0).any()):
        raise ValueError(f"labels: finite numbers, not negative for a ratio, expected for {metric!r}")
    return values


def alpha_parts(items: Codes, distance: Array) -> Array:
    """What each item adds: its mean squared difference per rating, and its ratings of each label; shape
    (items, 1 + q)."""
    counts = label_counts(items, len(distance))
    pairs = (counts * (counts @ distance)).sum(axis=1)
    within = pairs / np.maximum(counts.sum(axis=1) - 1, 1)
    return np.column_stack([within, counts])


def alpha_statistic(distance: Array) -> Statistic:
    """Alpha of sums of `alpha_parts`, shape (r, 1 + q) -> (r,); NaN where undefined."""

    def values(sums: Array) -> Array:
        counts = sums[:, 1:]
        expected = ((counts @ distance) * counts).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = 1 - (counts.sum(axis=1) - 1) * sums[:, 0] / expected
            return np.where(expected > 0, found, np.nan)

    return values
