"""Two groups' corrected rates beside each other. Intervals that are not symmetric stay so."""

from __future__ import annotations

import math

from scipy.special import ndtr, ndtri

from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.arrays import kept, undefined, untestable
from appliance.statistics.equivalence import tost

SOURCE = "Zou and Donner (2008)"


def corrected_difference(first: Estimate, second: Estimate) -> Estimate:
    """first - second of two independent estimates (two groups, each with gold of its own), its interval
    from theirs (MOVER). Undefined, with the reason, where either is. n: the smaller. Raises ValueError for
    two levels.
    Source: Zou and Donner (2008)."""
    method = f"difference, {_level(first, second):.0%} MOVER interval"
    missing = _missing(first, second)
    inputs, n = kept(first=first, second=second), min(first.n, second.n)
    unscored = first.n_unscored + second.n_unscored
    if missing or first.value is None or second.value is None:
        return undefined(method, missing, n, unscored, SOURCE, inputs)
    value = first.value - second.value
    se = None if first.se is None or second.se is None else math.hypot(first.se, second.se)
    low, high = _mover(_bounds(first), _bounds(second))
    return Estimate(
        value=value, low=low, high=high, level=first.level, se=se, n=n, n_unscored=unscored, method=method,
        source=SOURCE, inputs=inputs,
    )  # fmt: skip


def corrected_ratio(first: Estimate, second: Estimate) -> Estimate:
    """first / second, the impact ratio of two corrected rates that are not negative; interval by MOVER of
    their logarithms, its upper bound None, infinite, where the second may be 0. Undefined where either is,
    or the second is 0. Raises ValueError for two levels and negative estimates.
    Source: Zou and Donner (2008)."""
    method = f"ratio, {_level(first, second):.0%} MOVER interval of logarithms"
    missing = _missing(first, second)
    inputs, n = kept(first=first, second=second), min(first.n, second.n)
    unscored = first.n_unscored + second.n_unscored
    missing = missing or ("the second rate is 0" if second.value == 0 else "")
    if missing or first.value is None or second.value is None:
        return undefined(method, missing, n, unscored, SOURCE, inputs)
    if min(first.value, second.value) < 0:
        raise ValueError("first and second: rates of 0 or more expected")
    above, below = [_log(v) for v in _bounds(first)], [_log(v) for v in _bounds(second)]
    low, high = _ratio_bounds(above, below)
    return Estimate(
        value=first.value / second.value, low=low, high=high, level=first.level, n=n, n_unscored=unscored,
        method=method, source=SOURCE, inputs=inputs,
        note="" if high is not None else "the second rate may be 0: the ratio has no upper bound",
    )  # fmt: skip


def corrected_disparity(
    name: str, first: Estimate, second: Estimate, *, margin: float, min_n: int,
    unscored_share: float | None = None,
) -> Hypothesis:  # fmt: skip
    """The difference of two corrected rates for `outcome.decide`. The test rejects exactly where the
    difference's interval excludes 0, TOST takes the wider half of it. min_n: of the n of the estimates,
    gold records. unscored_share: of the audited records of the group in which most is unscored; without it
    they are held against the gold records, which is far too strict where these are few.
    Raises ValueError as `corrected_difference`."""
    effect = corrected_difference(first, second)
    z = float(ndtri((1 + effect.level) / 2))
    test, wider = untestable("inverted MOVER interval", effect.note or "no interval", effect.n), None
    if effect.value is not None and effect.low is not None and effect.high is not None:
        below, above = effect.value - effect.low, effect.high - effect.value
        wider, towards_0 = max(below, above) / z, (below if effect.value > 0 else above) / z
        statistic = effect.value / towards_0 if towards_0 > 0 else None
        test = Significance(
            statistic=statistic, p=None if statistic is None else float(2 * ndtr(-abs(statistic))),
            n=effect.n, n_unscored=effect.n_unscored, method="inverted MOVER interval", source=SOURCE,
            note="the interval has no width" if statistic is None else "", inputs=effect.inputs,
        )  # fmt: skip
    equivalence = tost(effect.value, wider, None, margin, n=effect.n, n_unscored=effect.n_unscored)
    return Hypothesis(
        name=name, effect=effect, margin=margin, test=test, equivalence=equivalence, n=effect.n, min_n=min_n,
        unscored_share=unscored_share, reach=2.0,
    )  # fmt: skip


def _ratio_bounds(first: list[float], second: list[float]) -> tuple[float, float | None]:
    """Bounds of exp(first - second), each given as value, low, high on the log scale."""
    if math.isinf(first[0]):  # a rate of 0: the distance to its upper bound is all there is
        high = math.inf if math.isinf(second[1]) else first[2] - second[1]
        return 0.0, None if math.isinf(high) else math.exp(high)
    low, high = _mover((first[0], first[1], first[2]), (second[0], second[1], second[2]))
    return (0.0 if math.isinf(low) else math.exp(low)), (None if math.isinf(high) else math.exp(high))


def _mover(first: tuple[float, float, float], second: tuple[float, float, float]) -> tuple[float, float]:
    a, a_low, a_high = first
    b, b_low, b_high = second
    return a - b - math.hypot(a - a_low, b_high - b), a - b + math.hypot(a_high - a, b - b_low)


def _bounds(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None and estimate.low is not None and estimate.high is not None
    return estimate.value, estimate.low, estimate.high


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _level(first: Estimate, second: Estimate) -> float:
    if first.level != second.level:
        raise ValueError(f"first and second: one level expected, found {first.level} and {second.level}")
    return first.level


def _missing(first: Estimate, second: Estimate) -> str:
    for name, estimate in (("first", first), ("second", second)):
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return (
                f"the {name} rate has no {'value' if estimate.value is None else 'interval'}: {estimate.note}"
            )
    return ""
