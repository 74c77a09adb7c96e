"""Confidence bounds of the noncentrality of a t statistic."""

from __future__ import annotations

import math

from scipy.special import chdtri

HUGE = 1e4  # t from which only the spread of the standard error matters, and the series fails


def bounds_of_noncentrality(t: float, df: float, level: float) -> tuple[float, float]:
    """The noncentralities of which the observed t is an upper and a lower tail of (1 - level) / 2.
    Source: Steiger and Fouladi (1997)."""
    if t < 0:
        low, high = bounds_of_noncentrality(-t, df, level)
        return -high, -low
    return _bound(t, df, (1 + level) / 2), _bound(t, df, (1 - level) / 2)


def _bound(t: float, df: float, tail: float) -> float:
    if t > HUGE:
        return t * math.sqrt(float(chdtri(df, tail)) / df)
    from scipy.optimize import brentq
    from scipy.stats import nct

    def apart(delta: float) -> float:
        below = float(nct.cdf(t, df, delta))
        # Far in a tail the series underflows to NaN: then all of the mass lies on one side.
        return (float(delta < t) if math.isnan(below) else below) - tail

    found: float = brentq(apart, -10 - t, 10 + 3 * t)
    return found
