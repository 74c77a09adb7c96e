"""Intraclass correlation: agreement of raters on a numeric scale."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, undefined

Model = Literal[1, 2, 3]
ICC_SOURCE = "Shrout and Fleiss (1979); McGraw and Wong (1996)"
MODELS = {
    1: "one-way random, absolute agreement",
    2: "two-way random, absolute agreement",
    3: "two-way mixed, consistency",
}


class Squares(NamedTuple):
    """Mean squares of n items by k raters: items, within items, raters, residual."""

    n: int
    k: int
    items: float
    within: float
    raters: float
    residual: float


def icc(ratings: npt.ArrayLike, model: Model = 2, average: bool = False, level: float = 0.95) -> Estimate:
    """ICC(model, 1), or ICC(model, k) where `average` asks for the mean of the k raters.

    ratings: shape (items, raters), NaN where a score is missing; an item that lacks one is left out whole and
    counted as unscored. model: 1, each item has raters of its own; 2, the raters are a sample of many and
    their levels matter; 3, these raters only, their levels do not matter. The interval is from the F
    distribution, for scores that are roughly normal. Undefined, with a note, for fewer than two complete
    items or raters and where items do not differ and raters do not disagree; without interval where raters
    never disagree. Raises ValueError for another shape, an infinite score or another model.
    Source: Shrout and Fleiss (1979); McGraw and Wong (1996).
    """
    if model not in MODELS:
        raise ValueError(f"model: 1, 2 or 3 expected, found {model!r}")
    scores = _matrix(ratings)
    complete = scores[~np.isnan(scores).any(axis=1)]
    n, unscored = len(complete), len(scores) - len(complete)
    kind = f"ICC({model},{complete.shape[1] if average else 1})"
    method = f"{kind}, {MODELS[model]}, F-based {level:.0%} interval"
    inputs = kept(ratings=scores, model=model, average=average)
    if n < 2 or complete.shape[1] < 2:
        note = "two items scored by two raters or more are needed"
        return undefined(method, note, n, unscored, ICC_SOURCE, inputs)
    squares = mean_squares(complete)
    value = _value(squares, model, average)
    if value is None:
        return undefined(method, "items do not differ: nothing to divide by", n, unscored, ICC_SOURCE, inputs)
    low, high = _bounds(squares, model, average, level)
    note = ""
    if low is None and high is None:
        agreed = (squares.within if model == 1 else squares.residual) == 0
        note = "raters never disagree" if agreed else "no degrees of freedom are left for the interval"
        note += ": no interval"
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, n_unscored=unscored, method=method,
        source=ICC_SOURCE, note=note, inputs=inputs,
    )  # fmt: skip


def mean_squares(scores: Array) -> Squares:
    """Of complete scores, shape (items, raters); what rounding leaves of a zero is zero."""
    n, k = scores.shape
    residue = 1e-26 * float((scores**2).sum())
    centred = scores - scores.mean()
    items = k * float((centred.mean(axis=1) ** 2).sum())
    raters = n * float((centred.mean(axis=0) ** 2).sum())
    within = float(((centred - centred.mean(axis=1, keepdims=True)) ** 2).sum())
    left = centred - centred.mean(axis=1, keepdims=True) - centred.mean(axis=0)
    residual = float((left**2).sum())
    items, raters, within, residual = (0.0 if s <= residue else s for s in (items, raters, within, residual))
    rest = (n - 1) * (k - 1)
    return Squares(n, k, items / (n - 1), within / (n * (k - 1)), raters / (k - 1), residual / rest)


def _matrix(ratings: npt.ArrayLike) -> Array:
    scores = np.asarray(ratings, dtype=np.float64)
    if scores.ndim != 2:
        raise ValueError(f"ratings: expected shape (items, raters), found {scores.shape}")
    if np.isinf(scores).any():
        item, rater = np.argwhere(np.isinf(scores))[0]
        raise ValueError(f"ratings: the score of item {item} by rater {rater} is infinite")
    return scores


def _value(s: Squares, model: Model, average: bool) -> float | None:
    error = s.within if model == 1 else s.residual
    bias = s.k * (s.raters - s.residual) / s.n if model == 2 else 0.0
    over = s.items + bias / s.k if average else s.items + (s.k - 1) * error + bias
    return (s.items - error) / over if over > 0 else None


def _bounds(s: Squares, model: Model, average: bool, level: float) -> tuple[float | None, float | None]:
    """Both None where raters never disagree or no degrees of freedom are left; one alone where infinite."""
    if (s.within if model == 1 else s.residual) == 0:
        return None, None
    if model == 2:
        bounds = _absolute(s, level)
        if bounds is None:
            return None, None
        low, high = bounds
        return (_stepped(low, s.k), _stepped(high, s.k)) if average else (low, high)
    from scipy.special import fdtri

    tail, rest = (1 + level) / 2, s.n * (s.k - 1) if model == 1 else (s.n - 1) * (s.k - 1)
    ratio = s.items / (s.within if model == 1 else s.residual)
    least = ratio / float(fdtri(s.n - 1, rest, tail))
    most = ratio * float(fdtri(rest, s.n - 1, tail))
    if average:
        return 1 - 1 / least, 1 - 1 / most  # items differ, or the value would have been undefined
    return (least - 1) / (least + s.k - 1), (most - 1) / (most + s.k - 1)


def _absolute(s: Squares, level: float) -> tuple[float, float] | None:
    """Bounds of ICC(2,1), with Satterthwaite's degrees of freedom; None where these come out as 0, which
    variances that cancel do when items differ less than raters disagree."""
    from scipy.special import fdtri

    n, k, tail = s.n, s.k, (1 + level) / 2
    value, ratio = _value(s, 2, False) or 0.0, s.raters / s.residual
    rest = n * (1 + (k - 1) * value) - k * value
    df = (k - 1) * (n - 1) * (k * value * ratio + rest) ** 2
    spread = (n - 1) * (k * value * ratio) ** 2 + rest**2
    df = df / spread if spread > 1e-18 else 0.0
    if not df > 1e-9:
        return None
    under, over = float(fdtri(n - 1, df, tail)), float(fdtri(df, n - 1, tail))
    error = k * s.raters + (k * n - k - n) * s.residual
    below, above = under * error + n * s.items, error + n * over * s.items
    # Few degrees of freedom are as bad as none: F has no quantile that a float can hold.
    if not (math.isfinite(below) and math.isfinite(above) and min(below, above) > 0):
        return None
    return n * (s.items - under * s.residual) / below, n * (over * s.items - s.residual) / above


def _stepped(single: float, k: int) -> float | None:
    """Spearman and Brown: from one rater to the mean of k; None at its pole."""
    below = 1 + single * (k - 1)
    return single * k / below if below > 1e-12 else None
