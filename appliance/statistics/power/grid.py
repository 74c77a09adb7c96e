"""What every cell of a grid can show, from its sizes alone and before any call is made."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from appliance.statistics.arrays import Array
from appliance.statistics.power.planned import quantiles
from appliance.statistics.power.proportions import checked_sizes, detectable, half_widths


class Grid(NamedTuple):
    """Shape of the grid each; NaN where nothing can be shown.

    half_width: of Wilson's interval of the cell's rate. difference: smallest difference from the rate of all
    other cells. interaction: smallest excess of the cell's rate over what its single axes add up to, as
    `intersections.excess` measures it; NaN throughout where one cell is empty or there is one axis.
    """

    half_width: Array
    difference: Array
    interaction: Array


def grid(
    sizes: npt.ArrayLike, tests: int | None = None, p: float = 0.5, power: float = 0.8, alpha: float = 0.05
) -> Grid:
    """sizes: units of each cell, one axis a dimension, divided by `means.design_effect` where they come in
    clusters. p: the rate near which; 0.5 is the hardest. tests: the family, by default one for each cell that
    has units (for interactions, which need every cell: one for each cell). Raises ValueError for sizes below
    0 or not finite."""
    n = checked_sizes(sizes)
    z = sum(quantiles(alpha, tests or max(n.size, 1), power))
    return Grid(
        half_width=half_widths(n, p, 1 - alpha),
        difference=detectable(n, tests, p, power, alpha),
        interaction=z * np.sqrt(_excess_variance(n, p)),
    )


def _excess_variance(n: Array, p: float) -> Array:
    """Squared weights of `grids.excess_weights` times the variance of each rate, without the matrix,
    which has cells² entries: a weight is the sum of one part a set of shared axes, so that its square sums
    over the cells that share two of them."""
    if n.ndim < 2 or n.size == 0 or not (n > 0).all():
        return np.full(n.shape, np.nan)
    variance, axes = p * (1 - p) / n, range(n.ndim)
    # The prediction's weight of another cell, and what each axis that it shares adds to it.
    parts: dict[tuple[int, ...], float] = {(): (1 - n.ndim) / n.size}
    parts |= {(a,): n.shape[a] / n.size for a in axes}
    squared = np.zeros(n.shape)
    for (first, one), (second, other) in product(parts.items(), repeat=2):
        summed = tuple(a for a in axes if a not in first + second)
        squared = squared + one * other * variance.sum(axis=summed, keepdims=True)
    own = sum(parts.values())
    found: Array = squared + (1 - 2 * own) * variance
    return found
