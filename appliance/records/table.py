"""What every reader hands on: rows of named cells, each with the line on which it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """cells: column -> value (str in a CSV; any JSON value in JSON). place: "reviews.csv, line 12"."""

    line: int
    place: str
    cells: Mapping[str, object]


@dataclass(frozen=True)
class Table:
    """separated_by: "commas", "tabs" or "semicolons" for a delimited file, else empty."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    separated_by: str = ""
