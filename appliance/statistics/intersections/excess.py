"""What only the combination shows: each cell's rate less what its single axes add up to.

The additive scale is fixed here, since a margin in points of a rate means the same in every cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, Codes, kept, undefined, untestable
from appliance.statistics.intersections.grids import counted, excess_weights
from appliance.statistics.intersections.templates import TemplateCounts

SOURCE = "Rothman (1986)"
CLUSTERED_SOURCE = "Rothman (1986); Liang and Zeger (1986)"
NAME = "excess over the additive prediction"
RARE = 10  # mean events of a cell, or units without, under which t over templates is too sure
ENOUGH = 10  # templates with every cell, from which excess is measured within them
INFINITE = 1e9  # degrees of freedom of the normal


class Excess(NamedTuple):
    """cells: estimate and test of each, row-major. covariance: of the estimates over templates, shape
    (cells, cells), None without templates. templates: how many it rests on."""

    cells: tuple[tuple[Estimate, Significance], ...]
    covariance: Array | None = None
    templates: int = 0


def excess(
    events: npt.ArrayLike,
    totals: npt.ArrayLike,
    templates: TemplateCounts | None = None,
    n_unscored: npt.ArrayLike = 0,
) -> Excess:
    """Per cell, observed rate less the additive prediction (grand mean plus each axis' deviation, cells
    weighted alike), for any grid; events, totals: one axis a dimension. In a 2 by 2 grid it is ± IC/4.

    Without templates: normal interval, the variance of each cell at its own rate moved by half an event or at
    its additive prediction, whichever is more. The first alone makes a cell without events look too sure, the
    second one with many: at 5% in 60, over 48 cells, they invent something in a quarter of grids. With
    templates: if ten or more have every cell, and they hold half of the verdicts, the mean over templates of
    each one's excess, t interval (no surer than rows where events are rare); else pooled rates with their
    cluster-robust error, never surer than if rows were independent. Undefined throughout where any cell is
    empty: the prediction needs every one, and the note says how many are missing.
    Sources: Rothman (1986), Liang and Zeger (1986).
    """
    k, n = counted(events, totals)
    missing = np.broadcast_to(np.asarray(n_unscored, dtype=np.int64).ravel(), (n.size,))
    if (n == 0).any():
        note = f"{int((n == 0).sum())} cells are empty, and the additive prediction needs every cell"
        return Excess(tuple(_undefined(int(a), int(b), note) for a, b in zip(n.flat, missing, strict=True)))
    weights = excess_weights(k.shape)
    inputs = kept(events=k, totals=n)
    plain = np.sqrt(weights**2 @ _variances(k.ravel(), n.ravel(), weights))
    pooled = weights @ (k / n).ravel()
    if templates is None:
        made = _made(pooled, plain, None, n.ravel(), missing, f"{NAME}, 95% normal", SOURCE, inputs)
        return Excess(made)
    each = templates.complete_rates() @ weights.T
    if len(each) >= ENOUGH and _hold_half(templates):
        values, covariance = each.mean(axis=0), np.atleast_2d(np.cov(each, rowvar=False)) / len(each)
        values[np.abs(values) < 1e-12] = 0.0
        how, errors, used = f"{NAME}, within {len(each)} templates", np.sqrt(np.diag(covariance)), len(each)
        errors[errors < 1e-12] = 0.0
        if min(k.mean(), (n - k).mean()) < RARE:
            errors = np.where(errors > 0, np.maximum(errors, plain), 0.0)
    else:
        parts, used = templates.residuals() @ weights.T, templates.n_templates
        values, covariance = pooled, used / max(used - 1, 1) * parts.T @ parts
        how, errors = f"{NAME}, cluster-robust", np.maximum(np.sqrt(np.diag(covariance)), plain)
        used = min(used, _fewest_templates(templates))
    df = used - 1
    made = _made(values, errors, df, n.ravel(), missing, f"{how}, 95% t", CLUSTERED_SOURCE, inputs)
    return Excess(made, covariance, used)


def _variances(k: Array, n: Array, weights: Array) -> Array:
    smooth = (k + 0.5) / (n + 1)
    predicted = np.clip(smooth - weights @ smooth, 0.5 / (n + 1), 1 - 0.5 / (n + 1))
    found: Array = np.maximum(smooth * (1 - smooth), predicted * (1 - predicted)) / n
    return found


def _hold_half(templates: TemplateCounts) -> bool:
    complete = np.bincount(templates.template, minlength=templates.n_templates) == templates.n_cells
    return bool(templates.n[complete[templates.template]].sum() * 2 >= templates.n.sum())


def _fewest_templates(templates: TemplateCounts) -> int:
    """Templates of the cell that has fewest: what it varies over bounds what can be known."""
    return int(np.bincount(templates.cell, minlength=templates.n_cells).min())


def _made(
    values: Array, errors: Array, df: int | None, n: Array, missing: Codes, method: str, source: str,
    inputs: dict[str, object],
) -> tuple[tuple[Estimate, Significance], ...]:  # fmt: skip
    return tuple(
        _cell(float(v), float(e), df, int(a), int(b), method, source, inputs)
        for v, e, a, b in zip(values, errors, n, missing, strict=True)
    )


def _cell(
    value: float, se: float, df: int | None, n: int, missing: int, method: str, source: str,
    inputs: dict[str, object],
) -> tuple[Estimate, Significance]:  # fmt: skip
    known = se > 0 and (df is None or df > 0)
    note = "" if known else "the contrast does not vary between templates: no interval"
    # The same in every template, as a deterministic judge has it: t is undefined, flipping signs is not.
    alike = 2.0**-df if not known and value and df else None
    freedom = float(df) if df is not None and known else INFINITE
    half = float(stdtrit(freedom, 0.975)) * se
    effect = Estimate(
        value=value, low=value - half if known else None, high=value + half if known else None,
        se=se if known else None, n=n, n_unscored=missing, method=method, source=source, note=note,
        inputs=inputs,
    )  # fmt: skip
    test = Significance(
        statistic=value / se if known else None,
        p=2 * float(stdtr(freedom, -abs(value / se))) if known else alike,
        df=None if df is None or not known else float(df), n=n, n_unscored=missing, method=method,
        source=source, note=note, inputs=inputs,
    )  # fmt: skip
    return effect, test


def _undefined(n: int, missing: int, note: str) -> tuple[Estimate, Significance]:
    return undefined(NAME, note, n, missing, SOURCE), untestable(NAME, note, n, missing, SOURCE)
