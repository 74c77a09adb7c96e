"""Which column of the file is which field of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from appliance.errors import InputError
from appliance.records.table import Table

FIELDS = (
    "record_id",
    "text",
    "context",
    "identity_signal",
    "identity_dimensions",
    "scoring_rubric",
    "template_id",
)
REQUIRED = ("record_id", "text")
_IDENTITY_PREFIX = "identity."


@dataclass(frozen=True)
class Layout:
    """fields: field -> column; identity: dimension -> column; metadata: all the other columns."""

    fields: Mapping[str, str]
    identity: Mapping[str, str]
    metadata: frozenset[str]


def find_column(wanted: str, columns: Sequence[str]) -> str | None:
    """The column of that exact name, else the only one that differs just in case or outer spaces.

    Raises InputError where several columns differ from it only in that way.
    """
    if wanted in columns:
        return wanted
    alike = [column for column in columns if _fold(column) == _fold(wanted)]
    if len(alike) > 1:
        raise InputError(
            f"'{wanted}' may be any of the columns {_listed(alike)}",
            "Name one exactly under [input.columns] in the config.",
        )
    return alike[0] if alike else None


def has_columns(header: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a header names all of `wanted`; an ambiguous name counts as found."""
    folded = {_fold(column) for column in header}
    return all(_fold(name) in folded for name in wanted)


def required_columns(columns: Mapping[str, str]) -> tuple[str, ...]:
    """The file's names for the fields without which nothing can be audited."""
    return tuple(columns.get(field, field) for field in REQUIRED)


def lay_out(table: Table, columns: Mapping[str, str], identity_columns: Mapping[str, str]) -> Layout:
    """Match every field and dimension to a column of the table.

    Raises InputError: an unknown field, a column that was named or is required and is missing, an
    ambiguous column, two columns for one dimension.
    """
    fields = _fields(table, columns)
    identity = _identity(table, identity_columns)
    used = {*fields.values(), *identity.values()}
    return Layout(fields, identity, frozenset(table.columns) - used)


def _fields(table: Table, columns: Mapping[str, str]) -> dict[str, str]:
    for unknown in sorted(columns.keys() - set(FIELDS)):
        raise InputError(f"[input.columns]: no field is called '{unknown}'", f"Fields: {', '.join(FIELDS)}.")
    found = {}
    for field in FIELDS:
        column = find_column(columns.get(field, field), table.columns)
        if column is not None:
            found[field] = column
        elif field in columns or field in REQUIRED:
            raise _missing(table, field, columns.get(field, field))
    return found


def _identity(table: Table, identity_columns: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for dimension, wanted in identity_columns.items():
        column = find_column(wanted, table.columns)
        if column is None:
            raise _missing(table, f"identity.{dimension}", wanted)
        found[dimension] = column
    for column in table.columns:
        dimension = _dimension_of(column)
        if dimension and found.setdefault(dimension, column) != column:
            raise InputError(
                f"{table.name}: '{found[dimension]}' and '{column}' both give the dimension '{dimension}'",
                "Rename one of the two columns.",
            )
    return found


def _dimension_of(column: str) -> str:
    name = column.strip()
    return name[len(_IDENTITY_PREFIX) :].strip() if _fold(name).startswith(_IDENTITY_PREFIX) else ""


def _missing(table: Table, field: str, wanted: str) -> InputError:
    separated = f", separated by {table.separated_by}" if table.separated_by else ""
    section = "input.identity" if field.startswith(_IDENTITY_PREFIX) else "input.columns"
    return InputError(
        f"{table.name}: no column '{wanted}' for {field}; columns found{separated}: {_listed(table.columns)}",
        f'Name the column in the config: [{section}] {field.removeprefix(_IDENTITY_PREFIX)} = "its name".',
    )


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f"'{column}'" for column in columns)


def _fold(name: str) -> str:
    return name.strip().casefold()
