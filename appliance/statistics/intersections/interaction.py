"""Interaction contrasts of rates on the additive and the multiplicative scale, any dimensions and levels.

The scale can change the answer, so which one decides is fixed beforehand; both are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.arrays import Array, kept, undefined
from appliance.statistics.intersections.grids import counted

SOURCE = "Rothman (1986); interval: Zou and Donner (2008)"


class InteractionContrast(Frozen):
    """One contrast of two levels in each of its dimensions. axes: numbers of the dimensions; levels: the
    level of each that is set against its reference. additive: of two dimensions m11 - m10 - m01 + m00, of k
    the difference of two such between levels of the k-th. log_ratio: the same of log rates, of two
    dimensions ln(RR11·RR00/(RR10·RR01)), 0 for none."""

    axes: tuple[int, ...]
    levels: tuple[int, ...]
    additive: Estimate
    log_ratio: Estimate


def two_by_two(events: npt.ArrayLike, totals: npt.ArrayLike, level: float = 0.95) -> InteractionContrast:
    """The one contrast of a 2 by 2 grid; events, totals: [i, j] at level i of the first and j of the second
    dimension. See `interaction_contrasts`."""
    k, n = counted(events, totals)
    if k.shape != (2, 2):
        raise ValueError(f"events: shape (2, 2) expected, found {k.shape}")
    return interaction_contrasts(k, n, level=level)[0]


def interaction_contrasts(
    events: npt.ArrayLike,
    totals: npt.ArrayLike,
    axes: Sequence[int] | None = None,
    reference: Sequence[int] | None = None,
    level: float = 0.95,
) -> tuple[InteractionContrast, ...]:
    """All contrasts of the interaction of `axes` (two or more dimensions; by default all), each level against
    the reference level (by default the first of each dimension), averaged with equal weights over the other
    dimensions. A 3 by 2 grid has two, a 2 by 2 by 2 grid one of order three.

    additive: se = √Σ w² p(1-p)/n; its interval joins Wilson's of the rates (MOVER). log_ratio: delta method,
    se = √Σ w² (1/k - 1/n), normal interval. Rows count as independent; `excess.excess` is for rows that share
    templates. Undefined where a cell that enters is empty; log_ratio also where
    one has no event. Raises ValueError for what is not a grid, dimensions or reference levels that it lacks.
    Sources: Rothman (1986), Zou and Donner (2008).
    """
    k, n = counted(events, totals)
    used = tuple(range(k.ndim)) if axes is None else tuple(axes)
    if len(used) < 2 or len(set(used)) < len(used) or not all(0 <= axis < k.ndim for axis in used):
        raise ValueError(f"axes: two or more different ones of 0..{k.ndim - 1} expected, found {used}")
    base = tuple(reference) if reference is not None else (0,) * len(used)
    if len(base) != len(used) or not all(0 <= r < k.shape[a] for r, a in zip(base, used, strict=True)):
        raise ValueError(f"reference: one level of each of the dimensions {used} expected, found {base}")
    others = [[i for i in range(k.shape[axis]) if i != here] for axis, here in zip(used, base, strict=True)]
    return tuple(_contrast(k, n, used, base, levels, level) for levels in product(*others))


def _contrast(
    k: Array, n: Array, axes: tuple[int, ...], base: tuple[int, ...], levels: tuple[int, ...], level: float
) -> InteractionContrast:
    weights = _weights(k.shape, axes, base, levels)
    inside = weights != 0
    w, events, totals = weights[inside], k[inside], n[inside]
    inputs = kept(events=k, totals=n, axes=axes, levels=levels)
    names = f"interaction contrast, {level:.0%} MOVER", f"log interaction ratio, {level:.0%} normal"
    everyone = int(totals.sum())
    if (totals == 0).any():
        empty = [undefined(name, "a cell is empty", everyone, 0, SOURCE, inputs) for name in names]
        return InteractionContrast(axes=axes, levels=levels, additive=empty[0], log_ratio=empty[1])
    return InteractionContrast(
        axes=axes,
        levels=levels,
        additive=_additive(w, events, totals, names[0], level, inputs),
        log_ratio=_log_ratio(w, events, totals, names[1], level, inputs),
    )


def _weights(
    shape: tuple[int, ...], axes: tuple[int, ...], base: tuple[int, ...], levels: tuple[int, ...]
) -> Array:
    """+1 and -1 on the levels of `axes`, each product spread over the cells of the other dimensions."""
    found = np.ones(())
    for axis, length in enumerate(shape):
        one = np.full(length, 1 / length)
        if axis in axes:
            place = axes.index(axis)
            one = np.zeros(length)
            one[base[place]], one[levels[place]] = -1.0, 1.0
        found = np.multiply.outer(found, one)
    return found


def _additive(w: Array, k: Array, n: Array, method: str, level: float, inputs: dict[str, object]) -> Estimate:
    from statsmodels.stats.proportion import proportion_confint

    p = k / n
    low, high = (np.asarray(b) for b in proportion_confint(k, n, 1 - level, "wilson"))
    down, up = np.where(w > 0, p - low, high - p), np.where(w > 0, high - p, p - low)
    value = float(w @ p)
    return Estimate(
        value=value, low=value - float(np.sqrt(w**2 @ down**2)), high=value + float(np.sqrt(w**2 @ up**2)),
        level=level, se=float(np.sqrt(w**2 @ (p * (1 - p) / n))), n=int(n.sum()), method=method,
        source=SOURCE, inputs=inputs,
    )  # fmt: skip


def _log_ratio(
    w: Array, k: Array, n: Array, method: str, level: float, inputs: dict[str, object]
) -> Estimate:
    if (k == 0).any():
        return undefined(method, "a cell has no event", int(n.sum()), 0, SOURCE, inputs)
    from scipy.special import ndtri

    value, se = float(w @ np.log(k / n)), float(np.sqrt(w**2 @ (1 / k - 1 / n)))
    half = float(ndtri((1 + level) / 2)) * se
    return Estimate(
        value=value, low=value - half, high=value + half, level=level, se=se, n=int(n.sum()), method=method,
        source=SOURCE, inputs=inputs,
    )  # fmt: skip
