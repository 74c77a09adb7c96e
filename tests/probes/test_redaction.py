"""Redacted texts of two people are one text; nothing else is touched."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from appliance.domain.pairs import ProbePair
from appliance.probes.demographic import demographic_probes
from appliance.probes.masking import mask
from appliance.probes.names import load_names
from appliance.probes.redaction import redact
from appliance.records.items import read_items

NAMES = load_names()
ITEMS = read_items(Path(__file__).parents[2] / "samples/judge-bias/items.csv", {})[0]


@pytest.mark.parametrize("probe", demographic_probes(NAMES), ids=lambda probe: probe.dimension)
def test_both_versions_of_a_pair_become_one(probe: object) -> None:
    for item in ITEMS:
        pair = probe.build(item, random.Random(item.item_id))  # type: ignore[attr-defined]
        assert isinstance(pair, ProbePair)
        for field in ("input", "output"):
            one, two = (redact(getattr(v, field), v.person) for v in (pair.a, pair.b))
            assert one == two
            assert pair.a.person.split()[0] not in one


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Ms. Torres's plan; ANA TORRES signed.", "[person]'s plan; [person] signed."),
        ("An Ana, and she'll go herself.", "A [person], and [they]'ll go [themself]."),
        ("Anatolia and banana stay.", "Anatolia and banana stay."),
        ("Ana' idea", "[person]'s idea"),
        ("The actress met him.", "The [actress/actor] met [them]."),
    ],
)
def test_name_title_pronouns_and_nouns_go(text: str, redacted: str) -> None:
    assert redact(text, "Ana Torres") == redacted
    assert redact(text, "") == text


def test_masking_takes_the_other_signals_too() -> None:
    text = "Keisha, a 63-year-old Black woman, left the mosque; a black coat stayed."
    masked = mask(text, "Keisha Alston", ["Keisha", "Black", "woman", "63-year-old", "mosque", "she"])
    assert masked == (
        "[person], a [attribute] [attribute] [woman/man], left the [attribute]; a black coat stayed."
    )
