"""Preferences between two orders or sides: the pairs that change decide, and they are few."""

from __future__ import annotations

import math

import numpy as np

from appliance.statistics.power.planned import Planned, crossing, quantiles

SOURCE = "Miettinen (1968)"


def preference_power(
    n: int, fairness: float, discordant: float, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Power of the exact test of `position.position_bias` and of exact McNemar: n pairs judged in both
    orders, a share `discordant` changes its winner, recency less primacy is `fairness` of all pairs. Summed
    over every number of discordant pairs. Raises ValueError unless |fairness| <= discordant <= 1."""
    _check(fairness, discordant)
    quantiles(alpha, tests, 0.8)
    return Planned(
        value=_exact(n, fairness, discordant, alpha / tests), unit="probability", alpha=alpha, tests=tests,
        method=f"exact test of preference {fairness:g}, n {n}, {discordant:.0%} discordant", source=SOURCE,
    )  # fmt: skip


def preference_n(
    fairness: float, discordant: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Pairs with which the exact test shows this preference fairness; see `preference_power`. Power goes up
    and down by a little from one n to the next; this is the least from which it stays. Undefined for 0."""
    approximate = preference_n_normal(fairness, discordant, power, alpha, tests).value
    found = None
    if approximate is not None:
        found = float(_least_n(math.ceil(approximate), fairness, discordant, power, alpha / tests))
    return Planned(
        value=found, unit="pairs", power=power, alpha=alpha, tests=tests, source=SOURCE,
        method=f"exact test of preference {fairness:g}, {discordant:.0%} discordant",
        note="" if found else "no number of pairs shows 0",
    )  # fmt: skip


def preference_n_normal(
    fairness: float, discordant: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """The textbook's number of pairs, (z + z)²(ψ - δ²)/δ²: 149 for δ .10 of ψ .20, with which the exact test
    has a power of 74% and not 80%. For comparison with publications. Source: Miettinen (1968)."""
    _check(fairness, discordant)
    z = sum(quantiles(alpha, tests, power))
    found = z**2 * (discordant - fairness**2) / fairness**2 if fairness else None
    return Planned(
        value=found, unit="pairs", power=power, alpha=alpha, tests=tests, source=SOURCE,
        method=f"normal test of preference {fairness:g}, {discordant:.0%} discordant",
        note="" if found is not None else "no number of pairs shows 0",
    )  # fmt: skip


def preference_mde(
    n: int, discordant: float, power: float = 0.8, alpha: float = 0.05, tests: int = 1
) -> Planned:
    """Smallest preference fairness that the exact test shows with n pairs. Undefined where even pairs that
    all change to one side are too few."""
    _check(0.0, discordant)
    quantiles(alpha, tests, power)
    found = None
    if discordant and _exact(n, discordant, discordant, alpha / tests) >= power:
        found = crossing(
            lambda f: _exact(n, min(f, discordant), discordant, alpha / tests) - power, 1e-6, 2 * discordant
        )
    return Planned(
        value=found, unit="preference fairness", power=power, alpha=alpha, tests=tests, source=SOURCE,
        method=f"exact test, n {n}, {discordant:.0%} discordant",
        note="" if found else "too few pairs change their winner: nothing can be shown",
    )  # fmt: skip


def _check(fairness: float, discordant: float) -> None:
    if not abs(fairness) <= discordant <= 1:
        raise ValueError(f"|fairness| {fairness} is at most the discordant share {discordant}, at most 1")


def _least_n(n: int, fairness: float, discordant: float, power: float, level: float) -> int:
    """n: about as many, to start from."""

    def enough(n: int) -> bool:
        return _exact(n, fairness, discordant, level) >= power

    high = n
    while not enough(high):
        high *= 2
    while high - n > 1:  # bisection finds one of the crossings, the last one is within about √n
        middle = (n + high) // 2
        n, high = (n, middle) if enough(middle) else (middle, high)
    last = high + math.isqrt(high) + 20
    while last > 1 and enough(last - 1):
        last -= 1
    return last


def _exact(n: int, fairness: float, discordant: float, level: float) -> float:
    from scipy.stats import binom

    if not discordant:
        return 0.0
    changed = np.arange(1, n + 1)
    chance = binom.pmf(changed, n, discordant)
    changed, chance = changed[chance > 1e-12], chance[chance > 1e-12]
    # Two-sided exact p is twice the tail: the largest count whose tail stays at level/2.
    last = binom.ppf(level / 2, changed, 0.5)
    last -= binom.cdf(last, changed, 0.5) > level / 2
    share = 0.5 + fairness / discordant / 2
    rejected = binom.cdf(last, changed, share) + binom.sf(changed - last - 1, changed, share)
    return float(chance @ np.where(last >= 0, rejected, 0.0))
