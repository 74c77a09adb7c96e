"""Do the judge's severities still agree with people's as they did?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.domain.outcomes import Decision, Hypothesis
from appliance.statistics import bounded
from appliance.statistics.agreement.kappa import Weights, weight_matrix
from appliance.statistics.arrays import Array, codes, kept, same_length, scores, undefined, untestable
from appliance.statistics.bounded import Spread, spread
from appliance.statistics.equivalence import tost
from appliance.statistics.outcome import decide

LIMIT = 0.10
MIN_N = 30
RATE_ENDS = np.array([0.0, 0.0, 1.0, 1.0])
ONE_EACH = np.array([0.0, 1.0])  # each of two independent runs
PAIRED_ENDS = np.array([-1.0, 1.0])


class AlignmentDrift(Frozen):
    """drop: baseline less current alignment, positive where the judge agrees less with people than before.
    alarm: drop > limit, whatever its uncertainty, None where a run has no scored record. decision: what is
    shown: "flagged", a drop or rise of at least the limit and not chance; "clear", less than the limit
    either way; otherwise open."""

    baseline: Estimate
    current: Estimate
    drop: Estimate
    alarm: bool | None
    decision: Decision


class _Drop(NamedTuple):
    value: float
    centre: float
    se: float
    df: float | None


def alignments(
    human: Sequence[Hashable], judge: Sequence[Hashable], labels: Sequence[Hashable],
    weights: Weights = "linear",
) -> Array:  # fmt: skip
    """Agreement of each record's severities, 1 for equal and 0 for the ends of the scale; NaN where either
    is None. labels: the full scale in order. weights: as `kappa`; "none" is plain agreement. Raises
    ValueError for a severity that is not listed and for different lengths."""
    h, j = codes(human, labels, "human"), codes(judge, labels, "judge")
    same_length(human=h, judge=j)
    found: Array = weight_matrix(len(labels), weights)[h, j]
    found[(h < 0) | (j < 0)] = np.nan
    return found


def alignment(values: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Mean alignment of one run with its interval; undefined where nothing was scored. Raises ValueError
    for values outside 0..1. Source: t, or Agresti and Coull (1998) where few records disagree."""
    found = _checked(values, "values")
    scored = found[~np.isnan(found)]
    lacking, inputs = len(found) - len(scored), kept(values=found)
    if not len(scored):
        method = f"mean alignment, {level:.0%} interval"
        return undefined(method, "nothing was scored", 0, lacking, bounded.SOURCE, inputs)
    s = spread(scored, RATE_ENDS, two_valued=_two_valued(scored))
    value, half = float(scored.mean()), s.half(level)
    return Estimate(
        value=value, low=min(value, max(0.0, s.centre - half)), high=max(value, min(1.0, s.centre + half)),
        level=level, se=s.se, n=len(scored), n_unscored=lacking,
        method=f"mean alignment, {level:.0%} {'plus-four' if s.padded else 't'} interval",
        source=bounded.SOURCE, inputs=inputs,
    )  # fmt: skip


