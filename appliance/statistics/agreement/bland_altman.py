"""Bland–Altman: how far two raters' numeric scores of one item differ."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, same_length, scores, undefined

SOURCE = "Bland and Altman (1986, 1999)"
LIMIT = 1.96


class BlandAltman(Frozen):
    """bias: mean of first - second. lower_limit, upper_limit: where 95% of the differences are expected.
    proportional_bias: slope of the difference on the mean of both, 0 where the difference does not grow with
    the score. All in the unit of the scores, the slope without one."""

    bias: Estimate
    lower_limit: Estimate
    upper_limit: Estimate
    proportional_bias: Estimate


def bland_altman(first: npt.ArrayLike, second: npt.ArrayLike, multiplier: float = LIMIT) -> BlandAltman:
    """Bias and limits of agreement of two raters, each with its t interval.

    first, second: scores of the same items, NaN where unscored; such pairs are left out and counted.
    Standard errors: s / sqrt(n) of the bias, sqrt(3 s^2 / n) of a limit. multiplier: of s, 1.96; the paper
    of 1986 has 2. Items are taken for independent and the differences for roughly normal and of one spread
    over the scale. Undefined, with a note, without pairs (bias), under two (limits) and under three, or where
    the means of the pairs do not vary (slope); intervals need two different differences.
    Raises ValueError for lengths that differ or an infinite score.
    Source: Bland and Altman (1986, 1999); the slope: ordinary least squares.
    """
    x, y = scores(first, "first"), scores(second, "second")
    n = same_length(first=x, second=y)
    inputs = kept(first=x, second=y)
    scored = ~(np.isnan(x) | np.isnan(y))
    difference, middle = (x - y)[scored], ((x + y) / 2)[scored]
    common = {"n": len(difference), "n_unscored": n - len(difference), "source": SOURCE, "inputs": inputs}
    s = float(difference.std(ddof=1)) if len(difference) > 1 else None
    if s is not None and s <= 1e-13 * float(np.abs(np.concatenate([x[scored], y[scored]])).max()):
        s = 0.0  # what rounding leaves
    bias = float(difference.mean()) if len(difference) else None
    return BlandAltman(
        bias=_estimate("bias", bias, s, 1.0, common),
        lower_limit=_estimate("lower limit of agreement", bias, s, 3.0, common, -multiplier),
        upper_limit=_estimate("upper limit of agreement", bias, s, 3.0, common, multiplier),
        proportional_bias=_slope(difference, middle, common),
    )


def _estimate(
    name: str, bias: float | None, s: float | None, inflation: float, common: dict[str, object],
    multiplier: float = 0.0,
) -> Estimate:  # fmt: skip
    from scipy.special import stdtrit

    method = f"Bland–Altman {name}, 95% t interval"
    n = common["n"]
    if bias is None or (s is None and multiplier):
        note = "no pair was scored" if bias is None else "one pair shows no spread"
        return undefined(method, note, **common)  # type: ignore[arg-type]
    value = bias + multiplier * (s or 0.0)
    if not s or not isinstance(n, int):
        note = "one pair: no interval" if s is None else "all differences are alike: no interval"
        fields = {"value": value, "low": None, "high": None, "method": method, "note": note}
        return Estimate.model_validate(fields | common)
    se = (inflation * s**2 / n) ** 0.5
    half = float(stdtrit(n - 1, 0.975)) * se
    fields = {"value": value, "low": value - half, "high": value + half, "se": se, "method": method}
    return Estimate.model_validate(fields | common)


def _slope(difference: Array, middle: Array, common: dict[str, object]) -> Estimate:
    from scipy.special import stdtrit
    from scipy.stats import linregress

    method = "slope of the difference on the mean, least squares, 95% t interval"
    n = len(difference)
    if n < 3 or np.ptp(middle) <= 1e-13 * np.abs(middle).max():
        note = "three pairs are needed" if n < 3 else "the means of the pairs do not vary"
        return undefined(method, note, **common)  # type: ignore[arg-type]
    found = linregress(middle, difference)
    width = float(stdtrit(n - 2, 0.975)) * float(found.stderr)
    half = width if width > 1e-13 else None  # differences that do not vary: no error, or no number
    fields = {
        "value": found.slope,
        "low": None if half is None else found.slope - half,
        "high": None if half is None else found.slope + half,
        "se": None if half is None else found.stderr,
        "method": method,
        "note": "all pairs lie on one line: no interval" if half is None else "",
    }
    return Estimate.model_validate(fields | common)
