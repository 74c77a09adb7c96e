"""What only the combination shows: cell rates against what single axes add up to.

The additive scale is fixed here, since a margin in points of a rate means the same in every cell; the
multiplicative contrast stands beside it for two by two, because the scale can change the answer.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, kept, undefined, untestable
from appliance.statistics.proportions import smoothed_variance

IC_SOURCE = "Rothman (1986); interval: Zou and Donner (2008)"
G2_SOURCE = "Bishop, Fienberg and Holland (1975)"
SPARSE = 5.0  # expected count under which chi-square is not relied on


class TwoByTwo(Frozen):
    """additive: IC = m11 - m10 - m01 + m00. log_ratio: ln of RR11·RR00/(RR10·RR01), 0 for none."""

    additive: Estimate
    log_ratio: Estimate


def two_by_two(events: npt.ArrayLike, totals: npt.ArrayLike, level: float = 0.95) -> TwoByTwo:
    """Interaction contrasts of rates of a 2 by 2 grid, both scales; events, totals: shape (2, 2), [i, j] at
    level i of the first and j of the second dimension.

    additive: se = √Σ p(1-p)/n; its interval joins Wilson's of the four rates (MOVER). log_ratio: delta
    method, se = √Σ (1/k - 1/n). Undefined where a cell is empty; log_ratio also where one has no event.
    Sources: Rothman (1986), Zou and Donner (2008).
    """
    k, n = _counts(events, totals)
    if k.shape != (2, 2):
        raise ValueError(f"events: shape (2, 2) expected, found {k.shape}")
    additive, ratio = f"interaction contrast, {level:.0%} MOVER", f"log interaction ratio, {level:.0%} normal"
    inputs, everyone = kept(events=k, totals=n), int(n.sum())
    if (n == 0).any():
        empty = [undefined(m, "a cell is empty", everyone, 0, IC_SOURCE, inputs) for m in (additive, ratio)]
        return TwoByTwo(additive=empty[0], log_ratio=empty[1])
    return TwoByTwo(
        additive=_additive(k, n, additive, level, inputs), log_ratio=_log_ratio(k, n, ratio, level, inputs)
    )


def _additive(k: Array, n: Array, method: str, level: float, inputs: dict[str, object]) -> Estimate:
    from statsmodels.stats.proportion import proportion_confint

    p, sign = k / n, np.array([[1, -1], [-1, 1]])
    low, high = (np.asarray(b) for b in proportion_confint(k, n, 1 - level, "wilson"))
    value = float((sign * p).sum())
    down, up = np.where(sign > 0, p - low, high - p), np.where(sign > 0, high - p, p - low)
    return Estimate(
        value=value, low=value - float(np.sqrt((down**2).sum())), high=value + float(np.sqrt((up**2).sum())),
        level=level, se=float(np.sqrt((p * (1 - p) / n).sum())), n=int(n.sum()), method=method,
        source=IC_SOURCE, inputs=inputs,
    )  # fmt: skip


def _log_ratio(k: Array, n: Array, method: str, level: float, inputs: dict[str, object]) -> Estimate:
    if (k == 0).any():
        return undefined(method, "a cell has no event", int(n.sum()), 0, IC_SOURCE, inputs)
    from scipy.special import ndtri

    logs = np.log(k / n)
    value = float(logs[1, 1] + logs[0, 0] - logs[1, 0] - logs[0, 1])
    se = float(np.sqrt((1 / k - 1 / n).sum()))
    half = float(ndtri((1 + level) / 2)) * se
    return Estimate(
        value=value, low=value - half, high=value + half, level=level, se=se, n=int(n.sum()), method=method,
        source=IC_SOURCE, inputs=inputs,
    )  # fmt: skip


def excess_weights(shape: tuple[int, ...]) -> Array:
    """W, shape (cells, cells): W @ rates is each cell's rate less the additive prediction of its single axes
    (grand mean plus each axis' deviation, cells weighted alike). Interactions of every order are in it."""
    cells = math.prod(shape)
    places = np.indices(shape).reshape(len(shape), -1)
    prediction = np.full((cells, cells), (1.0 - len(shape)) / cells)
    for axis, levels in enumerate(shape):
        same = places[axis][:, None] == places[axis][None, :]
        prediction += same * levels / cells
    found: Array = np.eye(cells) - prediction
    return found


def excess(events: npt.ArrayLike, totals: npt.ArrayLike, level: float = 0.95) -> tuple[Estimate, ...]:
    """Per cell, in row-major order: observed rate less the additive prediction, for any grid; events, totals:
    one axis a dimension. In a 2 by 2 grid it is ± IC/4. Variances at rates moved by half an event; normal
    interval. Undefined throughout where any cell is empty: the prediction needs every one, the note says
    how many are missing. Source: Rothman (1986)."""
    k, n = _counts(events, totals)
    method, source = f"excess over the additive prediction, {level:.0%} normal", "Rothman (1986)"
    inputs = kept(events=k, totals=n)
    if (n == 0).any():
        note = f"{int((n == 0).sum())} cells are empty, and the additive prediction needs every cell"
        return tuple(undefined(method, note, int(each), 0, source, inputs) for each in n.ravel())
    from scipy.special import ndtri

    weights = excess_weights(k.shape)
    values = weights @ (k / n).ravel()
    variance = np.array(
        [smoothed_variance(int(a), int(b)) for a, b in zip(k.ravel(), n.ravel(), strict=True)]
    )
    errors, z = np.sqrt(weights**2 @ variance), float(ndtri((1 + level) / 2))
    return tuple(
        Estimate(
            value=float(v), low=float(v - z * e), high=float(v + z * e), level=level, se=float(e),
            n=int(each), method=method, source=source, inputs=inputs,
        )
        for v, e, each in zip(values, errors, n.ravel(), strict=True)
    )  # fmt: skip


def no_interaction(
    events: npt.ArrayLike, totals: npt.ArrayLike, order: int = 1, seed: int = 0
) -> Significance:
    """G² of the model whose terms have at most `order` dimensions against the saturated one (log odds);
    order 1 tests all interactions together, d - 1 the highest only.

    Where an expected count is under 5 the p is a parametric bootstrap under the fitted model (999 draws,
    seeded) instead of chi-square's. Undefined where a cell is empty, or all or none of the units have events.
    Raises ValueError unless 1 <= order < number of dimensions. Source: Bishop, Fienberg and Holland (1975).
    """
    k, n = _counts(events, totals)
    if not 1 <= order < k.ndim:
        raise ValueError(f"order: 1 to {k.ndim - 1} expected, found {order}")
    method, inputs, everyone = (
        f"G² of no interaction above order {order}",
        kept(events=k, totals=n),
        int(n.sum()),
    )
    if (n == 0).any() or k.sum() in (0, n.sum()):
        note = "a cell is empty" if (n == 0).any() else "all units have the same outcome"
        return untestable(method, note, everyone, 0, G2_SOURCE, inputs)
    design = _design(k.shape, order)
    g2, expected = _deviance(k.ravel(), n.ravel(), design)
    df = k.size - design.shape[1]
    if min(float(expected.min()), float((n.ravel() - expected).min())) >= SPARSE:
        from scipy.stats import chi2

        p, how = float(chi2.sf(g2, df)), "chi-square"
    else:
        rng, draws = np.random.default_rng(seed), 999
        share = np.clip(expected / n.ravel(), 0, 1)
        drawn = rng.binomial(n.ravel().astype(int), share, (draws, k.size)).astype(np.float64)
        reached = sum(_deviance(each, n.ravel(), design)[0] >= g2 - 1e-9 for each in drawn)
        p, how = (1 + reached) / (1 + draws), f"{draws} parametric draws"
    return Significance(
        statistic=g2, p=min(p, 1.0), df=float(df), n=everyone, method=f"{method}, {how}", source=G2_SOURCE,
        inputs=inputs,
    )  # fmt: skip


def _counts(events: npt.ArrayLike, totals: npt.ArrayLike) -> tuple[Array, Array]:
    k, n = np.asarray(events, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if k.shape != n.shape or k.ndim < 2 or ((k < 0) | (k > n)).any():
        raise ValueError(
            "events and totals: one grid of two or more dimensions, 0 <= events <= totals, expected"
        )
    return k, n


def _design(shape: tuple[int, ...], order: int) -> Array:
    """Columns of all terms of at most `order` dimensions, deviation coded; shape (cells, terms)."""
    places = np.indices(shape).reshape(len(shape), -1)
    columns = []
    for which in product(*(range(levels) for levels in shape)):
        axes = [axis for axis, level in enumerate(which) if level]
        if len(axes) <= order:
            column = np.ones(places.shape[1])
            for axis in axes:
                coded = (places[axis] == which[axis]).astype(float) - (places[axis] == 0)
                column = column * coded
            columns.append(column)
    return np.stack(columns, axis=1)


def _deviance(k: Array, n: Array, design: Array) -> tuple[float, Array]:
    import warnings

    import statsmodels.api as sm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # perfect separation: the fit still has the right deviance
        fitted = sm.GLM(np.stack([k, n - k], axis=1), design, family=sm.families.Binomial()).fit()
    return float(fitted.deviance), np.asarray(fitted.fittedvalues) * n
