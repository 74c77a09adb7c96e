"""Third-person pronouns from one gender to the other, with their grammar: "her" is him or his, "his" is her
or hers. What cannot be told by rule is refused, with the phrase, and never guessed."""

from __future__ import annotations

import re

# What follows an object ("saw her in", "told her that") and never stands between "her" and its noun.
_NO_NOUN = frozenset(
    """
    a an the this that these those some any no every each both all what which who whom whose where
    when why how if whether because since while until unless although though as than and or but nor
    so yet to of in on at by for from with without about into onto upon within among toward towards
    across along around behind beside beyond despite except via per under after before during
    through between against up down off away again is are was were be been am has have had do does
    did would shall should could must tomorrow yesterday today soon too also either it them us you
    not never once twice me him
    """.split()
)
# What can stand before her noun, be it, or follow an object: "her back hurts", "asked her back".
_EITHER = frozenset(
    """
    over out back past outside inside near like will might can may then now here there well alone
    home first last late long enough more most much better best even still just often always one two
    three four five six half apart forward further less
    """.split()
)
# After these "her" can be the one to whom or what somebody does, with a noun, adjective or verb behind it.
_TWO_OBJECTS = frozenset(
    """
    gave give gives giving sent send sends sending offered offer offers offering showed show shows
    showing told tell tells telling taught teach teaches teaching paid pay pays paying brought bring
    brings made make makes making let lets letting saw see sees seeing heard hear hears hearing
    watched watch watches watching helped help helps helping had felt asked ask asks asking owed owe
    owes cost costs found find finds finding called call calls calling named name names considered
    consider considers kept keep keeps keeping left leave leaves got get gets getting wished wish
    wishes lent lend lends handed hand hands bought buy buys granted grant grants won win wins saved
    save saves thought think thinks deemed deem deems believed believe believes proved prove proves
    rendered render renders appointed appoint appoints elected elect elects voted vote declared
    declare judged judge judges caught catch noticed notice notices stopped stop stops remember
    remembered remembers want wants wanted set put drove drive took take takes get denied deny
    denies assigned assign assigns awarded award awards promised promise promises allowed allow
    allows but than except like
    """.split()
)
# Nobody is "asked mother": these have a determiner, and it is hers.
_HER_OWN = frozenset(
    """
    own mother father sister brother daughter son children family wife husband manager boss team colleague
    colleagues staff patients students clients customers
    """.split()
)
# After these a subject begins, which "him" cannot be.
_SUBJECT = frozenset("because when while since if although though that where whereas how why".split())
_TO_FEMALE = {"he": "she", "him": "her", "himself": "herself"}
_TO_MALE = {"she": "he", "hers": "his", "herself": "himself"}
_FORMS = {
    "she": ("she", "her", "hers", "herself"),
    "he": ("he", "him", "his", "himself"),
}
WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")


class UnsureError(Exception):
    """Why a text cannot be changed without guessing. Caught within this package."""


def forms(pronouns: str) -> frozenset[str]:
    """Every form of she or he; empty for others."""
    return frozenset(_FORMS.get(pronouns, ()))


def swapped(text: str, match: re.Match[str], to: str) -> str | None:
    """The other gender's form of the word at `match`, in its case; None for a word that is no pronoun of the
    gender left. Contractions keep their end: he'll, she'll. Raises UnsureError."""
    word = match[0]
    base, mark, end = word.partition("\u2019" if "\u2019" in word else "'")
    low = base.lower()
    if low not in _FORMS["he" if to == "she" else "she"]:
        return None
    return _cased(base, _other(text, match, low, to)) + mark + end


def _other(text: str, match: re.Match[str], low: str, to: str) -> str:
    following = _following(text, match)
    if to == "she":
        return _TO_FEMALE.get(low) or ("hers" if following in _NO_NOUN or not following else "her")
    return _TO_MALE.get(low) or _him_or_his(text, match, following)


def _him_or_his(text: str, match: re.Match[str], following: str) -> str:
    if following in _NO_NOUN or not following:
        return "him"
    before = list(WORD.finditer(text[: match.start()]))
    last = before[-1][0].lower() if before else ""
    if following in _HER_OWN or last in _SUBJECT or match[0] == "Her":
        return "his"
    unsure = following in _EITHER or following.endswith("ly") or not following[0].isalpha()
    if unsure or last in _TWO_OBJECTS:
        start = before[-1].start() if before else match.start()
        raise UnsureError(f"'her' in '{' '.join(text[start:].split()[:3])}' can be him or his")
    return "his"


def _following(text: str, match: re.Match[str]) -> str:
    """The next word, in lower case; a mark that opens a quotation or a bracket; "" where the phrase ends."""
    found = re.match(r"\s+([^\W_]+(?:['\u2019-][^\W\d_]+)*|[\"'(\[\u201c\u2018])", text[match.end() :])
    return found[1].lower() if found else ""


def _cased(old: str, new: str) -> str:
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new.capitalize() if old[0].isupper() else new