def alignment_drift(
    baseline: npt.ArrayLike,
    current: npt.ArrayLike,
    *,
    paired: bool = False,
    limit: float = LIMIT,
    min_n: int = MIN_N,
    level: float = 0.95,
) -> AlignmentDrift:
    """Drop of alignment between two runs in points of the 0–1 scale, and whether it passes `limit`.

    baseline, current: `alignments` of the records that people labelled in each run, NaN unscored. paired:
    the same records in the same order; records unscored in either run are then left out of the drop. n of
    the decision: pairs, or the smaller run. Raises ValueError for values outside 0..1, a limit that is not
    above 0, and different lengths if paired.
    Sources: t or Welch (1947); where few records disagree Bonett and Price (2012), Agresti and Caffo (2000).
    """
    first, second = _checked(baseline, "baseline"), _checked(current, "current")
    if paired:
        same_length(baseline=first, current=second)
        lacking = np.isnan(first) | np.isnan(second)
        a, b = first[~lacking], second[~lacking]
        n, total, fewer = len(a), len(first), len(a)
    else:
        a, b = first[~np.isnan(first)], second[~np.isnan(second)]
        n, total, fewer = len(a) + len(b), len(first) + len(second), min(len(a), len(b))
    found = None if not fewer else _paired(a, b) if paired else _independent(a, b)
    method = f"drop of alignment, {'paired' if paired else 'independent'} runs"
    inputs = kept(baseline=first, current=second)
    drop = _estimate(found, method, n, total - n, level, inputs)
    test = _test(found, method, n, total - n, inputs)
    question = Hypothesis(
        name="severity alignment", effect=drop, margin=limit, test=test, n=fewer, min_n=min_n,
        equivalence=tost(
            found.centre if found else None, found.se if found else None, found.df if found else None, limit,
            n=n, n_unscored=total - n,
        ),
        reach=1.0 if paired else 2.0,
    )  # fmt: skip
    return AlignmentDrift(
        baseline=alignment(first, level), current=alignment(second, level), drop=drop,
        alarm=None if found is None else found.value > limit + 1e-9,
        decision=decide("severity alignment against the baseline", [question], alpha=1 - level).decisions[0],
    )  # fmt: skip


def _checked(values: npt.ArrayLike, name: str) -> Array:
    found = scores(values, name)
    outside = (found < 0) | (found > 1)
    if outside.any():
        raise ValueError(f"{name}: the alignment at position {int(outside.argmax())} is outside 0..1")
    return found


def _two_valued(values: Array) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _paired(a: Array, b: Array) -> _Drop:
    s = spread(a - b, PAIRED_ENDS, two_valued=_two_valued(a) and _two_valued(b))
    return _Drop(float((a - b).mean()), s.centre, s.se, s.df)


def _independent(a: Array, b: Array) -> _Drop:
    """Welch's t, or both runs padded by one pseudo-observation at each end."""
    value, yes_no = float(a.mean() - b.mean()), _two_valued(a) and _two_valued(b)
    first, second = spread(a, ONE_EACH, two_valued=yes_no), spread(b, ONE_EACH, two_valued=yes_no)
    if first.padded or second.padded:
        first, second = spread(a, ONE_EACH, two_valued=True), spread(b, ONE_EACH, two_valued=True)
    return _Drop(value, first.centre - second.centre, math.hypot(first.se, second.se), _welch(first, second))


def _welch(first: Spread, second: Spread) -> float | None:
    if first.df is None or second.df is None:
        return None
    together: float = (first.se**2 + second.se**2) ** 2
    return together / (first.se**4 / first.df + second.se**4 / second.df)


def _estimate(
    found: _Drop | None, method: str, n: int, n_unscored: int, level: float, inputs: dict[str, object]
) -> Estimate:
    if found is None:
        return undefined(method, "a run has no scored record", n, n_unscored, bounded.SOURCE, inputs)
    half = Spread(found.centre, found.se, found.df).half(level)
    return Estimate(
        value=found.value, low=max(-1.0, min(found.value, found.centre - half)),
        high=min(1.0, max(found.value, found.centre + half)), level=level, se=found.se, n=n,
        n_unscored=n_unscored, source=bounded.SOURCE, inputs=inputs,
        method=f"{method}, {level:.0%} {'padded normal' if found.df is None else 't'} interval",
    )  # fmt: skip


def _test(
    found: _Drop | None, method: str, n: int, n_unscored: int, inputs: dict[str, object]
) -> Significance:
    if found is None:
        return untestable(method, "a run has no scored record", n, n_unscored, bounded.SOURCE, inputs)
    from scipy.special import ndtr, stdtr

    statistic = found.centre / found.se
    tail = ndtr(-abs(statistic)) if found.df is None else stdtr(found.df, -abs(statistic))
    return Significance(
        statistic=statistic, p=float(2 * tail), df=found.df, n=n, n_unscored=n_unscored, method=method,
        source=bounded.SOURCE, inputs=inputs,
    )  # fmt: skip
