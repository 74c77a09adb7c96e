"""Items for a judge-bias audit: what was asked, what was answered, and whom it is about."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from appliance.domain.pairs import Item
from appliance.domain.records import SkippedRecord
from appliance.errors import InputError
from appliance.records.cells import cell_text, is_blank, storable, unfit_characters
from appliance.records.columns import find_column, has_columns
from appliance.records.readers import read_table
from appliance.records.table import Row, Table

FIELDS = ("item_id", "input", "output", "quality", "person", "pronouns", "author")
REQUIRED = ("item_id", "output")
_ALLOWED = {"quality": ("good", "bad", ""), "pronouns": ("she", "he", "they", "")}


def read_items(path: Path, columns: Mapping[str, str]) -> tuple[tuple[Item, ...], tuple[SkippedRecord, ...]]:
    """Items and the rows that cannot be scored, in file order, from the formats of `read_records`.

    columns: our field -> the file's column. Raises InputError, naming file and line: as `read_records` does
    for the file, a missing column, an unknown field, an empty or duplicate id, a quality that is not good or
    bad, pronouns that are not she, he or they.
    """
    table = read_table(path, partial(has_columns, wanted=[columns.get(f, f) for f in REQUIRED]))
    found = _columns(table, columns)
    seen: dict[str, int] = {}
    made = [_row(row, found, seen) for row in table.rows]
    return (
        tuple(item for item in made if isinstance(item, Item)),
        tuple(item for item in made if isinstance(item, SkippedRecord)),
    )


def _columns(table: Table, columns: Mapping[str, str]) -> dict[str, str]:
    for unknown in sorted(columns.keys() - set(FIELDS)):
        raise InputError(f"[input.columns]: no field is called '{unknown}'", f"Fields: {', '.join(FIELDS)}.")
    found = {f: c for f in FIELDS if (c := find_column(columns.get(f, f), table.columns)) is not None}
    for field in (*REQUIRED, *columns):
        if field not in found:
            raise InputError(
                f"{table.name}: no column '{columns.get(field, field)}' for {field}; columns found: "
                f"{', '.join(table.columns)}",
                f"Items have the columns {', '.join(FIELDS)}; map yours under [input.columns].",
            )
    return found


def _row(row: Row, columns: Mapping[str, str], seen: dict[str, int]) -> Item | SkippedRecord:
    values = {field: cell_text(row.cells.get(column)) for field, column in columns.items()}
    item_id = values["item_id"].strip()
    if not item_id or "\0" in item_id or storable(item_id) != item_id:
        raise InputError(f"{row.place}: item_id is empty or not legible", "Give every item an id.")
    if item_id in seen:
        raise InputError(f"{row.place}: '{item_id}' stands on line {seen[item_id]} already", "Keep one.")
    seen[item_id] = row.line
    reason = unfit_characters(row.cells) or ("empty output" if is_blank(values["output"]) else "")
    if reason:
        text = storable(values["output"])
        return SkippedRecord(record_id=item_id, place=row.place, reason=storable(reason), text=text)
    for field, allowed in _ALLOWED.items():
        values[field] = values.get(field, "").strip().lower()
        if values[field] not in allowed:
            known = ", ".join(value for value in allowed if value)
            raise InputError(
                f"{row.place}: {field} is '{values[field]}'", f"Write {known}, or leave it empty."
            )
    return Item.model_validate(
        {**values, "item_id": item_id, "person": values.get("person", "").strip(), "place": row.place}
        | {"input": values.get("input", ""), "author": values.get("author", "").strip()}
    )
