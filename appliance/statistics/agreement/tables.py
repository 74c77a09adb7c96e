"""Pairs of labels as tables of counts, clusters kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = Sequence[Hashable] | npt.NDArray[Any]


class Grouped(NamedTuple):
    """Items of few kinds in clusters; equal clusters are counted once.

    members: shape (different clusters, kinds), sparse, how many items of each kind such a cluster holds.
    counts: how many clusters are like that. Rows are in an order of their own, whatever that of the items.
    """

    members: csr_array
    counts: Codes

    @property
    def frequencies(self) -> Array:
        """Items of each kind."""
        found: Array = self.counts.astype(float) @ self.members
        return found

    @property
    def n_clusters(self) -> int:
        return int(self.counts.sum())


class Confusions(NamedTuple):
    """Tables of two raters over q labels, one per cluster. `pairs` holds them, its kinds being the cells
    i * q + j of an item that the first rater gave label i and the second label j.

    n_unscored: items that one rater or both left out.
    """

    pairs: Grouped
    q: int
    n_unscored: int = 0

    @property
    def table(self) -> Array:
        """All items in one table, shape (q, q)."""
        return self.pairs.frequencies.reshape(self.q, self.q)


def confusions(
    first: Labels, second: Labels, labels: Sequence[Hashable], clusters: Labels | None = None
) -> Confusions:
    """Tables of two raters who labelled the same items.

    first, second: one label per item, None or NaN where that rater gave none; such items are counted as
    unscored. labels: every label that could have been given, in order; the unused count too, since they
    change weighted kappa, AC1 and AC2. clusters: what belongs together (records of several sentences,
    texts of one template); without it each item stands for itself. A cluster without a scored item drops
    out. Raises ValueError for lengths that differ, a label outside the list and a label named twice.
    """
    a, b = label_codes(first, labels, "first"), label_codes(second, labels, "second")
    n, q = arrays.same_length(first=a, second=b), len(labels)
    cluster = arrays.clusters(clusters, n)
    scored = (a >= 0) & (b >= 0)
    pairs = grouped((a * q + b)[scored], q * q, cluster[scored])
    return Confusions(pairs, q, n - int(scored.sum()))


def from_tables(tables: Array, n_unscored: int = 0) -> Confusions:
    """Dense tables, shape (clusters, q, q); a cluster of an empty table drops out."""
    q = tables.shape[-1]
    if tables.ndim != 3 or tables.shape[1] != q:
        raise ValueError(f"confusions: expected shape (clusters, q, q), found {tables.shape}")
    if not (np.isfinite(tables).all() and (tables >= 0).all()):
        raise ValueError("confusions: counts are finite and not negative")
    flat = tables.reshape(len(tables), q * q)
    rows, counts = np.unique(flat[flat.any(axis=1)], axis=0, return_counts=True)
    return Confusions(Grouped(_sparse(rows), counts.astype(np.int64)), q, n_unscored)


def label_codes(values: Labels, labels: Sequence[Hashable], name: str) -> Codes:
    """Positions in `labels`, -1 for None and for NaN, which is how arrays of numbers write None."""
    items = values.tolist() if isinstance(values, np.ndarray) else values
    return arrays.codes([None if value != value else value for value in items], labels, name)


def grouped(kinds: Codes, n_kinds: int, cluster: Codes) -> Grouped:
    """kinds: the kind of each item, 0..n_kinds-1. cluster: the number of its cluster."""
    order = np.lexsort((kinds, cluster))
    kinds, cluster = kinds[order], cluster[order]
    held = kinds.tolist()
    bounds = [*np.flatnonzero(np.diff(cluster, prepend=-1)).tolist(), len(held)]
    alike = Counter(tuple(held[start:end]) for start, end in pairwise(bounds))
    return _counted(sorted(alike.items()), n_kinds)


def _counted(alike: list[tuple[tuple[int, ...], int]], n_kinds: int) -> Grouped:
    from scipy.sparse import csr_array

    columns = [kind for kinds, _ in alike for kind in kinds]
    ends = np.cumsum([0] + [len(kinds) for kinds, _ in alike])
    members = csr_array((np.ones(len(columns)), columns, ends), shape=(len(alike), n_kinds))
    members.sum_duplicates()
    return Grouped(members, np.array([count for _, count in alike], dtype=np.int64))


def _sparse(rows: Array) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array(rows)
