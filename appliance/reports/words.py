"""Numbers, shares and missing values in words: one wording for every format."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from appliance.domain.estimates import Estimate

DASH = "–"
MINUS = "−"

_SURROGATE = re.compile("[\ud800-\udfff]")
_WRITTEN = frozenset("\n\t\r")


def missing(reason: str) -> str:
    """A value that does not exist: never an empty cell, never 0."""
    return f"{DASH} ({reason or 'undefined'})"


def number(value: float | None, reason: str = "undefined", digits: int = 2) -> str:
    """A plain number, rounded, or the dash with its reason."""
    if value is None:
        return missing(reason)
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def signed(value: float | None, reason: str = "undefined", digits: int = 2) -> str:
    """A number whose sign means something: +0.50, −0.50, 0.00."""
    text = number(value, reason, digits)
    return f"+{text}" if value is not None and value > 0 and float(text) > 0 else text


def percent(value: float) -> str:
    """A whole percentage that never rounds a few to none, or most to all."""
    if 0 < value < 0.005:
        return "<1%"
    if 0.995 < value < 1:
        return ">99%"
    return f"{value:.0%}"


def share(count: int, total: int, reason: str = "nothing to count") -> str:
    """'3 of 28 (11%)'."""
    return f"{count} of {total} ({percent(count / total)})" if total else missing(reason)


def rate(interval: Estimate) -> str:
    """A share of a whole with its count where the count can be told: '3 of 28 (11%)'."""
    if interval.value is None:
        return missing(interval.note)
    count = interval.value * interval.n
    if abs(count - round(count)) < 1e-6:
        return share(round(count), interval.n, interval.note)
    return f"{percent(interval.value)} (n = {interval.n})"


def rate_range(interval: Estimate) -> str:
    """The interval of a rate: '4% to 27%'."""
    if interval.low is None or interval.high is None:
        return missing(interval.note or "no interval")
    return f"{percent(interval.low)} to {percent(interval.high)}"


def statistic(interval: Estimate) -> str:
    """A value that is not a rate, with its interval: '0.42 (95% interval 0.10 to 0.70, n = 28)'."""
    if interval.value is None:
        return missing(interval.note)
    if interval.low is None or interval.high is None:
        return f"{number(interval.value)} (no interval: {interval.note or 'not computed'}, n = {interval.n})"
    bounds = f"{number(interval.low)} to {number(interval.high)}"
    return f"{number(interval.value)} (95% interval {bounds}, n = {interval.n})"


def counts(values: Mapping[str, int]) -> str:
    """'2 × grammar, 1 × timeout', most frequent first."""
    return ", ".join(
        f"{n} × {name}" for name, n in sorted(values.items(), key=lambda item: (-item[1], item[0]))
    )


def listed(items: Sequence[str], word: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    return f" {word} ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)


def plural(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def encodable(text: str, replacement: str = "\ufffd") -> str:
    """Lone surrogates cannot be written as UTF-8; everything else stays as it is."""
    return _SURROGATE.sub(replacement, text)


def hidden_characters(text: str) -> str:
    """Characters that do not show, with their counts: evidence to name, never to delete. '' when none."""
    found = Counter(c for c in text if c not in _WRITTEN and unicodedata.category(c) in ("Cc", "Cf", "Cs"))
    names = (
        f"U+{ord(c):04X} {unicodedata.name(c, 'control character').lower()} ×{n}" for c, n in found.items()
    )
    return ", ".join(sorted(names))


def inline(text: str) -> str:
    """One line of safe plain text: white space joined, characters that steer a terminal made visible."""
    joined = " ".join(text.split())
    return "".join(
        f"<U+{ord(c):04X}>" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in joined
    )
