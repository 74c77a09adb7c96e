"""Repetition: how stable a judge is when nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics import arrays
from appliance.statistics.arrays import Array, kept, undefined
from appliance.statistics.paired.intervals import mean_difference
from appliance.statistics.paired.pairs import Ids, make_pairs

ANOVA_SOURCE = "Searle, Casella and McCulloch (1992)"


class LabelStability(Frozen):
    """modal_share: mean over items of the share of repeats that give the item's commonest answer; 1 for a
    judge that always repeats itself. noisy: items whose share is below the limit, least stable first.
    n_single: items with fewer than two scored repeats, which show nothing."""

    modal_share: Estimate
    by_item: dict[str, float]
    noisy: tuple[str, ...]
    n_single: int


class ScoreStability(Frozen):
    """within_sd: of repeats of one item, √ of the pooled variance. share_between: part of a single score's
    variance that lies between items (one-way intraclass correlation; the rest is the judge's own noise).
    by_item: standard deviation. noisy: items above the limit, worst first. n_single as above."""

    within_sd: Estimate
    share_between: Estimate
    by_item: dict[str, float]
    noisy: tuple[str, ...]
    n_single: int


def label_stability(answers: Sequence[Any], item: Ids, limit: float = 0.8) -> LabelStability:
    """answers: one a row, None unscored; item: its item. The interval of the mean is t over items."""
    grouped: dict[str, list[Any]] = {}
    for answer, name in zip(answers, item, strict=True):
        grouped.setdefault(str(name), [])
        if answer is not None and answer == answer:
            grouped[str(name)].append(answer)
    shares = {name: max(Counter(a).values()) / len(a) for name, a in grouped.items() if len(a) > 1}
    single = len(grouped) - len(shares)
    values = np.array([shares[name] for name in sorted(shares)])
    mean = mean_difference(make_pairs(values, np.zeros(len(values))))
    bounded = {
        "low": None if mean.low is None else max(mean.low, 0.0),
        "high": None if mean.high is None else min(mean.high, 1.0),
        "method": mean.method.replace("mean difference", "mean modal share"),
        "n_unscored": single,
        "note": "no item has two scored repeats" if not len(values) else mean.note,
    }
    noisy = sorted((share, name) for name, share in shares.items() if share < limit)
    return LabelStability(
        modal_share=mean.model_copy(update=bounded),
        by_item=dict(sorted(shares.items())),
        noisy=tuple(name for _, name in noisy),
        n_single=single,
    )


def score_stability(
    scores: npt.ArrayLike, item: Ids, limit: float = 0.5, level: float = 0.95
) -> ScoreStability:
    """scores: one a row, NaN unscored. within_sd has the chi-square interval of its variance, which supposes
    normal noise; share_between the exact F interval, with the mean number of repeats adjusted for gaps.
    Source: Searle, Casella and McCulloch (1992)."""
    values = arrays.scores(scores, "scores")
    codes = arrays.clusters(item, len(values), "item")
    names = [str(name) for name in dict.fromkeys(item.tolist() if isinstance(item, np.ndarray) else item)]
    scored = ~np.isnan(values)
    counts = np.bincount(codes[scored], minlength=len(names))
    used = scored & (counts[codes] > 1)
    k = int((counts > 1).sum())
    squares = _squares(values[used], codes[used], len(names))
    df = int(counts[counts > 1].sum()) - k
    spread = {names[i]: float(np.sqrt(squares[i] / (counts[i] - 1))) for i in np.flatnonzero(counts > 1)}
    noisy = sorted(((-sd, name) for name, sd in spread.items() if sd > limit))
    return ScoreStability(
        within_sd=_within(float(squares.sum()), df, k, len(names) - k, level, values),
        share_between=_between(
            values[used], codes[used], counts[counts > 1], float(squares.sum()), len(names) - k, level
        ),
        by_item=dict(sorted(spread.items())),
        noisy=tuple(name for _, name in noisy),
        n_single=len(names) - k,
    )


def _squares(values: Array, codes: npt.NDArray[np.int64], k: int) -> Array:
    counts = np.maximum(np.bincount(codes, minlength=k), 1)
    means = np.bincount(codes, values, minlength=k) / counts
    return np.asarray(np.bincount(codes, (values - means[codes]) ** 2, minlength=k), dtype=np.float64)


def _within(squares: float, df: int, k: int, single: int, level: float, values: Array) -> Estimate:
    method, inputs = f"standard deviation within items, {level:.0%} chi-square", kept(scores=values)
    if df < 1:
        return undefined(method, "no item has two scored repeats", 0, single, ANOVA_SOURCE, inputs)
    from scipy.stats import chi2

    value, varies = float(np.sqrt(squares / df)), squares > 0
    tails = chi2.ppf([(1 + level) / 2, (1 - level) / 2], df)
    return Estimate(
        value=value,
        low=float(np.sqrt(squares / tails[0])) if varies else None,
        high=float(np.sqrt(squares / tails[1])) if varies else None,
        level=level,
        n=k,
        n_unscored=single,
        method=method,
        source=ANOVA_SOURCE,
        note="" if varies else "no repeat differs: no interval",
        inputs=inputs,
    )


def _between(
    values: Array,
    codes: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    squares: float,
    single: int,
    level: float,
) -> Estimate:
    method, inputs = f"share of variance between items, {level:.0%} F", kept(scores=values, item=codes)
    k, n = len(counts), int(counts.sum())
    if k < 2 or n - k < 1:
        return undefined(method, "fewer than two items have repeats", k, single, ANOVA_SOURCE, inputs)
    total = float(((values - values.mean()) ** 2).sum())
    if total <= 0:
        return undefined(method, "every score is the same", k, single, ANOVA_SOURCE, inputs)
    typical = (n - float((counts**2).sum()) / n) / (k - 1)  # repeats of an item, were they balanced
    if squares <= 0:
        note = "no repeat differs: no interval"
        return Estimate(
            value=1.0, low=None, high=None, level=level, n=k, n_unscored=single, method=method,
            source=ANOVA_SOURCE, note=note, inputs=inputs,
        )  # fmt: skip
    from scipy.stats import f

    ratio = (total - squares) / (k - 1) / (squares / (n - k))

    def share(r: float) -> float:
        return float((r - 1) / (r - 1 + typical))

    tails = f.ppf([(1 + level) / 2, (1 - level) / 2], k - 1, n - k)
    return Estimate(
        value=share(ratio), low=share(ratio / tails[0]), high=share(ratio / tails[1]),
        level=level, n=k, n_unscored=single, method=method, source=ANOVA_SOURCE, inputs=inputs,
    )  # fmt: skip
