"""One row into a Record, or into a SkippedRecord with the reason why it cannot be judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from appliance.domain.records import Record, SkippedRecord
from appliance.errors import InputError
from appliance.records.cells import cell_text, is_blank, names, split_list, storable, unfit_characters
from appliance.records.columns import Layout
from appliance.records.conversation import conversation_reason
from appliance.records.table import Row

_OPTIONAL_FIELDS = ("context", "identity_signal", "scoring_rubric", "template_id")


def build(row: Row, layout: Layout, default_dimensions: tuple[str, ...]) -> Record | SkippedRecord:
    """The record of a row; text fields are exactly what the file holds.

    Raises InputError: an id or a field of the wrong kind, no dimension to ask about.
    """
    values = {field: row.cells.get(column) for field, column in layout.fields.items()}
    record_id = _record_id(values["record_id"], row.place)
    reason = _why_skipped(values["text"], row)
    if reason:
        text = storable(cell_text(values["text"]))
        return SkippedRecord(record_id=record_id, place=row.place, reason=storable(reason), text=text)
    identity = _identity(row, layout)
    return Record(
        record_id=record_id,
        text=_string(values["text"], "text", row.place),
        identity_dimensions=_dimensions(values.get("identity_dimensions"), default_dimensions, identity, row),
        identity=identity,
        metadata={column: cell_text(value) for column, value in _metadata(row, layout)},
        place=row.place,
        **{field: _string(values.get(field), field, row.place) for field in _OPTIONAL_FIELDS},
    )


def _record_id(value: object, place: str) -> str:
    """Strings as they are, so that "007" keeps its zeros; a fraction would not survive a round trip."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        kind = "missing" if value is None else f"a {type(value).__name__}, not a string"
        raise InputError(
            f"{place}: record_id is {kind}", "Give every record an id: a string or whole number."
        )
    if is_blank(value) or "\0" in value or storable(value) != value:
        raise InputError(f"{place}: record_id {value!a} is empty or not legible", "Give every record an id.")
    return value


def _why_skipped(text: object, row: Row) -> str:
    unfit = unfit_characters(row.cells)
    if unfit:
        return unfit
    if text is None or (isinstance(text, str) and is_blank(text)):
        return "empty text"
    return conversation_reason(text)


def _string(value: object, field: str, place: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and field == "template_id":
        return str(value)
    if value is None or isinstance(value, str):
        return value or ""
    raise InputError(f"{place}: {field} is a {type(value).__name__}, not a string", "Write it as a string.")


def _identity(row: Row, layout: Layout) -> dict[str, str]:
    """Dimension -> value; outer spaces go, so that " female" and "female" are one group; empty is absent."""
    found: dict[str, str] = {}
    for dimension, value in _identity_pairs(row, layout):
        if isinstance(value, dict | list):
            raise InputError(
                f"{row.place}: the identity value for '{dimension}' is a {type(value).__name__}",
                "Give one value per dimension.",
            )
        text = cell_text(value).strip()
        if text and found.setdefault(dimension, text) != text:
            raise InputError(
                f"{row.place}: two values for '{dimension}': '{found[dimension]}' and '{text}'", "Keep one."
            )
    return found


def _identity_pairs(row: Row, layout: Layout) -> Iterable[tuple[str, object]]:
    for dimension, column in layout.identity.items():
        yield dimension, row.cells.get(column)
    for column, value in row.cells.items():
        for dimension, item in (_identity_object(column, value) or {}).items():
            yield dimension.strip(), item


def _identity_object(column: str, value: object) -> dict[str, object] | None:
    return value if isinstance(value, dict) and column.strip().casefold() == "identity" else None


def _metadata(row: Row, layout: Layout) -> Iterable[tuple[str, object]]:
    for column, value in row.cells.items():
        if column in layout.metadata and value is not None and _identity_object(column, value) is None:
            yield column, value


def _dimensions(
    value: object, defaults: tuple[str, ...], identity: Mapping[str, str], row: Row
) -> tuple[str, ...]:
    found = _given_dimensions(value, row.place) or defaults or tuple(identity)
    if not found:
        raise InputError(
            f"{row.place}: no identity dimension to ask the judges about",
            "Fill the column identity_dimensions, name default dimensions in the config, or give identity "
            "values in columns named identity.<dimension>.",
        )
    return found


def _given_dimensions(value: object, place: str) -> tuple[str, ...]:
    if value is None or isinstance(value, str):
        return split_list(value or "")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return names(value)
    raise InputError(
        f"{place}: identity_dimensions is not a list of strings", 'Write ["gender", "age"] or "gender;age".'
    )
