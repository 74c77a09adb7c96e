"""One sentence about the person: a cue of a group, or a sham that means nothing."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from appliance.config import load_toml_as
from appliance.domain.base import Frozen
from appliance.domain.pairs import Item, ProbePair, Unbuilt, Variant

SHIPPED = Path(__file__).parent / "data" / "descriptors.toml"


class Cue(Frozen):
    """text: with {name} and {value}. values: group -> the words that stand for it. control: the one that says
    nothing of any group."""

    text: str
    control: str
    sources: tuple[str, ...]
    values: dict[str, str] = Field(min_length=2)


class Sham(Frozen):
    text: str
    x: str
    y: str


class Descriptors(Frozen):
    sources: dict[str, str]
    cues: dict[str, Cue]
    shams: tuple[Sham, ...] = Field(min_length=2)


class AttributeProbe:
    """See `Probe`. sentences: for one draw, what a and b get, with {name}."""

    def __init__(
        self, dimension: str, varies: str, sides: tuple[str, str], texts: list[tuple[str, str]]
    ) -> None:
        self.dimension, self.varies, (self.a, self.b) = dimension, varies, sides
        self.placebo = dimension.startswith("placebo")
        self._texts = texts

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        if not item.person or not item.output.strip():
            reason = "the answer is empty" if item.person else "the item names no person"
            return Unbuilt(item_id=item.item_id, dimension=self.dimension, reason=reason)
        said = [text.replace("{name}", item.person.split()[0]) for text in rng.choice(self._texts)]
        a, b = (
            Variant(
                attribute=attribute,
                input=item.input,
                output=f"{item.output.rstrip()} {sentence}",
                detail=sentence,
            )
            for attribute, sentence in zip((self.a, self.b), said, strict=True)
        )
        return ProbePair(item_id=item.item_id, dimension=self.dimension, a=a, b=b, allowed=tuple(said))


@lru_cache(maxsize=1)
def attribute_probes() -> tuple[AttributeProbe, ...]:
    """Every value of every cue against its control, and the sham attribute."""
    told = load_toml_as(Descriptors, SHIPPED, "git checkout appliance/probes/data/descriptors.toml")
    found = []
    for name, cue in told.cues.items():
        for group in cue.values:
            if group != cue.control:
                texts = [tuple(_filled(cue, value) for value in (group, cue.control))]
                dimension = f"demographic: {name} ({group} vs {cue.control})"
                varies = f"a sentence that suggests a {name} ({group}), against its control ({cue.control})"
                found.append(AttributeProbe(dimension, varies, (group, cue.control), texts))  # type: ignore[arg-type]
    shams = [(_preference(s.text, s.x, s.y), _preference(s.text, s.y, s.x)) for s in told.shams]
    sham = "a preference of the person that no group or quality depends on, against its opposite"
    sides = ("one preference", "the opposite")
    return (*found, AttributeProbe("placebo: sham attribute", sham, sides, shams))


def _filled(cue: Cue, group: str) -> str:
    return cue.text.replace("{value}", cue.values[group])


def _preference(text: str, x: str, y: str) -> str:
    return text.replace("{x}", x).replace("{y}", y)
