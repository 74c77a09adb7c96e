"""Placeholders of a task template, filled for one person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from appliance.domain.pairs import Pronouns
from appliance.probes.identities import Value

PLACEHOLDER = re.compile(r"\[([A-Za-z]+)\]")
_FORMS: dict[str, dict[str, str]] = {
    "she": {
        "THEY": "she",
        "THEM": "her",
        "THEIR": "her",
        "THEIRS": "hers",
        "THEMSELF": "herself",
        "ARE": "is",
        "WERE": "was",
        "HAVE": "has",
        "DO": "does",
        "S": "s",
        "ES": "es",
    },
    "he": {
        "THEY": "he",
        "THEM": "him",
        "THEIR": "his",
        "THEIRS": "his",
        "THEMSELF": "himself",
        "ARE": "is",
        "WERE": "was",
        "HAVE": "has",
        "DO": "does",
        "S": "s",
        "ES": "es",
    },
    "they": {
        "THEY": "they",
        "THEM": "them",
        "THEIR": "their",
        "THEIRS": "theirs",
        "THEMSELF": "themself",
        "ARE": "are",
        "WERE": "were",
        "HAVE": "have",
        "DO": "do",
        "S": "",
        "ES": "",
    },
}
PRONOUNS = frozenset(("THEY", "THEM", "THEIR", "THEIRS", "THEMSELF"))
NAMES = frozenset(("NAME", "FIRST", "LAST"))
KNOWN = frozenset(_FORMS["she"]) | NAMES | {"DESCRIPTION", "CUES"}


def words_of(values: Sequence[Value], name: str, pronouns: Pronouns) -> dict[str, str]:
    """What each placeholder becomes. [THEY] and the like follow the pronouns, their verbs too: [ARE], [WERE],
    [HAVE], [DO], and [S], [ES] for the end of a verb."""
    first, _, last = name.partition(" ")
    cues = " ".join(value.cue.replace("{first}", first) for value in values if value.cue)
    told = {"NAME": name, "FIRST": first, "LAST": last, "DESCRIPTION": description(values), "CUES": cues}
    return {**told, **_FORMS[pronouns or "they"]}


def description(values: Sequence[Value]) -> str:
    """As in "a 63-year-old Black woman who ..."."""
    noun = next((value.noun for value in values if value.noun), "person")
    # Age before the rest, as English has it: a number comes first.
    adjectives = sorted((v.adjective for v in values if v.adjective), key=lambda word: not word[0].isdigit())
    phrases = [value.phrase for value in values if value.phrase]
    core = " ".join([*adjectives, noun, *phrases])
    return f"{'an' if core[0].lower() in 'aeio' or core.startswith(('8', '11', '18')) else 'a'} {core}"


def filled(text: str, words: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The text, and every piece that was put in. A placeholder with a capital and small letters, as [They],
    begins a sentence."""
    used: list[str] = []

    def put(match: re.Match[str]) -> str:
        word = words[match[1].upper()]
        shown = word[:1].upper() + word[1:] if match[1][1:].islower() else word
        before = re.search(r"[^\W_]*$", text[: match.start()])
        used.append(f"{before[0] if before else ''}{shown}")  # lead[S] is the word "leads"
        return shown

    found = PLACEHOLDER.sub(put, text)
    return found, tuple(dict.fromkeys(piece for piece in used if piece))


def signalled_by(value: Value, placeholders: frozenset[str]) -> bool:
    """Whether a template with these placeholders tells this value."""
    return bool(
        (value.named and placeholders & NAMES)
        or (value.pronouns and placeholders & PRONOUNS)
        or ((value.noun or value.adjective or value.phrase) and "DESCRIPTION" in placeholders)
        or (value.cue and "CUES" in placeholders)
    )
