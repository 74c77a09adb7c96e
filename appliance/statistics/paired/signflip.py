"""The null distribution of a sum of values whose signs are a coin's.

It is what both the permutation test of the mean and the signed-rank test need, ties and zeros included.
scipy's exact signed-rank distribution knows neither, so it is made here: by convolution where the values lie
on a grid (scores, their averages over repeats, mid-ranks), by enumeration for few, by seeded draws else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, ndtr

from appliance.statistics.arrays import Array

WORK = 200_000_000  # additions of the convolution: about a third of a second
ROUNDING = 1e-9  # of the largest value: closer values are the same
SMALLEST = 1e-25  # smaller chances are not told apart; p is never below
ENUMERATED = 16
DRAWS = 9_999
DRAWN_AT_ONCE = 500
MANY = 5_000  # values off any grid from which the normal distribution serves,
EVEN = 1e-3  # provided that none of them dominates: Σv⁴ / (Σv²)²


class FlipTest(NamedTuple):
    """p two-sided; mid_p counts half of what equals the observed sum; how: exact, or the number of draws."""

    p: float
    mid_p: float
    how: str


def flip_test(values: Array, seed: int = 0, draws: int = DRAWS) -> FlipTest:
    """P(|sum of ±values| >= |sum of values|), signs independent and fair. 1 where all values are zero.

    Exact for values on a grid, however many, and for up to 16 of any kind. Else drawn at random, counting the
    observed signs as one draw, so that p is never 0 (Phipson and Smyth 2010), and ten times as often where
    the first p is below 0.01. More than 5,000 values off any grid take the normal distribution.
    """
    sizes = np.abs(values)
    real = sizes > ROUNDING * sizes.max(initial=0.0)
    sizes, signs = sizes[real], np.sign(values[real])
    if not len(sizes):
        return FlipTest(1.0, 1.0, "exact")
    whole = on_grid(sizes)
    if whole is not None and _work(whole) <= WORK:
        return FlipTest(*_by_convolution(whole, abs(float(signs @ whole))), "exact")
    order = np.argsort(sizes, kind="stable")  # the draws must not depend on the order of the values
    observed, sizes = abs(float(signs[order] @ sizes[order])), sizes[order]
    if len(sizes) <= ENUMERATED:
        every = 1 - 2 * ((np.arange(2 ** len(sizes))[:, np.newaxis] >> np.arange(len(sizes))) & 1)
        reached, half = _reaches(every @ sizes, observed)
        return FlipTest(reached / len(every), half / len(every), "exact")
    squares = float((sizes**2).sum())
    if len(sizes) > MANY and float((sizes**4).sum()) < EVEN * squares**2:
        p = max(2 * float(ndtr(-observed / squares**0.5)), SMALLEST)
        return FlipTest(p, p, "normal")
    first = _by_draws(sizes, observed, seed, draws)
    # Both p are valid, and the second is used only where the first rejects: the level holds.
    return first if first.p >= 0.01 else _by_draws(sizes, observed, seed, 10 * draws)


def positive_sums(whole: Array) -> tuple[int, Array]:
    """A sum t and P(sum of those with a positive sign = t, t + 1, ...), values whole numbers above 0. Sums at
    both ends whose chance is far below `SMALLEST` are left out."""
    found, total = np.ones(1), 0
    for value, count in _counted(whole):
        chances = _trimmed(np.exp(_log_choose(count) - count * np.log(2.0)))
        spread = np.zeros(len(found) + value * (len(chances) - 1))
        for i, chance in enumerate(chances.tolist()):
            spread[i * value : i * value + len(found)] += chance * found
        found, total = _trimmed(spread), total + value * count
    return (total - (len(found) - 1)) // 2, found


def on_grid(sizes: Array) -> Array | None:
    """The values as multiples of the largest number that divides them all, None without one. Euclid's
    algorithm, stopped at rounding, so that units do not matter."""
    distinct = np.unique(sizes)
    least, unit = ROUNDING * float(distinct[-1]), 0.0
    for size in distinct.tolist():
        a, b = size, unit
        while b > least:
            a, b = b, a % b
        unit = a
        if unit < 1000 * least:
            return None
    whole: Array = np.round(sizes / (distinct[-1] / round(distinct[-1] / unit)))
    return whole


def _counted(whole: Array) -> Iterator[tuple[int, int]]:
    values, counts = np.unique(whole.astype(np.int64), return_counts=True)
    return zip(values.tolist(), counts.tolist(), strict=True)


def _work(whole: Array) -> float:
    """Additions that the convolution takes; 24 standard deviations hold all but `SMALLEST`."""
    width = min(float(whole.sum()), 24 * math.sqrt((whole**2).sum()))
    return width * sum(min(float(count), 12 * math.sqrt(count)) for _, count in _counted(whole))


def _log_choose(n: int) -> Array:
    k = np.arange(n + 1)
    found: Array = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found


def _trimmed(chances: Array) -> Array:
    """Without the ends below 1e-40; the chances are symmetric and rise to the middle up to small dents."""
    kept = np.flatnonzero(chances >= 1e-40)
    out = min(int(kept[0]), len(chances) - 1 - int(kept[-1]))
    return chances[out : len(chances) - out]


def _by_convolution(whole: Array, observed: float) -> tuple[float, float]:
    chances = positive_sums(whole)[1]
    sums = np.abs(2 * np.arange(len(chances)) - (len(chances) - 1))
    beyond, equal = float(chances[sums > observed].sum()), float(chances[sums == observed].sum())
    return max(min(1.0, beyond + equal), SMALLEST), max(beyond + equal / 2, SMALLEST)


def _by_draws(sizes: Array, observed: float, seed: int, draws: int) -> FlipTest:
    """Signs are bytes: each byte's eight signs pick one of 256 sums made beforehand."""
    padded = np.concatenate([sizes, np.zeros(-len(sizes) % 8)]).reshape(-1, 8)
    every = 1 - 2 * ((np.arange(256)[:, np.newaxis] >> np.arange(8)) & 1)
    table = (padded @ every.T).ravel()
    start = 256 * np.arange(len(padded))
    rng, reached, half = np.random.default_rng(seed), 1.0, 1.0
    for done in range(0, draws, DRAWN_AT_ONCE):
        picked = rng.integers(0, 256, (min(DRAWN_AT_ONCE, draws - done), len(padded)))
        counted = _reaches(table[picked + start].sum(axis=1), observed)
        reached, half = reached + counted[0], half + counted[1]
    return FlipTest(reached / (1 + draws), half / (1 + draws), f"{draws:,} random draws")


def _reaches(sums: Array, observed: float) -> tuple[float, float]:
    """How many |sum| >= observed, and the same with 1/2 for those that are equal up to rounding."""
    apart = np.abs(sums) - observed
    equal = np.abs(apart) <= 1e-12 * max(float(np.abs(sums).max()), observed)
    beyond = float(((apart > 0) & ~equal).sum())
    return beyond + float(equal.sum()), beyond + float(equal.sum()) / 2
