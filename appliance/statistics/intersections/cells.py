"""Verdicts counted per intersection: every cell of the grid, the empty ones too, and every margin."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.statistics import arrays
from appliance.statistics.arrays import Array, Codes

Labels = Sequence[Hashable] | npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Long form, one row a verdict. cell: row-major place in the grid of `levels`. severity: 0 for no
    finding, 1..top, NaN unscored (a plain flag is 0 or 1). template: rows of equal content share a number;
    without templates every row stands for itself."""

    dimensions: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cell: Codes
    severity: Array
    template: Codes | None
    top: int

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(each) for each in self.levels)

    @property
    def n_cells(self) -> int:
        return int(np.prod(self.shape))

    @cached_property
    def names(self) -> tuple[dict[str, str], ...]:
        """dimension -> level of every cell, in order."""
        return tuple(dict(zip(self.dimensions, each, strict=True)) for each in product(*self.levels))

    @cached_property
    def by_severity(self) -> Codes:
        """Scored verdicts, shape (cells, top + 1)."""
        scored = ~np.isnan(self.severity)
        place = self.cell[scored] * (self.top + 1) + self.severity[scored].astype(np.int64)
        counts = np.bincount(place, minlength=self.n_cells * (self.top + 1))
        return counts.reshape(self.n_cells, self.top + 1)

    @cached_property
    def unscored(self) -> Codes:
        """Unscored verdicts per cell."""
        return np.bincount(self.cell[np.isnan(self.severity)], minlength=self.n_cells)

    @cached_property
    def margin_shares(self) -> dict[str, Array]:
        """dimension -> share of scored verdicts of each level; zeros where nothing was scored."""
        n = self.by_severity.sum(axis=1)
        return {
            dimension: np.bincount(self.margin((dimension,)), n, len(levels)) / max(n.sum(), 1)
            for dimension, levels in zip(self.dimensions, self.levels, strict=True)
        }

    def margin(self, dimensions: Sequence[str]) -> Codes:
        """The place of every cell in the smaller grid of some dimensions, row-major, shape (cells,)."""
        places = np.indices(self.shape).reshape(len(self.shape), -1)
        found = np.zeros(self.n_cells, dtype=np.int64)
        for dimension in dimensions:
            axis = self.dimensions.index(dimension)
            found = found * self.shape[axis] + places[axis]
        return found

    def collapsed(self, dimensions: Sequence[str]) -> Verdicts:
        """The same verdicts over some of the dimensions."""
        levels = tuple(self.levels[self.dimensions.index(dimension)] for dimension in dimensions)
        cell = self.margin(dimensions)[self.cell]
        return Verdicts(tuple(dimensions), levels, cell, self.severity, self.template, self.top)


def verdicts(
    identity: Mapping[str, Labels],
    severity: npt.ArrayLike,
    *,
    levels: Mapping[str, Sequence[str]] | None = None,
    template: Labels | None = None,
    top: int = 1,
) -> Verdicts:
    """Verdicts of a grid. identity: dimension -> level of each row, by name, or by number where `levels`
    names the dimension's levels. Cells without rows are kept. severity: 0..top, NaN or None unscored.

    Raises ValueError for a dimension without levels, a level that `levels` lacks or has twice,
    a row without one (None, NaN), lengths
    that differ and severities that are not whole numbers of 0..top. A row without a template stands for
    itself. One judge's verdicts of a response each: two judges of one response are no two verdicts, they
    have a map each.
    """
    if not identity:
        raise ValueError("identity: at least one dimension is needed")
    scores = arrays.scores(severity, "severity")
    scored = scores[~np.isnan(scores)]
    if ((scored != np.round(scored)) | (scored < 0) | (scored > top)).any():
        raise ValueError(f"severity: whole numbers of 0..{top} expected")
    named: list[tuple[str, ...]] = []
    cell = np.zeros(len(scores), dtype=np.int64)
    for dimension, values in identity.items():
        names, places = _placed(dimension, values, (levels or {}).get(dimension))
        arrays.same_length(severity=scores, **{dimension: places})
        cell = cell * len(names) + places
        if not names:
            raise ValueError(f"{dimension}: no levels are known: neither verdicts nor a list of them")
        named.append(names)
    rows = None if template is None else _template(template, len(scores))
    return Verdicts(tuple(identity), tuple(named), cell, scores, rows, top)


def _template(template: Labels, n: int) -> Codes:
    if isinstance(template, np.ndarray) and template.dtype.kind in "iu" and len(template) == n:
        return np.unique(template, return_inverse=True)[1].astype(np.int64)
    items = template.tolist() if isinstance(template, np.ndarray) else template
    return arrays.clusters([object() if _absent(v) else v for v in items], n, "template")


def _absent(value: Hashable) -> bool:
    """None, or NaN, which is what a table reader makes of an empty field."""
    return value is None or value != value


def _placed(dimension: str, values: Labels, levels: Sequence[str] | None) -> tuple[tuple[str, ...], Codes]:
    if levels is not None and len(set(levels)) < len(levels):
        raise ValueError(f"{dimension}: its levels name one of them twice")
    if levels is not None and isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        if len(values) and not (values.min() >= 0 and values.max() < len(levels)):
            raise ValueError(f"{dimension}: a number outside its {len(levels)} levels")
        return tuple(levels), values.astype(np.int64)
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    given = [None if _absent(v) else str(v) for v in items]
    names = list(levels) if levels is not None else sorted({v for v in given if v is not None})
    places = arrays.codes(given, names, dimension)
    if (places < 0).any():
        raise ValueError(f"{dimension}: row {int((places < 0).argmax())} has no level")
    return tuple(names), places
