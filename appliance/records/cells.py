"""What one cell holds: as text, as a list of names, as nothing at all."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping

_LIST_SEPARATORS = re.compile(r"[;|]")
_UNSEEN = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))
# Letters, symbols and marks to Unicode, but drawn as nothing: fillers, joiners, variation selectors.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f]")


def cell_text(value: object) -> str:
    """A string as it is; null as nothing; any other JSON value as its JSON text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def split_list(text: str) -> tuple[str, ...]:
    """Names separated by ';' or '|', each once, without outer spaces or empty ones."""
    return names(_LIST_SEPARATORS.split(text))


def names(items: Iterable[str]) -> tuple[str, ...]:
    """Each name once, without outer spaces or empty ones, in order."""
    return tuple(dict.fromkeys(name for item in items if (name := item.strip())))


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: white space, control, format and invisible characters only."""
    return all(unicodedata.category(char) in _UNSEEN or _INVISIBLE.match(char) for char in text)


def storable(text: str) -> str:
    r"""The text with lone surrogates written as \udXXX: neither UTF-8 nor SQLite can hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def unfit_characters(cells: Mapping[str, object]) -> str:
    """Why a row cannot be stored or shown without changing it; empty where it can."""
    for column, value in cells.items():
        both = column + cell_text(value)
        if storable(both) != both:
            return f"lone surrogate (half of a UTF-16 pair) in '{column}': broken where the file was written"
        if "\0" in both:
            return f"NUL character (U+0000) in '{column}': broken where the file was written"
    return ""
