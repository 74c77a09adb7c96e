"""A text cut into the numbered spans that judges cite."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

from appliance.domain.records import Span
from appliance.records.sentences import sentence_ends

_LABELS = {"text": "S", "context": "C"}
_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]*(?:\r\n|[\r\n\v\f\x85\u2028\u2029]|\Z)")
_LIST_ITEM = re.compile(r"(?:[a-z]|[ivx]{1,5})[.)]\s|o\t")
_CLAUSE_MARKS = (r"[;:](?=\s)|[；：؛]", r",(?=\s)|[，、،]", r"\s")
_CLAUSE_ENDS = tuple(re.compile(rf"(?s:.*)(?:{marks})") for marks in _CLAUSE_MARKS)
_JOINERS = "\u200d\ufe0e\ufe0f"


def segment(text: str, source: Literal["text", "context"], max_chars: int = 400) -> tuple[Span, ...]:
    """Sentences or clauses, labelled S1.. (text) or C1.. (context), in order.

    Offsets are in code points, and span.text == text[start:end]. Spans do not overlap, none is
    blank, none is longer than `max_chars`, and every character but white space lies in one.
    A line break ends a span, unless the sentence plainly goes on: it has not ended, and the next
    line starts in lower case. A longer sentence is cut after ';' or ':', else ',', else at
    white space, else anywhere.

    Raises ValueError where max_chars is under 1.
    """
    if max_chars < 1:
        raise ValueError(f"max_chars is {max_chars}; a span holds at least one character")
    pieces = _pieces(text, max_chars)
    return tuple(
        Span(label=f"{_LABELS[source]}{number}", source=source, start=start, end=end, text=text[start:end])
        for number, (start, end) in enumerate(pieces, 1)
    )


def _pieces(text: str, max_chars: int) -> Iterator[tuple[int, int]]:
    for block_start, block_end in _blocks(text):
        start = block_start
        for end in (*sentence_ends(text, block_start, block_end), block_end):
            yield from _fit(text, start, end, max_chars)
            start = end


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Lines without outer white space, hard-wrapped ones joined.

    _LINE always matches an empty last line, and an empty line ends the block before it.
    """
    start = end = 0
    for match in _LINE.finditer(text):
        line_start, line_end = _trim(text, match.start(), match.end())
        if end > start and not _goes_on(text, line_start, line_end):
            yield start, end
            start = end
        start, end = (start if end > start else line_start), line_end


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the line text[start:end] can go on with the one before; the rules for sentences decide."""
    return text[start:end][:1].islower() and not _LIST_ITEM.match(text, start)


def _fit(text: str, start: int, end: int, max_chars: int) -> Iterator[tuple[int, int]]:
    start, end = _trim(text, start, end)
    while end - start > max_chars:
        cut = _cut(text, start, start + max_chars)
        yield _trim(text, start, cut)
        start, end = _trim(text, cut, end)
    if end > start:
        yield start, end


def _cut(text: str, start: int, limit: int) -> int:
    """An offset in (start, limit]. Punctuation in the first quarter would leave a scrap: not used."""
    for ending in _CLAUSE_ENDS:
        at = start if ending is _CLAUSE_ENDS[-1] else start + (limit - start) // 4
        if match := ending.match(text, at, limit):
            return match.end()
    return _between_characters(text, start, limit)


def _between_characters(text: str, start: int, limit: int) -> int:
    """Back from `limit` past marks and joiners, so that no accent or emoji is cut off its base."""
    for at in range(limit, max(start, limit - 32), -1):
        is_inner = (
            unicodedata.category(text[at])[0] == "M" or text[at] in _JOINERS or text[at - 1] == "\u200d"
        )
        if not is_inner:
            return at
    return limit


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
