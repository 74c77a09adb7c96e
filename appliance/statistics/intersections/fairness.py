"""One number over all groups: ε of differential fairness, and subgroup unfairness weighted by size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, undefined
from appliance.statistics.resampling import RESAMPLES

EPSILON_SOURCE = "Foulds et al. (2020)"
BIASED = "a maximum: biased upwards in small groups"
KEARNS_SOURCE = "Kearns et al. (2018)"


def epsilon(
    counts: npt.ArrayLike, concentration: float = 1.0, seed: int = 0, level: float = 0.95
) -> Estimate:
    """Largest |ln(p_i / p_j)| over all outcomes and pairs of groups; 0 is parity, ln 1.25 the four-fifths
    rule on one outcome.

    counts: shape (groups, outcomes). Probabilities are smoothed, (k + c/m)/(n + c) over m outcomes, so that
    a group without an event has a finite ε; 0 smooths nothing. Groups without a unit are left out and named
    in the note by number. The interval resamples each group (percentile). Being a maximum, ε is biased
    upwards in small groups and so are its resamples: read it as a summary, never as a test.
    Undefined for fewer than two groups, and unsmoothed where a probability is 0.
    Source: Foulds et al. (2020).
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not (table >= 0).all():
        raise ValueError(f"counts: shape (groups, outcomes) of counts expected, found {table.shape}")
    method = f"ε, smoothed with {concentration:g}, {level:.0%} percentile bootstrap within groups"
    used, n = table[table.sum(axis=1) > 0], int(table.sum())
    inputs = kept(counts=table, concentration=concentration)
    empty = np.flatnonzero(table.sum(axis=1) == 0)
    note = (
        f"{BIASED}; without a unit, left out: groups {', '.join(map(str, empty))}" if len(empty) else BIASED
    )
    if len(used) < 2:
        return undefined(method, "fewer than two groups have units", n, 0, EPSILON_SOURCE, inputs)
    value = float(_epsilon(used[np.newaxis], concentration)[0])
    if not np.isfinite(value):
        why = "a probability is 0 and nothing is smoothed: ε is infinite"
        return undefined(method, why, n, 0, EPSILON_SOURCE, inputs)
    values = _epsilon(_drawn(used, seed), concentration)
    low, high = np.quantile(values[np.isfinite(values)], [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        value=value, low=float(low), high=float(high), level=level, n=n, method=method, source=EPSILON_SOURCE,
        note=note, inputs=inputs,
    )  # fmt: skip


def epsilon_by_dimensions(
    counts: npt.ArrayLike, dimensions: Sequence[str], concentration: float = 1.0, seed: int = 0
) -> dict[tuple[str, ...], Estimate]:
    """ε of every subset of the dimensions, all of them last; counts: one axis a dimension, outcomes last.

    Unsmoothed, ε of a subset is never above that of a set that contains it, since a margin's rates are means
    of its cells' (Foulds et al. 2020, theorem 1); the reverse tells nothing: margins can be at 0 while cells
    are far apart. Smoothing, which weighs more on small cells, can break this by a little.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != len(dimensions) + 1:
        raise ValueError(f"counts: {len(dimensions)} dimensions and outcomes expected, found {table.shape}")
    found = {}
    for size in range(1, len(dimensions) + 1):
        for kept_axes in combinations(range(len(dimensions)), size):
            gone = tuple(axis for axis in range(len(dimensions)) if axis not in kept_axes)
            groups = table.sum(axis=gone).reshape(-1, table.shape[-1])
            found[tuple(dimensions[axis] for axis in kept_axes)] = epsilon(groups, concentration, seed)
    return found


def _drawn(table: Array, seed: int) -> Array:
    """Each group resampled, shape (r, groups, outcomes), in an order of groups and outcomes that their names
    have no part in."""
    outcomes = sorted(range(table.shape[1]), key=lambda j: sorted(table[:, j].tolist()))
    ordered = table[:, outcomes]
    ordered = ordered[np.lexsort(ordered.T)]
    rng = np.random.default_rng(seed)
    rows = [rng.multinomial(int(row.sum()), row / row.sum(), RESAMPLES) for row in ordered]
    return np.stack(rows, axis=1).astype(np.float64)


def _epsilon(tables: Array, concentration: float) -> Array:
    """shape (r, groups, outcomes) -> (r,)"""
    m = tables.shape[2]
    p = (tables + concentration / m) / (tables.sum(axis=2, keepdims=True) + concentration)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(p)
        found: Array = (logs.max(axis=1) - logs.min(axis=1)).max(axis=1)
    return found


def subgroup_unfairness(events: npt.ArrayLike, totals: npt.ArrayLike) -> tuple[Estimate, ...]:
    """P(g)·|rate_g - rate| of each group: how much of the whole population's rate a group's deviation is.
    Small groups get small values whatever happens to them, so it stands beside the differences, never alone.
    Undefined for a group without units. No interval: the differences have them.
    Source: Kearns et al. (2018)."""
    k, n = np.asarray(events, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if k.shape != n.shape or k.ndim != 1 or ((k < 0) | (k > n)).any():
        raise ValueError("events and totals: one of each per group, 0 <= events <= totals, expected")
    everyone = n.sum()
    found = []
    for events_here, n_here in zip(k, n, strict=True):
        inputs = kept(events=k, totals=n)
        if n_here == 0:
            found.append(undefined("subgroup unfairness", "no unit", 0, 0, KEARNS_SOURCE, inputs))
            continue
        value = n_here / everyone * abs(events_here / n_here - k.sum() / everyone)
        found.append(
            Estimate(
                value=float(value),
                low=None,
                high=None,
                n=int(n_here),
                method="subgroup unfairness",
                source=KEARNS_SOURCE,
                inputs=inputs,
            )
        )
    return tuple(found)
