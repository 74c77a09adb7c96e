"""Grids of rates, and which contrasts of their cells are interactions."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt

from appliance.statistics.arrays import Array, Codes


def counted(events: npt.ArrayLike, totals: npt.ArrayLike) -> tuple[Array, Array]:
    """Events and units of a grid, one axis a dimension. Raises ValueError for what is none."""
    k, n = np.asarray(events, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if k.shape != n.shape or k.ndim < 2 or ((k < 0) | (k > n)).any():
        raise ValueError(
            "events and totals: one grid of two or more dimensions, 0 <= events <= totals, expected"
        )
    return k, n


def in_order(k: Array, n: Array) -> tuple[Array, Array]:
    """The same grid with levels and dimensions ordered by their counts, whatever order they came in."""
    sums = []
    for axis in range(k.ndim):
        rest = tuple(other for other in range(k.ndim) if other != axis)
        margin = np.stack([n.sum(axis=rest), k.sum(axis=rest)])
        order = np.lexsort(margin)
        k, n = k.take(order, axis=axis), n.take(order, axis=axis)
        sums.append((k.shape[axis], *margin[:, order].ravel().tolist()))
    axes = sorted(range(k.ndim), key=lambda axis: sums[axis])
    return k.transpose(axes), n.transpose(axes)


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


def distinct(weights: Array) -> Codes:
    """Number of each row's contrast; rows that are the same up to a factor share one (of a 2 by 2 grid all
    four do: there is one interaction). Testing it once more is no further test."""
    sizes = np.linalg.norm(weights, axis=1)
    alike = np.abs(weights @ weights.T) > (1 - 1e-9) * np.outer(sizes, sizes)
    return np.unique(alike.argmax(axis=1), return_inverse=True)[1]


def design_matrix(shape: tuple[int, ...], order: int) -> Array:
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
