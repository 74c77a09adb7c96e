"""Several raters with gaps: each item as the set of labels it was given, whoever gave them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from appliance.statistics import arrays
from appliance.statistics.agreement.estimation import (
    IntervalMethod,
    Population,
    bootstrap_interval,
    score_interval,
    spread,
)
from appliance.statistics.agreement.tables import Grouped, Labels, grouped, label_codes
from appliance.statistics.arrays import Array, Codes
from appliance.statistics.resampling import Interval, Statistic

Ratings = Sequence[Sequence[Any]] | npt.NDArray[Any]
# Above this many different items under chance, as many are drawn instead of listing all.
MOST_KINDS = 3000


class Rated(NamedTuple):
    """items: different items, one row of label positions each, sorted, -1 where a rating is missing.
    groups: how many of each lie in which cluster. n_unscored: items with too few ratings to enter."""

    items: Codes
    groups: Grouped
    n_unscored: int


def label_matrix(ratings: Ratings, labels: Sequence[Hashable]) -> Codes:
    """Label positions, shape (items, raters), -1 where a rating is missing (None or NaN)."""
    rows = [list(row) for row in ratings]
    width = len(rows[0]) if rows else 0
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(f"ratings: {len(row)} at item {i}, {width} at item 0")
    flat = [value for row in rows for value in row]
    return label_codes(flat, labels, "ratings").reshape(len(rows), width)


def rated(codes: Codes, clusters: Labels | None, at_least: int) -> Rated:
    """Items with `at_least` ratings, equal ones counted together."""
    cluster = arrays.clusters(clusters, len(codes))
    enough = (codes >= 0).sum(axis=1) >= at_least
    items, kinds = np.unique(np.sort(codes[enough], axis=1), axis=0, return_inverse=True)
    groups = grouped(kinds.ravel().astype(np.int64), len(items), cluster[enough])
    return Rated(items, groups, len(codes) - int(enough.sum()))


def label_counts(items: Codes, q: int) -> Array:
    """How often each item got each label, shape (items, q)."""
    found = np.zeros((len(items), q))
    rows, columns = np.nonzero(items >= 0)
    np.add.at(found, (rows, items[rows, columns]), 1)
    return found


def rated_interval(
    statistic: Statistic, parts: Callable[[Codes], Array], rated: Rated, q: int, method: IntervalMethod,
    seed: int,
) -> tuple[Interval, float | None]:  # fmt: skip
    """Interval and standard error of a statistic of sums over items. parts: what items (as `Rated.items`)
    add, shape (items, ...). No standard error for a single item."""
    items, population = rated_population(rated, q, seed)
    population = replace(population, parts=parts(items))
    if method == "score":
        bounds = score_interval(statistic, population, rated.groups)
    else:
        bounds = bootstrap_interval(statistic, parts(rated.items), rated.groups, seed=seed)
    single = rated.groups.frequencies.sum() <= 1
    return bounds, None if single else spread(statistic, population, rated.groups).clustered ** 0.5


def rated_population(rated: Rated, q: int, seed: int) -> tuple[Codes, Population]:
    """The hypothetical items and, with `parts` still empty, the distributions over them.

    Chance draws each rating of an item from the pooled labels (from all alike where only one was given),
    items keeping their numbers of ratings; disagreement is chance without its unanimous items; full
    agreement gives each item one pooled label.
    """
    observed = rated.groups.frequencies
    numbers = (rated.items >= 0).sum(axis=1)
    pooled = observed @ label_counts(rated.items, q)
    pooled = pooled / pooled.sum()
    shares = {int(r): observed[numbers == r].sum() / observed.sum() for r in np.unique(numbers)}
    width = rated.items.shape[1]
    # One label throughout says nothing of the others; full agreement must not look certain for that.
    drawn_from = pooled if np.count_nonzero(pooled) > 1 else np.full(q, 1 / q)
    chance, chance_share = _chance(shares, drawn_from, width, seed)
    agreed = [(np.full(r, k), shares[r] * pooled[k]) for r in shares for k in np.flatnonzero(pooled)]
    unanimous = _padded([row for row, _ in agreed], width)
    items = np.vstack([rated.items, chance, unanimous])
    discordant = _differ(items)
    apart = np.where(_differ(chance), chance_share, 0.0)
    ends = (len(observed), len(chance), len(unanimous))
    down = [_placed(chance_share, ends, 1)]
    if apart.any():
        down.append(_placed(apart / apart.sum(), ends, 1))
    up = _placed(np.array([share for _, share in agreed]), ends, 2)
    start = _placed(observed, ends, 0)
    return items, Population(np.zeros((len(items), 0)), start, down, up, discordant)


def _chance(shares: dict[int, float], pooled: Array, width: int, seed: int) -> tuple[Codes, Array]:
    used = np.flatnonzero(pooled)
    if sum(comb(r + len(used) - 1, r) for r in shares) > MOST_KINDS:
        return _drawn(shares, pooled, width, seed), np.full(MOST_KINDS, 1 / MOST_KINDS)
    listed = list(_listed(shares, pooled, used))
    return _padded([row for row, _ in listed], width), np.array([share for _, share in listed])


def _listed(shares: dict[int, float], pooled: Array, used: Codes) -> Iterator[tuple[Codes, float]]:
    """Every item that chance can make, with its multinomial probability."""
    for r, share in shares.items():
        for labels in combinations_with_replacement(used.tolist(), r):
            times = np.bincount(labels, minlength=len(pooled))
            log = gammaln(r + 1) - gammaln(times + 1).sum() + times[used] @ np.log(pooled[used])
            yield np.array(labels, dtype=np.int64), share * float(np.exp(log))


def _drawn(shares: dict[int, float], pooled: Array, width: int, seed: int) -> Codes:
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(pooled), p=pooled, size=(MOST_KINDS, width)).astype(np.int64)
    numbers = rng.choice(list(shares), p=list(shares.values()), size=MOST_KINDS)
    drawn[np.arange(width) >= numbers[:, np.newaxis]] = -1
    return drawn


def _padded(rows: list[Codes], width: int) -> Codes:
    found = np.full((len(rows), width), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def _differ(items: Codes) -> npt.NDArray[np.bool_]:
    lowest = np.where(items >= 0, items, items.max(initial=0)).min(axis=1)
    return np.asarray((items >= 0).any(axis=1) & (lowest != items.max(axis=1)))


def _placed(shares: Array, lengths: tuple[int, ...], place: int) -> Array:
    found = [np.zeros(length) for length in lengths]
    found[place] = shares
    return np.concatenate(found)
