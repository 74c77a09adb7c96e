"""How often a judge picks the item that people call better, in each order of showing."""

from __future__ import annotations

import numpy as np

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, clusters
from appliance.statistics.judging.shares import share
from appliance.statistics.judging.winners import Winners, checked
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.proportions import clustered_rate


def accuracy(winners: Winners, labels: Winners, *, cluster: Ids | None = None) -> Estimate:
    """Share of pairs whose winner is the label; a tie is no hit unless the label is one. Pairs without a
    label or a winner count as unscored. Wilson's interval, with clusters its design effect."""
    return share(_hits(winners, labels), cluster=cluster)


def accuracy_in_both(
    as_given: Winners, swapped: Winners, labels: Winners, *, cluster: Ids | None = None
) -> Estimate:
    """Share of pairs won by the label in both orders; a pair that lacks either is unscored."""
    return share(np.minimum(_hits(as_given, labels), _hits(swapped, labels)), cluster=cluster)


def accuracy_over_orders(
    as_given: Winners, swapped: Winners, labels: Winners, *, cluster: Ids | None = None
) -> Estimate:
    """Share of answers that are right, both orders together: the mean of both accuracies where no answer is
    lacking. n counts answers; the two of one pair (or template) are kept together for the interval."""
    hits = np.concatenate([_hits(as_given, labels), _hits(swapped, labels)])
    groups = np.tile(clusters(cluster, len(labels)), 2)
    scored = ~np.isnan(hits)
    return clustered_rate(hits[scored], groups[scored], int((~scored).sum()))


def _hits(winners: Winners, labels: Winners) -> Array:
    found = [
        np.nan if winner is None or label is None else float(winner is label)
        for winner, label in zip(*checked(winners=winners, labels=labels), strict=True)
    ]
    return np.array(found, dtype=np.float64)
