"""Where the sentences of a plain English text end: only where it is safe to say."""

from __future__ import annotations

import re

# A full stop after one of these, or after a single letter, ends nothing.
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st sr jr vs etc eg ie cf al no fig dept approx inc ltd co jan feb mar apr jun jul aug "
    "sep sept oct nov dec".split()
)
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s+[\"'(\[]?[A-Z])")
_MARKDOWN = re.compile(r"^\s*([#>|]|[-*+]\s|\d+[.)]\s)|```|\*\*|__|^\s{4,}\S", re.MULTILINE)


def boundaries(text: str) -> list[int]:
    """Offsets just behind each sentence but the last: text[:offset] ends with one."""
    return [match.end() for match in _END.finditer(text) if not _is_abbreviation(text, match.start())]


def sentences(text: str) -> list[str]:
    """The sentences with the white space that follows each: joined they are the text."""
    starts = [0, *(end + len(text[end:]) - len(text[end:].lstrip()) for end in boundaries(text))]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def has_markdown(text: str) -> bool:
    """Headings, lists, quotes, tables, code, bold: text whose form must not be touched."""
    return bool(_MARKDOWN.search(text))


def is_english_letters(text: str) -> bool:
    """Whether the rules, which are for English, have anything to go by."""
    return bool(re.search(r"[A-Za-z]{2}", text))


def _is_abbreviation(text: str, stop: int) -> bool:
    if text[stop] != ".":
        return False
    word = re.search(r"([A-Za-z]+|[A-Za-z](?:\.[A-Za-z])+)$", text[:stop])
    if word is None:
        return False
    plain = word.group().replace(".", "").lower()
    return plain in _ABBREVIATIONS or len(plain) == 1 or "." in word.group()
