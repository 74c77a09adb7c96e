"""Probes that add one sentence to an answer and leave the rest as it is."""

from __future__ import annotations

import random

from appliance.domain.pairs import Item, ProbePair, Unbuilt, Variant
from appliance.probes.phrases import AppendedEntry


class Appended:
    """See `Probe`. a gets a phrase; b stays as given, or gets a control phrase at the same place."""

    def __init__(self, dimension: str, entry: AppendedEntry) -> None:
        self.dimension = dimension
        self.varies, self.a, self.b = entry.varies, entry.a, entry.b
        self.placebo = entry.placebo
        self._entry = entry

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        if not item.output.strip():
            return Unbuilt(item_id=item.item_id, dimension=self.dimension, reason="the answer is empty")
        at = rng.randrange(len(self._entry.phrases))
        phrase = self._entry.phrases[at]
        control = self._entry.control[at % len(self._entry.control)] if self._entry.control else ""
        if phrase in item.output or (control and control in item.output):
            return Unbuilt(
                item_id=item.item_id, dimension=self.dimension, reason="the answer has that sentence already"
            )
        return ProbePair(
            item_id=item.item_id,
            dimension=self.dimension,
            a=self._variant(item, self.a, phrase),
            b=self._variant(item, self.b, control),
            allowed=tuple(p for p in (phrase, control) if p),
        )

    def _variant(self, item: Item, attribute: str, phrase: str) -> Variant:
        return Variant(
            attribute=attribute, input=item.input, output=self._with(item.output, phrase), detail=phrase
        )

    def _with(self, text: str, phrase: str) -> str:
        if not phrase:
            return text
        if self._entry.where == "start":
            return f"{phrase} {text}"
        # A code block or a list must be closed by a line of its own.
        break_at = "\n\n" if "\n" in text.rstrip() else " "
        return f"{text.rstrip()}{break_at}{phrase}"
