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
MOST_LOST = 0.1
KEARNS_SOURCE = "Kearns et al. (2018)"


def epsilon(
    counts: npt.ArrayLike,
    concentration: float = 1.0,
    seed: int = 0,
    level: float = 0.95,
    n_unscored: int = 0,
) -> Estimate:
    """Largest |ln(p_i / p_j)| over all outcomes and pairs of groups; 0 is parity, ln 1.25 the four-fifths
    rule on one outcome.

    counts: shape (groups, outcomes). Probabilities are smoothed, (k + c/m)/(n + c) over m outcomes, so that
    a group without an event has a finite ε; 0 smooths nothing. Groups without a unit are left out and named
    in the note by number. The interval resamples the units of each group (percentile), as independent ones.

    Being a maximum, ε is biased upwards: four equal groups of 50 at 30% show 0.45 on average, and resamples
    never reach 0. The note says what equal groups of these sizes and the pooled probabilities show in as many
    draws; the lower bound is 0 unless ε exceeds that at `level`. Parity is then covered as it should be, an
    ε between parity and what is shown easily less (0.29 over 12 groups of 100 in 82% of samples): read it as
    a summary; what is flagged rests on the differences.

    Undefined for fewer than two groups, and unsmoothed where a group lacks an outcome that another has; no
    interval where that happens in more than a tenth of the resamples. Raises ValueError for what is no table
    of counts and for a concentration below 0.
    Source: Foulds et al. (2020).
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not ((table >= 0) & np.isfinite(table)).all():
        raise ValueError(f"counts: shape (groups, outcomes) of counts expected, found {table.shape}")
    if not 0 <= concentration < np.inf:
        raise ValueError(f"concentration: {concentration} is not 0 or above")
    method = f"ε, smoothed with {concentration:g}, {level:.0%} percentile bootstrap within groups"
    used, n = table[table.sum(axis=1) > 0], int(table.sum())
    inputs = kept(counts=table, concentration=concentration)
    empty = np.flatnonzero(table.sum(axis=1) == 0)
    gone = f"; without a unit, left out: groups {', '.join(map(str, empty))}" if len(empty) else ""
    if len(used) < 2:
        return undefined(method, "fewer than two groups have units", n, n_unscored, EPSILON_SOURCE, inputs)
    value = float(_epsilon(used[np.newaxis], concentration)[0])
    if not np.isfinite(value):
        why = "a probability is 0 and nothing is smoothed: ε is infinite"
        return undefined(method, why, n, n_unscored, EPSILON_SOURCE, inputs)
    shares = used / used.sum(axis=1, keepdims=True)
    low, high, lost = _bounds(_epsilon(_drawn(used, shares, seed), concentration), level)
    everyone = np.broadcast_to(used.sum(axis=0) / used.sum(), used.shape)
    chance = _epsilon(_drawn(used, everyone, seed), concentration)
    middle, most = np.quantile(chance, [0.5, level], method="higher")
    floor = (
        f"equal groups of these sizes show {middle:.3f} in the middle, {level:.0%} of them up to {most:.3f}"
    )
    return Estimate(
        value=value, low=low if low is None or value > most else 0.0, high=high, level=level, n=n,
        n_unscored=n_unscored, method=method, source=EPSILON_SOURCE, note=f"{BIASED}; {floor}{lost}{gone}",
        inputs=inputs,
    )  # fmt: skip


def _bounds(values: Array, level: float) -> tuple[float | None, float | None, str]:
    finite = values[np.isfinite(values)]
    lost = len(values) - len(finite)
    if lost > MOST_LOST * len(values):
        return None, None, f"; infinite in {lost} of {len(values)} resamples: no interval"
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    left_out = f"; infinite in {lost} of {len(values)} resamples, left out" if lost else ""
    return float(low), float(high), left_out


def epsilon_by_dimensions(
    counts: npt.ArrayLike,
    dimensions: Sequence[str],
    concentration: float = 1.0,
    seed: int = 0,
    n_unscored: int = 0,
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
            found[tuple(dimensions[axis] for axis in kept_axes)] = epsilon(
                groups, concentration, seed, n_unscored=n_unscored
            )
    return found


def _drawn(table: Array, shares: Array, seed: int) -> Array:
    """Groups of the table's sizes drawn with their shares, shape (r, groups, outcomes), in an order of groups
    and outcomes that their names have no part in."""
    outcomes = sorted(range(table.shape[1]), key=lambda j: sorted(table[:, j].tolist()))
    groups = np.lexsort(table[:, outcomes].T)
    rng = np.random.default_rng(seed)
    rows = [rng.multinomial(int(table[g].sum()), shares[g][outcomes], RESAMPLES) for g in groups]
    return np.stack(rows, axis=1).astype(np.float64)


def _epsilon(tables: Array, concentration: float) -> Array:
    """shape (r, groups, outcomes) -> (r,)"""
    m = tables.shape[2]
    p = (tables + concentration / m) / (tables.sum(axis=2, keepdims=True) + concentration)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(p)
        # An outcome that no group has is NaN here, and no disparity.
        found: Array = np.fmax.reduce(logs.max(axis=1) - logs.min(axis=1), axis=1)
    return found


def subgroup_unfairness(
    events: npt.ArrayLike, totals: npt.ArrayLike, n_unscored: npt.ArrayLike = 0
) -> tuple[Estimate, ...]:
    """P(g)·|rate_g - rate| of each group: how much of the whole population's rate a group's deviation is.
    Small groups get small values whatever happens to them, so it stands beside the differences, never alone.
    Undefined for a group without units. No interval: the differences have them.
    Source: Kearns et al. (2018)."""
    k, n = np.asarray(events, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if k.shape != n.shape or k.ndim != 1 or ((k < 0) | (k > n)).any():
        raise ValueError("events and totals: one of each per group, 0 <= events <= totals, expected")
    everyone, missing = n.sum(), np.broadcast_to(np.asarray(n_unscored, dtype=np.int64), k.shape)
    found = []
    for events_here, n_here, lost in zip(k, n, missing.tolist(), strict=True):
        inputs = kept(events=k, totals=n)
        if n_here == 0:
            found.append(undefined("subgroup unfairness", "no unit", 0, lost, KEARNS_SOURCE, inputs))
            continue
        value = n_here / everyone * abs(events_here / n_here - k.sum() / everyone)
        found.append(
            Estimate(
                value=float(value),
                low=None,
                high=None,
                n=int(n_here),
                n_unscored=lost,
                method="subgroup unfairness",
                source=KEARNS_SOURCE,
                inputs=inputs,
            )
        )
    return tuple(found)
