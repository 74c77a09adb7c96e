"""JSON lines, and a JSON list of objects."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from appliance.errors import InputError
from appliance.records.files import read_text
from appliance.records.table import Row, Table

_SPACE = re.compile(r"[ \t\r\n]*")
_LIST_HINT = "A .json file holds one list of objects: [{...}, {...}]; one object per line is a .jsonl file."
_LINES_HINT = "A .jsonl file holds one JSON object per line."


def read_json_lines(path: Path) -> Table:
    """One row per line that is not blank; `columns` are the keys of all rows, in order of appearance.

    Only a line feed ends a line: U+2028 and the like are legal inside a JSON string.

    Raises InputError: not JSON (NaN and infinities are not), not an object, a key twice, no rows.
    """
    lines = enumerate(read_text(path).split("\n"), 1)
    return _table(path.name, [_line_row(line, text, path.name) for line, text in lines if text.strip()])


def read_json_list(path: Path) -> Table:
    """One row per object of the list; a row's line is the one on which its object starts.

    Raises InputError as read_json_lines does, and where the file is not one list.
    """
    return _table(path.name, list(_items(read_text(path), path.name)))


def _table(name: str, rows: Sequence[Row]) -> Table:
    if not rows:
        raise InputError(f"{name}: no records (the file is empty)", "Write one JSON object per record.")
    columns = dict.fromkeys(column for row in rows for column in row.cells)
    return Table(name, tuple(columns), tuple(rows))


def _line_row(line: int, text: str, name: str) -> Row:
    value, end = _decode(text, _past_space(text, 0), name, line)
    if text[end:].strip():
        raise InputError(f"{name}, line {line}: more follows the JSON object", _LINES_HINT)
    return _row(value, name, line)


def _items(text: str, name: str) -> Iterator[Row]:
    """Decoded one by one, since only the position of each object tells its line."""
    at, line = _skip(text, 0, 1)
    if text[at : at + 1] != "[":
        raise InputError(f"{name}: not a list of objects", _LIST_HINT)
    at, line = _skip(text, at + 1, line)
    while text[at : at + 1] != "]":
        value, end = _decode(text, at, name, line)
        yield _row(value, name, line)
        at, line = _skip(text, end, line + text.count("\n", at, end))
        at, line = _after_comma(text, at, line, name)
    if text[at + 1 :].strip():
        raise InputError(f"{name}, line {line}: more follows the list", _LIST_HINT)


def _after_comma(text: str, at: int, line: int, name: str) -> tuple[int, int]:
    if text[at : at + 1] == "]":
        return at, line
    if text[at : at + 1] == ",":
        at, line = _skip(text, at + 1, line)
        if text[at : at + 1] != "]":
            return at, line
    raise InputError(
        f"{name}, line {line}: expected one comma between objects and ']' at the end", _LIST_HINT
    )


def _skip(text: str, at: int, line: int) -> tuple[int, int]:
    end = _past_space(text, at)
    return end, line + text.count("\n", at, end)


def _past_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _decode(text: str, at: int, name: str, line: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        row = line + text.count("\n", at, error.pos)
        raise InputError(f"{name}, line {row}, column {error.colno}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{name}, line {line}: {reason}", "Correct or remove the value.") from None


def _row(value: object, name: str, line: int) -> Row:
    place = f"{name}, line {line}"
    if not isinstance(value, dict):
        raise InputError(f"{place}: a {type(value).__name__}, not a JSON object", "Each record is {...}.")
    return Row(line, place, value)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!a} stands twice in one object")
    return found


def _not_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits} is out of range")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_not_json, parse_float=_finite)
