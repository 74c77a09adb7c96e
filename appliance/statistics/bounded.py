"""Means of values that cannot leave a known range, with an error that holds for few and rare ones.

Fifty records of which none is flagged have a standard error of 0, and a t interval of no width. Where values
lie at the ends of the range, or are so skewed that t does not hold, pseudo-observations at its ends are added
before mean and error are taken: the "plus four" of a proportion, one more of each kind of disagreement for a
paired difference. It covers at least what it says, often more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from appliance.statistics.arrays import Array

SOURCE = "Agresti and Coull (1998), Agresti and Caffo (2000), Bonett and Price (2012)"
COCHRAN = 25.0


class Spread(NamedTuple):
    """centre: of the interval. se: its standard error. df: of t, None for the normal (padded)."""

    centre: float
    se: float
    df: float | None

    @property
    def padded(self) -> bool:
        return self.df is None

    def half(self, level: float) -> float:
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        return float(self.se * (ndtri(tail) if self.df is None else stdtrit(self.df, tail)))


def spread(values: Array, ends: Array, *, two_valued: bool, fitted: int = 1) -> Spread:
    """Centre and error of the mean of at least one value.

    ends: pseudo-observations at the corners of the range, e.g. [0, 0, 1, 1] for a rate. two_valued: the
    values come from yes or no, so padding always fits better than t. Otherwise t is used where Cochran's
    rule allows, n > 25 skewness². fitted: parameters taken from the same values, the mean among them.
    Sources: Agresti and Coull (1998); skewness: Cochran (1977), section 2.15.
    """
    n = len(values)
    if not two_valued and n > fitted and n > COCHRAN * _skewness(values) ** 2:
        mean = float(values.mean())
        se = math.sqrt(float(((values - mean) ** 2).sum()) / (n - fitted) / n)
        return Spread(mean, se, n - fitted)
    padded = np.concatenate([values, ends])
    return Spread(float(padded.mean()), float(padded.std()) / math.sqrt(len(padded)), None)


def _skewness(values: Array) -> float:
    """Infinite where nothing varies: how skewed the values are is then not known."""
    away = values - values.mean()
    sd = math.sqrt(float(np.mean(away**2)))
    if sd < 1e-12 * max(float(np.abs(values).max()), 1e-300):
        return math.inf
    return float(np.mean(away**3)) / sd**3
