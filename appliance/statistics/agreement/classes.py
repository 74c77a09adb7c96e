"""One label against the rest: how a rater does on each label when the other is taken for the truth."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.estimation import Population, score_interval, spread
from appliance.statistics.agreement.tables import Confusions, Grouped
from appliance.statistics.arrays import Array, Mask, kept, undefined

SOURCE = "Wilson (1927)"


class ClassRates(Frozen):
    """sensitivity: share of the items that truly have the label which got it. specificity: share of the
    others that did not get it. precision: share of the items that got it which truly have it."""

    label: str
    sensitivity: Estimate
    specificity: Estimate
    precision: Estimate


def class_rates(confusions: Confusions, labels: Sequence[Hashable]) -> tuple[ClassRates, ...]:
    """Rates of every label, in the order of `labels`.

    confusions: from `tables.confusions(truth, rated, labels)`, the truth first. The intervals are Wilson's,
    with a design effect where clusters hold several items (see `estimation`). n counts the items that the
    rate is about. A rate is undefined, with a note, where there are none; it has no interval where they lie
    in a single cluster. Raises ValueError where the number of labels differs.
    """
    q = confusions.q
    if len(labels) != q:
        raise ValueError(f"labels: {q} expected, found {len(labels)}")
    truth, given = np.divmod(np.arange(q * q), q)
    return tuple(
        ClassRates(
            label=str(label),
            sensitivity=_share(confusions, given == k, truth == k, "sensitivity"),
            specificity=_share(confusions, given != k, truth != k, "specificity"),
            precision=_share(confusions, truth == k, given == k, "precision"),
        )
        for k, label in enumerate(labels)
    )


def _share(confusions: Confusions, hit: Mask, among: Mask, name: str) -> Estimate:
    method = f"{name}, 95% Wilson score interval"
    groups = _within(confusions.pairs, among)
    observed, hits = groups.frequencies, hit[among].astype(float)
    n, inputs = int(observed.sum()), kept(confusions=confusions)
    if n == 0:
        return undefined(method, "no item to judge it by", 0, confusions.n_unscored, SOURCE, inputs)
    population = Population(
        parts=np.column_stack([hits, np.ones(len(hits))]),
        observed=observed,
        down=[(1 - hits) / max((1 - hits).sum(), 1)],
        up=hits / max(hits.sum(), 1),
        discordant=hits == 0,
    )
    bounds = score_interval(_ratio, population, groups)
    se = spread(_ratio, population, groups).clustered ** 0.5 if groups.n_clusters > 1 else None
    return Estimate(
        value=float(observed @ hits) / n, low=bounds.low, high=bounds.high, se=se, n=n,
        n_unscored=confusions.n_unscored, method=method, source=SOURCE, note=bounds.note, inputs=inputs,
    )  # fmt: skip


def _ratio(sums: Array) -> Array:
    return np.asarray(sums[:, 0] / sums[:, 1])


def _within(groups: Grouped, kinds: Mask) -> Grouped:
    """Only the items of these kinds, and the clusters that hold one."""
    members = groups.members[:, np.flatnonzero(kinds)]
    held = members.sum(axis=1) > 0
    return Grouped(members[np.flatnonzero(held)], groups.counts[held])
