"""What audited text must not do to a terminal."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"


def visible(text: str) -> str:
    """The text with the characters that steer a terminal or reorder a line shown as <U+001B>."""
    return "".join(
        f"<U+{ord(c):04X}>" if c not in _KEPT and unicodedata.category(c) in ("Cc", "Cf", "Cs") else c
        for c in text
    )
