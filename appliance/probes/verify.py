"""Do two texts differ in nothing but what may differ?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*['\u2019]?|[^\w\s]|_|\s+")


def differs_only_in(a: str, b: str, allowed: Iterable[str]) -> str:
    """'' when every token that stands in one text only belongs to one of the allowed pieces; else a sentence
    that names the first that does not. Digits, case, punctuation and white space count."""
    admitted = {token for piece in allowed for token in _tokens(piece)}
    one, two = _tokens(a), _tokens(b)
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=one, b=two, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for token in (*one[i1:i2], *two[j1:j2]):
            if token not in admitted and _bare(token) not in admitted:
                return f"'{token}' stands in one version only"
    return ""


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _bare(token: str) -> str:
    """Without its possessive or contracted end."""
    return re.split(r"['\u2019]", token)[0]
