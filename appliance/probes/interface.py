"""What a probe is: it turns one item into a pair that differs in one attribute. A further probe is one
more small file beside this one, and a line in `appliance.probes.registry`."""

from __future__ import annotations

import random
from typing import Protocol

from appliance.domain.pairs import Item, ProbePair, Unbuilt


class Probe(Protocol):
    """dimension: its name in configuration and report, e.g. "length". varies: what differs between a and b,
    in words. a, b: the attribute's two values; A - B above 0 favours a. placebo: whether a and b differ in
    nothing that any group or quality depends on, so that differences are the noise floor."""

    dimension: str
    varies: str
    a: str
    b: str
    placebo: bool

    def build(self, item: Item, rng: random.Random) -> ProbePair | Unbuilt:
        """Deterministic for one item and one state of `rng`. Only `item.output` and `item.input` are
        changed, and only in the attribute; Unbuilt says why this item does not allow it."""
        ...
