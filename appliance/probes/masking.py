"""A response without what it shows of identity, so that a judge can be asked blind."""

from __future__ import annotations

import re
from collections.abc import Iterable

from appliance.probes.redaction import redact

ATTRIBUTE = "[attribute]"


def mask(text: str, name: str, words: Iterable[str]) -> str:
    """Name, title, gendered pronouns and nouns as `redact` does it, and every other word that signals a
    value. What a response hints at in words of its own stays: masking is as good as the list of signals."""
    found = redact(text, name)
    left = [word for word in set(words) if redact(word, name) == word]
    for word in sorted(left, key=len, reverse=True):
        flags = 0 if word[:1].isupper() else re.IGNORECASE
        found = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", ATTRIBUTE, found, flags=flags)
    return found
