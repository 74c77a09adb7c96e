"""What the author of a test set planted in each text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from appliance.domain.records import IntendedLabel
from appliance.errors import InputError
from appliance.records.cells import split_list
from appliance.records.columns import find_column, has_columns
from appliance.records.delimited import read_delimited
from appliance.records.table import Row, Table

_REQUIRED = ("record_id", "bias_flag")
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_labels(path: Path) -> dict[str, IntendedLabel]:
    """record_id -> label, from a CSV or TSV with the columns record_id, bias_flag, bias_types, note.

    bias_flag is true/false, yes/no or 1/0 in any case; bias_types are separated by ';' or '|';
    bias_types and note may be missing; other columns (severity) are ignored.

    Raises InputError: as read_records does for the file, a missing column, another bias_flag, an
    empty or duplicate id.
    """
    table = read_delimited(path, partial(has_columns, wanted=_REQUIRED))
    columns = _columns(table)
    lines: dict[str, int] = {}
    labels: dict[str, IntendedLabel] = {}
    for row in table.rows:
        label = _label(row, columns)
        if label.record_id in labels:
            raise _twice(row, lines[label.record_id], label.record_id)
        lines[label.record_id], labels[label.record_id] = row.line, label
    return labels


def _columns(table: Table) -> dict[str, str]:
    names = (*_REQUIRED, "bias_types", "note")
    found = {name: column for name in names if (column := find_column(name, table.columns)) is not None}
    missing = [name for name in _REQUIRED if name not in found]
    if missing:
        raise InputError(
            f"{table.name}: no column '{missing[0]}'; columns found: {', '.join(table.columns)}",
            "A file of labels has the columns record_id, bias_flag, bias_types, note.",
        )
    return found


def _label(row: Row, columns: Mapping[str, str]) -> IntendedLabel:
    values = {name: str(row.cells[column]) for name, column in columns.items()}
    if not values["record_id"].strip():
        raise InputError(f"{row.place}: record_id is empty", "Give the id of the record that is labelled.")
    flag = _FLAGS.get(values["bias_flag"].strip().lower())
    if flag is None:
        raise InputError(f"{row.place}: bias_flag is '{values['bias_flag']}'", "Write true or false.")
    return IntendedLabel(
        record_id=values["record_id"],
        bias_flag=flag,
        bias_types=split_list(values.get("bias_types", "")),
        note=values.get("note", ""),
    )


def _twice(row: Row, first: int, record_id: str) -> InputError:
    return InputError(
        f"{row.place}: the label of '{record_id}' was given on line {first} already", "Keep one of the two."
    )
