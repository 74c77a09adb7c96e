"""Verbosity: filler between the sentences that adds no content."""

from __future__ import annotations

import random
from collections.abc import Sequence

from appliance.domain.pairs import Item, ProbePair, Unbuilt, Variant
from appliance.probes.sentences import has_markdown, is_english_letters, sentences

LONGER = 1.6  # the padded answer has at least so many times the characters


class Length:
    """See `Probe`."""

    dimension = "length"
    varies = "filler sentences that add no content"
    a, b = "padded", "as given"
    placebo = False

    def __init__(self, filler: Sequence[str]) -> None:
        self._filler = tuple(filler)

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        reason = self._unfit(item.output)
        if reason:
            return Unbuilt(item_id=item.item_id, dimension=self.dimension, reason=reason)
        padded, used = self._pad(item.output, rng)
        return ProbePair(
            item_id=item.item_id,
            dimension=self.dimension,
            a=Variant(
                attribute=self.a, input=item.input, output=padded, detail=f"{len(used)} filler sentences"
            ),
            b=Variant(attribute=self.b, input=item.input, output=item.output),
            allowed=tuple(used),
        )

    def _unfit(self, text: str) -> str:
        if not text.strip():
            return "the answer is empty"
        if not is_english_letters(text):
            return "the filler is English and the answer is not"
        return (
            "the answer has lists, headings or code, between which filler would show"
            if has_markdown(text)
            else ""
        )

    def _pad(self, text: str, rng: random.Random) -> tuple[str, list[str]]:
        """Filler behind each sentence in turn, from the first on, until the answer is long enough; every
        sentence of the answer stays as it is and in order."""
        parts = sentences(text)
        filler = self._filler[:]
        order = rng.sample(filler, len(filler))
        behind: list[list[str]] = [[] for _ in parts]
        used: list[str] = []
        while len(text) + sum(len(f) + 1 for f in used) < LONGER * len(text):
            phrase = order[len(used) % len(order)]
            behind[len(used) % len(parts)].append(phrase)
            used.append(phrase)
        return "".join(_followed(part, added) for part, added in zip(parts, behind, strict=True)), used


def _followed(part: str, added: Sequence[str]) -> str:
    body = part.rstrip()
    return " ".join([body, *added]) + part[len(body) :]
