"""CSV and TSV.

The separator is the one of comma, tab and semicolon with which the header names the columns that
are needed, whatever the suffix says; a header can satisfy that for one separator only, so nothing
is guessed from the data. Where none fits, the error lists the columns found and the separator.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from appliance.errors import InputError
from appliance.records.files import read_text
from appliance.records.table import Row, Table

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
_QUOTING = 'Put a field that holds quotes, separators or line breaks in quotes, and write " inside it as "".'

Accepts = Callable[[Sequence[str]], bool]


def read_delimited(path: Path, accepts: Accepts) -> Table:
    """Every row that is not blank. `accepts` says whether a header names the columns needed.

    A header without a name becomes "column N" (N from 1), as in files that pandas wrote with its
    index. Lines whose cells are all empty hold no record and are passed over.

    Raises InputError: no rows, a row wider or narrower than the header, unbalanced quotes, one
    name for two columns.
    """
    text = read_text(path)
    # The limit belongs to the process: raised for this file only, and put back.
    with _field_limit(len(text) + 1):
        separator = _separator(text, path, accepts)
        numbered = list(_numbered(text, separator, path.name))
    if len(numbered) < 2:
        raise InputError(f"{path.name}: no records ({_emptiness(numbered)})", "Write one record per row.")
    columns = _header(numbered[0][1], path.name)
    rows = tuple(_row(line, cells, columns, path.name) for line, cells in numbered[1:])
    return Table(path.name, columns, rows, SEPARATORS[separator])


def _emptiness(numbered: Sequence[object]) -> str:
    return "it has only a header" if numbered else "the file is empty"


@contextmanager
def _field_limit(characters: int) -> Iterator[None]:
    before = csv.field_size_limit(max(characters, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _separator(text: str, path: Path, accepts: Accepts) -> str:
    headers = {separator: _first_row(text, separator) for separator in _preferred(path)}
    for separator, header in headers.items():
        if accepts(header):
            return separator
    return max(headers, key=lambda separator: len(headers[separator]))


def _preferred(path: Path) -> list[str]:
    return sorted(SEPARATORS, key=lambda separator: (separator == "\t") != (path.suffix.lower() == ".tsv"))


def _first_row(text: str, separator: str) -> list[str]:
    try:
        _, cells = next(_numbered(text, separator, ""))
    except (StopIteration, InputError):
        return []
    return _named(cells)


def _named(cells: Sequence[str]) -> list[str]:
    return [cell.strip() or f"column {position}" for position, cell in enumerate(cells, 1)]


def _numbered(text: str, separator: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which the row starts, cells). newline="" keeps CRLF inside a quoted field as it is."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{name}, line {line}: {_explain(error)}", _QUOTING) from None
        if any(cell.strip() for cell in cells):
            yield line, cells


def _explain(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return "the row opens a quote that is never closed"
    if "expected after" in str(error):
        return "a quoted field goes on after its closing quote"
    return str(error)


def _header(cells: Sequence[str], name: str) -> tuple[str, ...]:
    columns = _named(cells)
    for position, column in enumerate(columns):
        first = columns.index(column)
        if first != position:
            raise InputError(
                f"{name}: columns {first + 1} and {position + 1} have the same name, '{column}'",
                "Rename one of them in the first row.",
            )
    return tuple(columns)


def _row(line: int, cells: Sequence[str], columns: tuple[str, ...], name: str) -> Row:
    place = f"{name}, line {line}"
    if len(cells) != len(columns):
        raise InputError(f"{place}: {len(cells)} fields, but the header has {len(columns)}", _QUOTING)
    return Row(line, place, dict(zip(columns, cells, strict=True)))
