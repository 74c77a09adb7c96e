"""Name redaction: what a judge's input pipeline can do so that the judge does not see who a text is about."""

from __future__ import annotations

import re
from functools import lru_cache

from appliance.probes.pronouns import WORD
from appliance.probes.renaming import gendered_nouns, pattern_of

PERSON = "[person]"
# One token for each role that both genders mark alike: "her" is him and his, so these share one.
_TOKENS = {
    **dict.fromkeys(("she", "he"), "[they]"),
    **dict.fromkeys(("her", "hers", "him", "his"), "[them]"),
    **dict.fromkeys(("herself", "himself"), "[themself]"),
}
_TITLE = r"(?:\b(?:Mr|Ms|Mrs|Miss)\b\.?\s+)?"
_ARTICLE = re.compile(rf"\b([Aa])n?(\s+){re.escape(PERSON)}")


def redact(text: str, name: str) -> str:
    """The text without the person's name and title, and without gendered pronouns and nouns: texts that
    differ in these alone become one. Other people's pronouns go too; their names stay, because only the
    person's is known, and so does all else that hints at a group (a place, a membership).
    name: full, as it stands in the text; "" for a text about nobody, which comes back as it is."""
    if not name:
        return text
    parts = name.split()
    names = "|".join(pattern_of(one) for one in (name, parts[0], parts[-1]))
    found = re.sub(rf"{_TITLE}(?<![\w-])(?:{names})(?![\w-])(['\u2019](?:s\b|(?!\w)))?", _named, text)
    return WORD.sub(_neutral, _ARTICLE.sub(rf"\1\2{PERSON}", found))


def _named(match: re.Match[str]) -> str:
    return PERSON + (f"{match[1][0]}s" if match[1] else "")


def _neutral(match: re.Match[str]) -> str:
    base, mark, end = match[0].partition("\u2019" if "\u2019" in match[0] else "'")
    token = _TOKENS.get(base.lower()) or _nouns().get(base.lower())
    return match[0] if token is None else token + mark + end


@lru_cache(maxsize=1)
def _nouns() -> dict[str, str]:
    pairs = gendered_nouns("he").items()
    return {word: f"[{female}/{male}]" for female, male in pairs for word in (female, male)}
