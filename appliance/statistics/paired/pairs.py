"""Paired scores: the same item in two variants, repeats averaged, templates kept together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes

Ids = Sequence[Hashable] | npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Complete pairs only. x, y: shape (n,), one value a unit. cluster: shape (n,), 0..k-1, what may not be
    taken for independent (a template's pairs). n_unscored: units that lack x or y. n_values_unscored: single
    values that were lacking, those of units that are still complete included. unscored_share: the largest of
    the shares of units, of x values and of y values that were lacking: a unit whose repeats were nearly all
    lost on one side is complete, and still cannot be cleared."""

    x: Array
    y: Array
    cluster: Codes
    n_unscored: int = 0
    n_values_unscored: int = 0
    unscored_share: float = 0.0

    @property
    def n(self) -> int:
        return len(self.x)

    @cached_property
    def differences(self) -> Array:
        """x - y, rounded to 14 digits of the largest score so that means of repeats that are equal on paper
        tie."""
        largest = max(float(np.abs(self.x).max(initial=0.0)), float(np.abs(self.y).max(initial=0.0)))
        return _tidy(self.x - self.y, largest, 13)

    @cached_property
    def cluster_sums(self) -> Array:
        """Sum of differences of each cluster, shape (k,)."""
        largest = float(self.by_cluster(np.abs(self.differences)).max(initial=0.0))
        return _tidy(self.by_cluster(self.differences), largest, 11)

    @cached_property
    def cluster_sizes(self) -> Codes:
        """Pairs in each cluster, shape (k,)."""
        return np.bincount(self.cluster)

    def by_cluster(self, values: Array) -> Array:
        """Sums of `values` (n,) over each cluster, shape (k,)."""
        return np.bincount(self.cluster, values, minlength=len(self.cluster_sizes)).astype(np.float64)

    @property
    def clustered(self) -> bool:
        return len(self.cluster_sizes) < self.n

    @property
    def inputs(self) -> dict[str, Any]:
        return arrays.kept(x=self.x, y=self.y, cluster=self.cluster)


def make_pairs(
    x: npt.ArrayLike, y: npt.ArrayLike, *, unit: Ids | None = None, cluster: Ids | None = None
) -> Pairs:
    """Pairs of scores x[i], y[i]; NaN is unscored.

    unit: repeats of one unit (an item, a persona) carry one id; each side is averaged over its scored
    repeats, so repeats never count as independent. cluster: units that share a template. Raises ValueError
    for lengths that differ, infinite scores, and a unit in two clusters.
    """
    first, second = arrays.scores(x, "x"), arrays.scores(y, "y")
    n = arrays.same_length(x=first, y=second)
    sides_lacking = _share(np.isnan(first)), _share(np.isnan(second))
    lacking = int(np.isnan(first).sum() + np.isnan(second).sum())
    cluster_codes = arrays.clusters(cluster, n)
    if unit is not None:
        units = arrays.clusters(unit, n, "unit")
        cluster_codes = units if cluster is None else cluster_codes
        first, second, cluster_codes = _averaged(first, second, units, cluster_codes)
    complete = ~(np.isnan(first) | np.isnan(second))
    return Pairs(
        first[complete],
        second[complete],
        arrays.clusters(cluster_codes[complete], int(complete.sum())),
        n_unscored=int((~complete).sum()),
        n_values_unscored=lacking,
        unscored_share=max(_share(~complete), *sides_lacking),
    )


def from_long(
    score: npt.ArrayLike, side: Sequence[bool] | npt.NDArray[Any], unit: Ids, cluster: Ids | None = None
) -> Pairs:
    """Pairs from one row a score: side true for x, false for y; rows of one unit are its repeats. A unit
    without a row on one side is unscored. Raises ValueError for sides that are not true or false, and as
    `make_pairs` does."""
    values, first = arrays.scores(score, "score"), _sides(side)
    arrays.same_length(score=values, side=first)
    empty = np.full(len(values), np.nan)
    made = make_pairs(
        np.where(first, values, empty), np.where(first, empty, values), unit=unit, cluster=cluster
    )
    lost = np.isnan(values)
    # The other side's rows are no lost values of this one: shares are of the rows that each side has.
    shares = made.n_unscored / max(made.n + made.n_unscored, 1), _share(lost[first]), _share(lost[~first])
    return Pairs(made.x, made.y, made.cluster, made.n_unscored, int(lost.sum()), max(shares))


def _share(lacking: arrays.Mask) -> float:
    return float(lacking.mean()) if len(lacking) else 0.0


def _sides(side: Sequence[bool] | npt.NDArray[Any]) -> arrays.Mask:
    """Labels such as "F" and "M" would all count as true."""
    for place, value in enumerate(side):
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"side: expected true or false, found {value!r} at position {place}")
    return np.asarray(side, dtype=bool)


def _tidy(values: Array, largest: float, digits: int) -> Array:
    """Rounded to `digits` digits after the leading one of `largest`, without negative zeros."""
    decimals = min(digits - math.floor(math.log10(largest)), 300) if largest > 0 else 0
    found: Array = np.round(values, decimals) + 0.0
    return found


def _averaged(x: Array, y: Array, units: Codes, cluster: Codes) -> tuple[Array, Array, Codes]:
    k = int(units.max(initial=-1)) + 1
    of_unit = np.full(k, -1, dtype=np.int64)
    of_unit[units] = cluster
    if (of_unit[units] != cluster).any():
        raise ValueError(f"cluster: unit number {int(units[(of_unit[units] != cluster).argmax()])} is in two")
    return _mean(x, units, k), _mean(y, units, k), of_unit


def _mean(values: Array, units: Codes, k: int) -> Array:
    scored = ~np.isnan(values)
    counts = np.bincount(units[scored], minlength=k)
    sums = np.bincount(units[scored], values[scored], minlength=k)
    with np.errstate(invalid="ignore"):
        found: Array = np.where(counts > 0, sums / counts, np.nan)
    return found
