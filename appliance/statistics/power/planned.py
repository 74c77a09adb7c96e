"""What a planned design can show, before any call is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from pydantic import Field

from appliance.domain.base import Frozen

STRICT = 1e3  # critical t above which its own chi-square decides, and the noncentral series does not end
NORMAL_FROM = 1e5  # degrees of freedom from which t is the normal to six digits


class Planned(Frozen):
    """value: what was asked for, in `unit` (a number of units, an effect, a probability); None where no value
    answers it, and `note` says why. alpha: two-sided level of the family; tests: how many tests it is shared
    among (Bonferroni, so that Holm's strictest step is met)."""

    value: float | None
    unit: str
    power: float | None = Field(default=None, ge=0, le=1)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    tests: int = Field(default=1, ge=1)
    method: str
    source: str
    note: str = ""


def quantiles(alpha: float, tests: int, power: float) -> tuple[float, float]:
    """Normal quantiles of the level and of the power: 1.96 and 0.84 at 5% and 80%. Raises ValueError for
    values outside 0..1 and fewer than one test."""
    if not (0 < alpha < 1 and 0 < power < 1 and tests >= 1):
        raise ValueError(f"alpha {alpha} and power {power} lie between 0 and 1, tests {tests} is 1 or more")
    from scipy.special import ndtri

    return -float(ndtri(alpha / tests / 2)), float(ndtri(power))


@lru_cache(maxsize=1024)
def detectable_ratio(level: float, power: float, df: float | None = None) -> float:
    """Effect over standard error that a two-sided test at `level` shows with `power`: 2.80 at 5% and 80% by
    the normal (df None), else the noncentrality of t. Adding the quantiles of t instead falls short where few
    clusters meet a strict level: by 10% with 4 df at 0.1%. The chance of rejecting on the wrong side is left
    out. Source: Cohen (1988), noncentral t."""
    from scipy.special import chdtri, nctdtrinc, stdtrit

    if df is None or df > NORMAL_FROM:
        return sum(quantiles(level, 1, power))
    critical = -float(stdtrit(df, level / 2))
    if critical > STRICT:  # T passes so high a bound when its denominator is small
        return critical * math.sqrt(float(chdtri(df, 1 - power)) / df)
    return float(nctdtrinc(df, 1 - power, critical))


def crossing(excess: Callable[[float], float], low: float, high: float) -> float | None:
    """Where an increasing function crosses 0, None if it does not in between; searched on the log scale."""
    from scipy.optimize import brentq

    if excess(low) >= 0:
        return low
    top = low
    while excess(top) < 0:
        top *= 2
        if top > high:
            return None
    found: float = brentq(excess, top / 2, top, xtol=1e-9)
    return found
