"""The identity map: built by the program from what was varied, with what the text itself shows of it. No
model is ever asked who somebody is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from appliance.domain.base import Frozen
from appliance.domain.records import Record

SIGNALS = "signals"  # key of a record's metadata: JSON, dimension -> words that can show its value


class Attribute(Frozen):
    """evidence_excerpt: verbatim from the text at `start`; "" where the text shows nothing of this value."""

    attribute: str
    value: str
    evidence_excerpt: str
    start: int | None = None


class IdentityMap(Frozen):
    dimensions: tuple[Attribute, ...]
    intersection_label: str

    @property
    def shown(self) -> tuple[str, ...]:
        """Dimensions that the text itself signals."""
        return tuple(a.attribute for a in self.dimensions if a.evidence_excerpt)

    def as_json(self) -> str:
        """As the document has it."""
        dimensions = [a.model_dump(exclude={"start"}) for a in self.dimensions]
        told = {"dimensions": dimensions, "intersection_label": self.intersection_label}
        return json.dumps(told, ensure_ascii=False, indent=1)


def identity_map(record: Record) -> IdentityMap:
    """Of the record's identity, with the first words in its text that signal each value."""
    known = json.loads(record.metadata.get(SIGNALS, "{}"))
    signals = {d: known.get(d) or _spoken(record, value) for d, value in record.identity.items()}
    found = (_attribute(d, value, record.text, signals[d]) for d, value in record.identity.items())
    return IdentityMap(dimensions=tuple(found), intersection_label=label_of(record.identity))


WITHHELD = "(withheld)"
BLIND = "blind"  # key of a record's metadata: "yes" where the judge is not to know the identity


def shown_map(record: Record) -> IdentityMap:
    """What the judge is told: everything, or, blind, that there are attributes and not which."""
    if record.metadata.get(BLIND) != "yes":
        return identity_map(record)
    hidden = (Attribute(attribute=name, value=WITHHELD, evidence_excerpt="") for name in record.identity)
    return IdentityMap(dimensions=tuple(hidden), intersection_label=WITHHELD)


def label_of(identity: Mapping[str, str]) -> str:
    """The values in the order of the dimensions."""
    return " × ".join(identity.values())


def _attribute(dimension: str, value: str, text: str, words: list[str] | tuple[str, ...]) -> Attribute:
    for word in words:
        # A name is a name only as it is written; other words can begin a sentence.
        flags = 0 if word[:1].isupper() else re.IGNORECASE
        match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags)
        if match:
            return Attribute(attribute=dimension, value=value, evidence_excerpt=match[0], start=match.start())
    return Attribute(attribute=dimension, value=value, evidence_excerpt="")


def _spoken(record: Record, value: str) -> list[str]:
    """Without a grid: the value itself, and what the record says its signal is ("name: Maria; pronouns:
    she/her")."""
    told = re.split(r"[;,/]|\b\w+:", record.identity_signal)
    return [word for word in (value, *(piece.strip() for piece in told)) if word]
