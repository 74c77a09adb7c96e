"""English contractions and their long forms, where one says exactly what the other says.

Left alone: 's and 'd, which can be two words each ("he's done" or "he's kind", "I'd" as had or would) unless
what they stand for cannot be in doubt, and every form at the end of a clause ("as it is.").
"""

from __future__ import annotations

import re

_NOT = (
    "do does did is are was were has have had would should could must need might ought".split()
)  # don't, doesn't, ...
# Long form -> short form; applied on word boundaries, whatever the case of the first letter.
_PAIRS: dict[str, str] = {
    **{f"{verb} not": f"{verb}n't" for verb in _NOT},
    "cannot": "can't",
    "will not": "won't",
    **{f"{who} will": f"{who}'ll" for who in "I you he she it we they there that".split()},
    **{f"{who} are": f"{who}'re" for who in "you we they".split()},
    **{f"{who} have": f"{who}'ve" for who in "I you we they".split()},
    "I am": "I'm",
    "let us": "let's",
    # Nothing but "is" fits before these words, so the 's is safe both ways.
    **{
        f"{who} is {next_}": f"{who}'s {next_}"
        for who in ("it", "that", "there")
        for next_ in (
            "a",
            "an",
            "the",
            "not",
            "no",
            "worth",
            "unclear",
            "clear",
            "likely",
            "possible",
            "important",
            "best",
            "better",
            "too",
            "very",
            "also",
            "so",
            "only",
        )
    },
}
_LONG = {long.lower(): short for long, short in _PAIRS.items()}
_SHORT = {short.lower(): long for long, short in _PAIRS.items()}


def expand(text: str) -> str:
    """Every contraction of the table written out; typographic apostrophes count."""
    return _replaced(text, _SHORT)


def contract(text: str) -> str:
    """Every long form of the table contracted, except at the end of a clause and before another "not"."""
    return _replaced(text, _LONG)


def _replaced(text: str, table: dict[str, str]) -> str:
    pattern = _pattern(table)
    return pattern.sub(lambda found: _cased(found[0], table[_key(found[0])]), text)


def _pattern(table: dict[str, str]) -> re.Pattern[str]:
    # The longest first: "it is not" before "it is", "do not" never inside "undo not".
    options = "|".join(
        re.escape(key).replace("'", "['\u2019]").replace(r"\ ", r"[ ]")
        for key in sorted(table, key=len, reverse=True)
    )
    after = r"(?![\w'\u2019])(?! not\b)(?!\s*[.,;:!?)])"
    return re.compile(rf"(?<![\w'\u2019])(?:{options}){after}", re.IGNORECASE)


def _key(found: str) -> str:
    return found.replace("\u2019", "'").lower()


def _cased(found: str, replacement: str) -> str:
    if found.isupper() and len(found) > 2:
        return replacement.upper()
    first = replacement[0].upper() if found[0].isupper() else replacement[0]
    return first + replacement[1:]
