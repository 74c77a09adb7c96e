"""Words whose full stop does not, or need not, end a sentence. Lower case, without that stop."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Something always follows, a name above all.
_INSIDE = _words("""
    dr dra mr mrs ms mx prof mme mlle sra srta messrs vs e.g i.e eg ie cf viz incl approx p.ej z.b d.h
""")
# The label of a number or a day: it goes on with a digit.
_BEFORE_DIGITS = _words("""
    no nos nr núm vol fig figs p pp art sec ch ed jan feb mar apr jun jul aug sep sept oct nov dec
""")
# Inside a sentence or at its end; the next word decides, as after initials and U.S., Ph.D., p.m.
_EITHER = _words("""
    jr sr st etc inc ltd co corp bros llc dept est univ ave blvd rev hon gen col capt lt sgt gov sen
    rep pres al esp ca esq usw bzw ud uds
""")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}\Z")
# Words that, with a capital, start a sentence rather than a name.
_STARTERS = _words("""
    i a an and as at but by for from he her his how however if in it its my no on our she so that the
    their then there these they this those to we what when where while who why with yes you your
    el la los las ella su sus le les il elle ils elles der die das er sie es
""")


def may_end_sentence(word: str, following: str) -> bool:
    """Whether "word." ends its sentence. `following` is the next word; an initial keeps its stop: "J."."""
    lower = word.lower()
    if lower in _INSIDE:
        return False
    if lower in _BEFORE_DIGITS:
        return not following[:1].isdigit() and not following[:1].islower()
    if lower in _EITHER or _DOTTED.match(word) or _is_initial(word):
        return following.lower() in _STARTERS and following[:1].isupper()
    return True


def _is_initial(word: str) -> bool:
    """One capital letter; "I" is a word far more often than a name."""
    return len(word) == 1 and word.isupper() and word != "I"
