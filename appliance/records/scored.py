"""Scores that a judge gave earlier: one row a pair, pointwise or in both orders, or one row an output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from appliance.errors import InputError
from appliance.records.cells import cell_text
from appliance.records.columns import find_column, has_columns
from appliance.records.readers import read_table
from appliance.records.table import Row, Table

POINTWISE = ("pair_id", "dimension", "attribute_a", "score_a", "attribute_b", "score_b")
OUTPUTS = ("item_id", "score")
VERDICTS = ("item_id", "severity")
PAIRWISE = ("item_id", "winner_as_given", "winner_swapped")
OPTIONAL = ("cluster", "label", "length_1", "length_2")


@dataclass(frozen=True)
class ScoredRow:
    """judge: the values of the judge's columns, joined; "recorded" without any. values: our field -> cell.
    groups: attribute -> the row's value, "" where it has none."""

    judge: str
    place: str
    values: Mapping[str, str]
    groups: Mapping[str, str]


def read_scored(
    path: Path,
    required: Sequence[str],
    columns: Mapping[str, str],
    judge_columns: Sequence[str],
    attributes: Sequence[str] = (),
) -> tuple[ScoredRow, ...]:
    """All rows in file order. required: POINTWISE, PAIRWISE, OUTPUTS or VERDICTS. columns: our field -> the
    file's column; several, joined by "+", make one id. attributes: columns whose values are groups.

    Raises InputError, naming file and line: as `read_records` does for the file, a missing column, an empty
    id, one id twice for one judge.
    """
    wanted = [name for field in required for name in columns.get(field, field).split("+")]
    table = read_table(path, partial(has_columns, wanted=wanted))
    layout = _layout(table, columns, required)
    judges = [_column(table, name, "judge") for name in judge_columns]
    groups = {name: _column(table, name, "an attribute") for name in attributes}
    rows = tuple(_row(row, layout, judges, groups) for row in table.rows)
    _refuse_twice(rows, required[0])
    return rows


def _layout(table: Table, columns: Mapping[str, str], required: Sequence[str]) -> dict[str, list[str]]:
    known = (*required, *OPTIONAL)
    for unknown in sorted(set(columns) - set(known)):
        raise InputError(f"[scores.columns]: no field is called '{unknown}'", f"Fields: {', '.join(known)}.")
    found = {}
    for field in known:
        names = columns.get(field, field).split("+")
        if field in required or field in columns:
            found[field] = [_column(table, name, field) for name in names]
        elif (column := find_column(names[0], table.columns)) is not None:
            found[field] = [column]
    return found


def _column(table: Table, name: str, field: str) -> str:
    column = find_column(name, table.columns)
    if column is None:
        raise InputError(
            f"{table.name}: no column '{name}' for {field}; columns found: {', '.join(table.columns)}",
            "Map your columns under [scores.columns], and name the judge's under [scores] judge.",
        )
    return column


def _row(
    row: Row, layout: Mapping[str, Sequence[str]], judges: Sequence[str], groups: Mapping[str, str]
) -> ScoredRow:
    values = {
        field: " / ".join(cell_text(row.cells.get(column)).strip() for column in names)
        for field, names in layout.items()
    }
    key = values.get("pair_id", values.get("item_id", ""))
    if not key:
        raise InputError(f"{row.place}: the id is empty", "Give every row an id.")
    judge = " / ".join(cell_text(row.cells.get(column)).strip() for column in judges) or "recorded"
    told = {name: cell_text(row.cells.get(column)).strip() for name, column in groups.items()}
    return ScoredRow(judge, row.place, values, told)


def _refuse_twice(rows: Sequence[ScoredRow], field: str) -> None:
    seen: dict[tuple[str, str], str] = {}
    for row in rows:
        key = (row.judge, row.values[field])
        if key in seen:
            raise InputError(
                f"{row.place}: '{key[1]}' of '{key[0]}' was given at {seen[key]} already",
                "Give each row of one judge an id of its own; several columns make one with '+'.",
            )
        seen[key] = row.place
