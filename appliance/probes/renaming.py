"""A text about one person, about somebody else instead: name, pronouns, title and gendered nouns, and no word
more. What could be another person, or cannot be told by rule, is refused with its reason."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from appliance.probes.pronouns import WORD, UnsureError, forms, swapped

_TITLES = {"Mr": "Ms", "Ms": "Mr", "Mrs": "Mr", "Miss": "Mr"}
_KIN = frozenset("mother father daughter son sister brother aunt uncle niece nephew".split())
_SPOUSES = frozenset("wife husband wives husbands girlfriend boyfriend".split())
# First names that are English words as well: where a sentence begins with one, it may be no name.
_WORDS_TOO = frozenset(
    """
    will may mark rose grace hope faith joy art bill june april august drew chase grant frank rich miles dawn
    jack pat sue gene guy lance rod wade
    """.split()
)
_NOT_NAMES = frozenset(
    """
    i monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december english german french spanish american european british
    """.split()
)


@dataclass(frozen=True)
class Person:
    """name: as it stands in the text. pronouns: she, he, they, or "" for unknown."""

    name: str
    pronouns: str

    @property
    def parts(self) -> list[str]:
        return self.name.split()


@dataclass
class Renamed:
    """terms: what was put in and taken out; `verify` admits nothing else."""

    text: str
    terms: set[str] = field(default_factory=set)


def rename(text: str, old: Person, new: Person) -> Renamed:
    """The text about `new`. Pronouns change only between she and he; a person with other pronouns keeps them
    and only the name changes. A text without the person comes back as it is. Raises UnsureError."""
    changes_gender = {old.pronouns, new.pronouns} == {"she", "he"}
    _refuse_others(text, old)
    spans = list(_names(text, old, new)) + (list(_gendered(text, old, new)) if changes_gender else [])
    made = Renamed(text)
    pieces, at = [], 0
    for start, end, replacement in sorted(spans):
        if start < at:
            continue  # a title or a part within a longer name that is replaced already
        pieces.append(_with_article(text[at:start], replacement, made))
        pieces.append(replacement)
        made.terms |= {text[start:end], replacement}
        at = end
    made.text = "".join([*pieces, text[at:]])
    return made


def mentions(text: str, person: Person) -> bool:
    """Whether the text names the person, or has their pronouns."""
    words = {m[0].split("'")[0].split("\u2019")[0] for m in WORD.finditer(text)}
    return bool(words & set(person.parts)) or bool({w.lower() for w in words} & forms(person.pronouns))


def _names(text: str, old: Person, new: Person) -> list[tuple[int, int, str]]:
    """Full name, first name alone, surname alone; possessives and capitals kept."""
    first, last = old.parts[0], old.parts[-1]
    options = {old.name: new.name, first: new.parts[0], last: " ".join(new.parts[1:]) or new.parts[0]}
    found = []
    for written, replacement in sorted(options.items(), key=lambda pair: -len(pair[0])):
        for match in re.finditer(rf"(?<![\w-])(?:{pattern_of(written)})(?![\w-])", text):
            _refuse_word(text, match, first)
            found.append((*_possessive(text, match, replacement),))
    return found


def pattern_of(name: str) -> str:
    """Of a name as it is written and in capitals, whatever white space is between its parts."""
    return "|".join(r"\s+".join(map(re.escape, form.split())) for form in (name, name.upper()))


def _possessive(text: str, match: re.Match[str], replacement: str) -> tuple[int, int, str]:
    """James' and Ana's are possessives alike; the apostrophe alone goes with a name in s only."""
    shown = replacement.upper() if match[0].isupper() and len(match[0]) > 1 else replacement
    after = text[match.end() : match.end() + 2]
    if after[:1] in ("'", "\u2019") and not after[1:2].isalpha() and match[0].endswith("s"):
        return match.start(), match.end() + 1, shown + after[0] + ("" if shown.endswith("s") else "s")
    return match.start(), match.end(), shown


def _refuse_word(text: str, match: re.Match[str], first: str) -> None:
    begins = not text[: match.start()].rstrip() or text[: match.start()].rstrip()[-1] in ".!?"
    if begins and match[0] == first and first.lower() in _WORDS_TOO:
        raise UnsureError(f"'{first}' at the beginning of a sentence may be no name")


def _gendered(text: str, old: Person, new: Person) -> list[tuple[int, int, str]]:
    nouns, names = gendered_nouns(new.pronouns), "|".join(map(re.escape, old.parts))
    found = []
    for match in WORD.finditer(text):
        pronoun = swapped(text, match, new.pronouns)
        noun = nouns.get(match[0].lower())
        if match[0].lower() in _SPOUSES:
            raise UnsureError(
                f"'{match[0]}': whether the marriage is of a woman and a man would change as well"
            )
        if pronoun is not None:
            found.append((match.start(), match.end(), pronoun))
        elif noun is not None and not (noun in _KIN and _belongs(text, match)):
            found.append((match.start(), match.end(), noun.capitalize() if match[0][0].isupper() else noun))
    titled = re.finditer(rf"\b(Mr|Ms|Mrs|Miss)(\.?)(?=\s+(?:{names})\b)", text)
    return [*found, *((m.start(), m.end(), _TITLES[m[1]] + m[2]) for m in titled)]


def _belongs(text: str, match: re.Match[str]) -> bool:
    """Whether this is somebody's, as in "her sister": another person, who stays who they are."""
    return bool(re.search(r"(?i)(\b(?:his|her|their)|['\u2019]s?)\s+$", text[: match.start()]))


@lru_cache(maxsize=2)
def gendered_nouns(to: str) -> dict[str, str]:
    """Gendered nouns -> those of the gender `to`."""
    table = tomllib.loads((Path(__file__).parent / "data" / "gendered.toml").read_text(encoding="utf-8"))
    return {male: female for female, male in table.items()} if to == "she" else dict(table)


def _refuse_others(text: str, person: Person) -> None:
    """Somebody else's pronouns or name: whose a pronoun is cannot be told then."""
    words = [(m, m[0].split("'")[0].split("\u2019")[0]) for m in WORD.finditer(text)]
    other = {"she": forms("he"), "he": forms("she")}.get(person.pronouns, forms("she") | forms("he"))
    strange = next((w for _, w in words if w.lower() in other), "")
    if strange:
        raise UnsureError(f"'{strange}' belongs to somebody else, or the item's pronouns are not given")
    for (one, first), (two, second) in pairwise(words):
        together = text[one.end() : two.start()] == " "
        if (
            together
            and _is_name(first, person)
            and _is_name(second, person)
            and not _begins(text, one.start())
        ):
            raise UnsureError(f"'{first} {second}' may be another person")


def _is_name(word: str, person: Person) -> bool:
    known = {part.lower() for part in person.parts} | _NOT_NAMES | {"mr", "ms", "mrs", "miss", "dr"}
    return word[:1].isupper() and not word.isupper() and word.lower() not in known


def _begins(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \n\"'(")
    return not before or before[-1] in ".!?:"


def _with_article(between: str, replacement: str, made: Renamed) -> str:
    """a or an before what was put in."""
    found = re.search(r"\b([Aa])(n?)( +)$", between)
    if not found:
        return between
    article = found[1] + ("n" if replacement[0].lower() in "aeio" else "")
    if article != found[1] + found[2]:
        made.terms |= {article, found[1] + found[2]}
    return between[: found.start()] + article + found[3]
