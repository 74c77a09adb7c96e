"""Repetition of scores: the judge's own noise, and what part of a score it is.

A judge is not equally noisy about every item: it repeats itself on most and wavers on some. The textbook
intervals (chi-square for the variance, F for the intraclass correlation) suppose that it is. On scores of 1
to 5 of which a tenth or a third waver they cover 28% to 67% and 47% to 82%; the jackknife over items, which
supposes nothing of the kind, 94% to 99% (30 to 150 items).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes, kept, undefined
from appliance.statistics.judging.stability import clusters_of_items, item_names
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.resampling import cluster_sums

SOURCE = "Searle, Casella and McCulloch (1992); jackknife: Arvesen (1969)"
LEVEL = 0.95


class ItemScores(Frozen):
    """n: scored repeats. mean, sd: of them."""

    item: Any
    n: int
    mean: float
    sd: float


class ScoreStability(Frozen):
    """within_sd: of repeats of one item, √ of the pooled variance. share_between: part of a single score's
    variance that lies between items (one-way intraclass correlation; the rest is the judge's own noise; below
    0 where items differ less than repeats do). between_sd: √ of the variance between items, 0 where that
    would be negative. items: with two scored repeats or more. noisy: those with a standard deviation above
    the limit, worst first. n_single: the items with fewer, which show nothing."""

    within_sd: Estimate
    share_between: Estimate
    between_sd: float | None
    items: tuple[ItemScores, ...]
    noisy: tuple[Any, ...]
    n_single: int


def score_stability(
    scores: npt.ArrayLike, item: Ids, *, cluster: Ids | None = None, limit: float = 0.5
) -> ScoreStability:
    """scores: one a row, NaN unscored; item: its item; cluster: items of one template, which the jackknife
    leaves out together. Raises ValueError for lengths that differ, infinite scores, an item in two clusters
    and a limit below 0. Sources: Searle, Casella and McCulloch (1992), Arvesen (1969)."""
    if not limit >= 0:
        raise ValueError(f"limit: a standard deviation is 0 or more, found {limit}")
    values = arrays.scores(scores, "scores")
    codes, names = arrays.clusters(item, len(values), "item"), item_names(item)
    items, parts, used = _items(values, codes, names)
    groups = clusters_of_items(cluster, codes, len(names))[used]
    sums = cluster_sums(parts, np.unique(groups, return_inverse=True)[1].astype(np.int64))
    single, noisy = len(names) - len(items), [i for i in items if i.sd > limit]
    told = {
        "n": len(items),
        "n_unscored": single,
        "source": SOURCE,
        "inputs": kept(scores=values, item=codes),
    }
    return ScoreStability(
        within_sd=_within_sd(sums, told),
        share_between=_share_between(sums, told),
        between_sd=_between_sd(sums.sum(axis=0)) if len(items) > 1 else None,
        items=items,
        noisy=tuple(i.item for i in sorted(noisy, key=lambda i: (-i.sd, str(i.item)))),
        n_single=single,
    )


def _items(values: Array, codes: Codes, names: list[Any]) -> tuple[tuple[ItemScores, ...], Array, Codes]:
    """Items with repeats; what each adds to the sums (1, n, n², Σx, (Σx)²/n, squares within), x measured
    from the mean of all; and their numbers."""
    scored = ~np.isnan(values)
    centre = float(values[scored].mean()) if scored.any() else 0.0
    x, of = values[scored] - centre, codes[scored]
    rounding = 1e-12 * float(np.abs(x).max(initial=0.0))
    counts = np.bincount(of, minlength=len(names))
    used = np.flatnonzero(counts > 1)
    n, total = counts[used].astype(np.float64), np.bincount(of, x, minlength=len(names))
    means = total / np.maximum(counts, 1)
    squares = np.bincount(of, (x - means[of]) ** 2, minlength=len(names))[used]
    squares[squares <= n * rounding**2] = 0.0  # repeats that are equal but for rounding
    total = total[used]
    sds = np.sqrt(squares / (n - 1))
    items = tuple(
        ItemScores(item=names[i], n=int(counts[i]), mean=float(means[i] + centre), sd=float(sd))
        for i, sd in zip(used.tolist(), sds, strict=True)
    )
    return items, np.stack([np.ones(len(n)), n, n**2, total, total**2 / n, squares], axis=1), used


def _variance(sums: Array) -> Array:
    """Within items, of rows of sums, shape (r, 6) -> (r,)."""
    found: Array = sums[:, 5] / (sums[:, 1] - sums[:, 0])
    return found


def _ratio(sums: Array) -> Array:
    """F: mean square between items over the one within, shape (r, 6) -> (r,)."""
    between = (sums[:, 4] - sums[:, 3] ** 2 / sums[:, 1]) / (sums[:, 0] - 1)
    between[between <= 1e-9 * _variance(sums)] = 0.0  # equal means but for rounding
    found: Array = between / _variance(sums)
    return found


def _typical(sums: Array) -> float:
    """Repeats of an item, were they balanced."""
    return float((sums[1] - sums[2] / sums[1]) / (sums[0] - 1))


def _within_sd(sums: Array, told: dict[str, Any]) -> Estimate:
    method = f"standard deviation within items, {LEVEL:.0%} jackknife on the log scale"
    if not len(sums):
        return undefined(method, "no item has two scored repeats", **told)
    value = float(_variance(sums.sum(axis=0)[np.newaxis])[0])
    half, note = _half(sums, lambda s: np.log(_variance(s)))
    bounds = (None, None) if half is None else (value * math.exp(-half), value * math.exp(half))
    low, high = (None if b is None else math.sqrt(b) for b in bounds)
    return Estimate(value=math.sqrt(value), low=low, high=high, level=LEVEL, method=method, note=note, **told)


def _share_between(sums: Array, told: dict[str, Any]) -> Estimate:
    method = f"share of variance between items, {LEVEL:.0%} jackknife of log F"
    total = sums.sum(axis=0)
    if told["n"] < 2:
        return undefined(method, "fewer than two items have repeats", **told)
    if total[5] <= 0:
        if np.ptp(sums[:, 3] / sums[:, 1]) <= 1e-12 * float(np.nanmax(np.abs(told["inputs"]["scores"]))):
            return undefined(method, "every score is the same", **told)
        note = "no repeat differs: no interval"
        return Estimate(value=1.0, low=None, high=None, level=LEVEL, method=method, note=note, **told)
    ratio, typical = float(_ratio(total[np.newaxis])[0]), _typical(total)

    def share(r: float) -> float:
        return (r - 1) / (r - 1 + typical)

    half, note = _half(sums, lambda s: np.log(_ratio(s)))
    low, high = (
        (None, None) if half is None else (share(ratio * math.exp(-half)), share(ratio * math.exp(half)))
    )
    return Estimate(value=share(ratio), low=low, high=high, level=LEVEL, method=method, note=note, **told)


def _between_sd(total: Array) -> float:
    within = float(_variance(total[np.newaxis])[0])
    between = (total[4] - total[3] ** 2 / total[1]) / (total[0] - 1)
    return math.sqrt(max(0.0, float(between - within) / _typical(total)))


def _half(sums: Array, statistic: Callable[[Array], Array]) -> tuple[float | None, str]:
    """Half the width of the jackknife interval over clusters, Student's t with clusters - 1 degrees."""
    k = len(sums)
    if k < 3:
        return None, "fewer than three items or clusters: no interval"
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = statistic(sums.sum(axis=0) - sums)
    if not np.isfinite(left_out).all():
        return None, "one item or cluster holds all that varies: no interval"
    spread = math.sqrt((k - 1) / k * float(((left_out - left_out.mean()) ** 2).sum()))
    if spread < 1e-12:
        return None, "all items are alike: no interval"
    from scipy.special import stdtrit

    return float(stdtrit(k - 1, (1 + LEVEL) / 2)) * spread, ""
