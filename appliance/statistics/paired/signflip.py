"""The exact null distribution of a sum of values whose signs are a coin's.

It is what both the permutation test of the mean and the signed-rank test need, ties and zeros included.
scipy's exact signed-rank distribution knows neither, so it is made here: by convolution where the values lie
on a grid (scores, their averages over repeats, mid-ranks), by enumeration for few, by seeded draws else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from appliance.statistics.arrays import Array

GRIDS = 120  # finest grid looked for: 1/120 covers averages over up to 6, 8, 10, 12, 15, 20 repeats
WORK = 40_000_000  # cells of the convolution: about a tenth of a second
ENUMERATED = 16
DRAWS = 9_999


class FlipTest(NamedTuple):
    """p two-sided; mid_p counts half of what equals the observed sum; how: exact, or the number of draws."""

    p: float
    mid_p: float
    how: str


def flip_test(values: Array, seed: int = 0, draws: int = DRAWS) -> FlipTest:
    """P(|sum of ±values| >= |sum of values|), signs independent and fair. 1 where all values are zero.
    Drawn at random where it cannot be exact, counting the observed signs as one draw, so that p is never 0
    (Phipson and Smyth 2010)."""
    sizes = np.abs(values[values != 0])
    if not len(sizes):
        return FlipTest(1.0, 1.0, "exact")
    whole = _on_grid(sizes)
    if whole is not None and len(whole) * int(whole.sum()) <= WORK:
        observed = abs(int(np.round(values.sum() * whole.sum() / sizes.sum())))
        return FlipTest(*_by_convolution(whole, observed), "exact")
    observed_sum = abs(float(values.sum()))
    if len(sizes) <= ENUMERATED:
        signs = 1 - 2 * ((np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1)
        counted = _reaches(signs @ sizes, observed_sum)
        return FlipTest(float(counted[0].mean()), float(counted[1].mean()), "exact")
    rng = np.random.default_rng(seed)
    reached, half = 0.0, 0.0
    for start in range(0, draws, 1000):
        count = min(1000, draws - start)
        signs = 1 - 2 * rng.integers(0, 2, (count, len(sizes)))
        counted = _reaches(signs @ np.sort(sizes), observed_sum)
        reached, half = reached + float(counted[0].sum()), half + float(counted[1].sum())
    how = f"{draws:,} random draws"
    return FlipTest((1 + reached) / (1 + draws), (1 + half) / (1 + draws), how)


def positive_sums(whole: Array) -> Array:
    """P(sum of those with a positive sign = t) for t = 0..sum, values whole numbers above 0."""
    found = np.zeros(int(whole.sum()) + 1)
    found[0] = 1.0
    top = 0
    for value in np.sort(whole).astype(int).tolist():
        top += value
        found[value : top + 1] = 0.5 * (found[value : top + 1] + found[: top + 1 - value].copy())
        found[:value] *= 0.5
    return found


def _by_convolution(whole: Array, observed: int) -> tuple[float, float]:
    chances = positive_sums(whole)
    sums = np.abs(2 * np.arange(len(chances)) - (len(chances) - 1))
    beyond, equal = float(chances[sums > observed].sum()), float(chances[sums == observed].sum())
    return min(1.0, beyond + equal), beyond + equal / 2


def _on_grid(sizes: Array) -> Array | None:
    """The values as whole numbers of the coarsest grid 1/k that holds them all, or None."""
    for k in range(1, GRIDS + 1):
        scaled = sizes * k
        whole = np.round(scaled)
        if np.abs(scaled - whole).max() < 1e-7 * k and (whole > 0).all():
            common = np.gcd.reduce(whole.astype(np.int64))
            found: Array = whole / common
            return found
    return None


def _reaches(sums: Array, observed: float) -> tuple[Array, Array]:
    """1 where |sum| >= observed, and the same with 1/2 where they are equal up to rounding."""
    apart = np.abs(sums) - observed
    equal = np.abs(apart) <= 1e-12 * max(observed, 1.0)
    reached = ((apart > 0) | equal).astype(np.float64)
    return reached, reached - equal / 2
