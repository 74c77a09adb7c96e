"""Responses of a model under audit that were collected earlier: variant_id, response[, repeat]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from appliance.errors import InputError
from appliance.records.cells import cell_text, storable
from appliance.records.columns import find_column, has_columns
from appliance.records.readers import read_table

FIELDS = ("variant_id", "response")


@dataclass(frozen=True)
class CollectedResponse:
    """repeat: 0.. of one variant. place: file and line, for messages."""

    variant_id: str
    repeat: int
    text: str
    place: str


def read_responses(path: Path) -> tuple[CollectedResponse, ...]:
    """In file order; an empty response is kept. InputError, naming file and line: as `read_records` does for
    the file, a missing column, an empty id, a repeat that is no whole number, one variant and repeat
    twice."""
    table = read_table(path, partial(has_columns, wanted=FIELDS))
    columns = {field: find_column(field, table.columns) for field in (*FIELDS, "repeat")}
    for field in FIELDS:
        if columns[field] is None:
            raise InputError(f"{table.name}: no column '{field}'", f"Responses have {', '.join(FIELDS)}.")
    found: dict[tuple[str, int], CollectedResponse] = {}
    for row in table.rows:
        values = {field: cell_text(row.cells.get(column or "")) for field, column in columns.items()}
        variant_id = storable(values["variant_id"]).strip()
        if not variant_id:
            raise InputError(f"{row.place}: variant_id is empty", "Give every response its variant.")
        told = values["repeat"].strip() or "0"
        if not told.isdecimal():
            raise InputError(f"{row.place}: repeat is '{told}'", "Write 0, 1, 2, ... or leave it empty.")
        key = (variant_id, int(told))
        if key in found:
            raise InputError(
                f"{row.place}: '{variant_id}' with repeat {told} stands at {found[key].place} already",
                "Number several responses to one variant in a column repeat.",
            )
        found[key] = CollectedResponse(variant_id, int(told), storable(values["response"]), row.place)
    return tuple(found.values())
