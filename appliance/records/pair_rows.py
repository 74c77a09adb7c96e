"""Test pairs that the user supplies ready-made: two versions of one answer, and what differs in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from appliance.domain.pairs import Item, ProbePair, Variant
from appliance.domain.records import SkippedRecord
from appliance.errors import InputError
from appliance.records.cells import cell_text, is_blank, storable, unfit_characters
from appliance.records.columns import find_column, has_columns
from appliance.records.readers import read_table
from appliance.records.table import Row, Table

FIELDS = (
    "pair_id",
    "dimension",
    "input",
    "input_b",
    "output_a",
    "output_b",
    "attribute_a",
    "attribute_b",
    "quality",
    "person_a",
    "person_b",
)
REQUIRED = ("pair_id", "dimension", "output_a", "output_b", "attribute_a", "attribute_b")

Found = tuple[tuple[tuple[Item, ProbePair], ...], tuple[SkippedRecord, ...]]


def read_pairs(path: Path, columns: Mapping[str, str]) -> Found:
    """Pairs and the rows that cannot be asked, in file order. input_b: the task of b where it differs.
    person_a, person_b: full name of the person in each, for name redaction.

    Raises InputError, naming file and line: as `read_records` does for the file, a missing column, an empty
    or duplicate pair_id, an empty dimension or attribute, two attributes that are the same.
    """
    table = read_table(path, partial(has_columns, wanted=[columns.get(f, f) for f in REQUIRED]))
    found = {f: c for f in FIELDS if (c := find_column(columns.get(f, f), table.columns)) is not None}
    for field in REQUIRED:
        if field not in found:
            raise _missing(table, columns.get(field, field), field)
    lines: dict[str, int] = {}
    made = [_row(row, found, lines) for row in table.rows]
    return (
        tuple(pair for pair in made if not isinstance(pair, SkippedRecord)),
        tuple(pair for pair in made if isinstance(pair, SkippedRecord)),
    )


def _missing(table: Table, column: str, field: str) -> InputError:
    return InputError(
        f"{table.name}: no column '{column}' for {field}; columns found: {', '.join(table.columns)}",
        f"Pairs have the columns {', '.join(FIELDS)}; map yours under [input.columns].",
    )


def _row(
    row: Row, columns: Mapping[str, str], lines: dict[str, int]
) -> tuple[Item, ProbePair] | SkippedRecord:
    values = {field: cell_text(row.cells.get(column)) for field, column in columns.items()}
    pair_id = values["pair_id"].strip()
    if not pair_id or storable(pair_id) != pair_id or "\0" in pair_id:
        raise InputError(f"{row.place}: pair_id is empty or not legible", "Give every pair an id.")
    if pair_id in lines:
        raise InputError(f"{row.place}: '{pair_id}' stands on line {lines[pair_id]} already", "Keep one.")
    lines[pair_id] = row.line
    empty = [s for s in ("output_a", "output_b") if is_blank(values[s])]
    reason = unfit_characters(row.cells) or (f"{empty[0]} is empty" if empty else "")
    if reason:
        return SkippedRecord(record_id=pair_id, place=row.place, reason=storable(reason))
    return _pair(row, pair_id, values)


def _pair(row: Row, pair_id: str, values: Mapping[str, str]) -> tuple[Item, ProbePair]:
    dimension, a, b = (values[k].strip() for k in ("dimension", "attribute_a", "attribute_b"))
    if not dimension or not a or not b or a == b:
        raise InputError(
            f"{row.place}: dimension, attribute_a and attribute_b must be given, and the attributes differ",
            "Say what differs between the two answers.",
        )
    task = values.get("input", "")
    quality = values.get("quality", "").strip().lower()
    item = Item.model_validate(
        {"item_id": pair_id, "input": task, "output": values["output_b"], "place": row.place}
        | {"quality": quality if quality in ("good", "bad") else ""}
    )
    one, two = (values.get(k, "").strip() for k in ("person_a", "person_b"))
    first = Variant(attribute=a, input=task, output=values["output_a"], person=one)
    other = values.get("input_b", "") or task
    second = Variant(attribute=b, input=other, output=values["output_b"], person=two)
    return item, ProbePair(item_id=pair_id, dimension=dimension, a=first, b=second)
