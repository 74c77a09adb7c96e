"""Test pairs: two versions of one item that differ in one attribute, and what could not be built."""

from __future__ import annotations

from typing import Literal

from appliance.domain.base import Frozen

Quality = Literal["good", "bad", ""]
Pronouns = Literal["she", "he", "they", ""]


class Item(Frozen):
    """One thing that a target judge scores: what was asked (`input`) and what was answered (`output`).

    quality: the user's own judgement, so that good and bad examples are both in the test; "" unknown.
    person: the full name of the person that the item is about, as it stands in it; "" for none.
    pronouns: that person's, as used in the item. author: the model that wrote the output, by the name that it
    has as a judge; "" unknown. place: where it was read, for messages.
    """

    item_id: str
    input: str
    output: str
    quality: Quality = ""
    person: str = ""
    pronouns: Pronouns = ""
    author: str = ""
    place: str = ""


class Variant(Frozen):
    """An item under a probe. attribute: the value of the varied attribute, e.g. "padded" or "Black female".
    detail: what exactly stands there, e.g. the name that was used; "" where the attribute says it all.
    person: the full name of the person as it stands in this variant; "" for that of the item."""

    attribute: str
    input: str
    output: str
    detail: str = ""
    person: str = ""


class ProbePair(Frozen):
    """Two variants of one item, equal in all but one attribute. A - B above 0 favours a's attribute.

    allowed: every piece of text that may differ between a and b; `appliance.probes.verify` checks that
    nothing else does."""

    item_id: str
    dimension: str
    a: Variant
    b: Variant
    allowed: tuple[str, ...] = ()


class Unbuilt(Frozen):
    """A pair that could not be built: kept and reported with its reason, never dropped."""

    item_id: str
    dimension: str
    reason: str


class TestPair(Frozen):
    """A pair as a run asks it. first, second: record ids. A judge that scores one text at a time scores a
    (first) and b (second); one that compares two sees a before b (first) and b before a (second). Both are
    None where the pair could not be built, and `unbuilt` says why."""

    __test__ = False  # not a test of pytest's

    pair_id: str
    dimension: str
    item_id: str
    first: str | None
    second: str | None
    a: str = ""
    b: str = ""
    unbuilt: str = ""
