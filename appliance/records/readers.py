"""A file of records -> RecordSet. Nothing is sent, guessed, repaired or dropped on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from appliance.domain.records import Record, RecordSet, SkippedRecord
from appliance.errors import InputError
from appliance.records.build import build
from appliance.records.columns import has_columns, lay_out, required_columns
from appliance.records.delimited import Accepts, read_delimited
from appliance.records.json_rows import read_json_lines, read_json_list
from appliance.records.labels import read_labels
from appliance.records.table import Row, Table

__all__ = ["FORMATS", "read_labels", "read_records"]

FORMATS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_SHOWN_DUPLICATES = 5


def read_records(
    path: Path,
    columns: Mapping[str, str],
    identity_columns: Mapping[str, str],
    default_dimensions: tuple[str, ...],
) -> RecordSet:
    """Read every row of a CSV, TSV, JSON lines or JSON file, in file order.

    columns: our field -> the file's column; a field that is not mapped has the column of its own
        name. Names match exactly, else but for case and outer spaces.
    identity_columns: dimension -> column, besides every column named identity.<dimension> and,
        in JSON, an object called identity. All other columns become metadata.
    default_dimensions: for rows without identity_dimensions; where both are empty, a record is
        asked about the dimensions of its own identity values.

    Text is neither stripped nor normalised. A row that has an id but cannot be judged (empty text,
    a conversation, a lone surrogate, a NUL) is a SkippedRecord with its reason.

    Raises InputError, naming the file and the line: an unreadable or unsupported file, bad
    encoding, malformed rows, missing columns, a wrong or duplicate id, no dimension to ask about.
    """
    table = read_table(path, partial(has_columns, wanted=required_columns(columns)))
    layout = lay_out(table, columns, identity_columns)
    built = [build(row, layout, default_dimensions) for row in table.rows]
    _refuse_duplicates(built, table.rows, path.name)
    return RecordSet(
        records=tuple(item for item in built if isinstance(item, Record)),
        skipped=tuple(item for item in built if isinstance(item, SkippedRecord)),
    )


def read_table(path: Path, accepts: Accepts) -> Table:
    """Any supported file as rows. accepts: whether a header is the one that is looked for."""
    by_suffix: dict[str, Callable[[Path], Table]] = {
        ".csv": partial(read_delimited, accepts=accepts),
        ".tsv": partial(read_delimited, accepts=accepts),
        ".jsonl": read_json_lines,
        ".ndjson": read_json_lines,
        ".json": read_json_list,
    }
    reader = by_suffix.get(path.suffix.lower())
    if reader is None and not path.is_dir():
        raise InputError(
            f"{path.name}: records are not read from '{path.suffix or 'a file without a suffix'}'",
            f"Supported: {', '.join(FORMATS)}. A spreadsheet can be saved as CSV (UTF-8).",
        )
    # A directory has no format either; any reader refuses it by its right name.
    return (reader or read_json_lines)(path)


def _refuse_duplicates(built: Sequence[Record | SkippedRecord], rows: Sequence[Row], name: str) -> None:
    lines: dict[str, list[int]] = {}
    for item, row in zip(built, rows, strict=True):
        lines.setdefault(item.record_id, []).append(row.line)
    twice = [f"'{key}' on lines {', '.join(map(str, at))}" for key, at in lines.items() if len(at) > 1]
    if twice:
        more = f" and {len(twice) - _SHOWN_DUPLICATES} more" if len(twice) > _SHOWN_DUPLICATES else ""
        raise InputError(
            f"{name}: record ids stand more than once: {'; '.join(twice[:_SHOWN_DUPLICATES])}{more}",
            "Give every record an id of its own.",
        )
