"""Pairs about people: the sample's items, every name set, and what no pair may do."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from appliance.domain.pairs import Item, ProbePair, Unbuilt
from appliance.probes.attributes import attribute_probes
from appliance.probes.demographic import GenderProbe, SameGroupProbe, demographic_probes
from appliance.probes.names import MIN_NAMES, load_names
from appliance.probes.pronouns import WORD, forms
from appliance.probes.verify import differs_only_in
from appliance.records.items import read_items

NAMES = load_names()
ITEMS = read_items(Path(__file__).parents[2] / "samples/judge-bias/items.csv", {})[0]
PROBES = [*demographic_probes(NAMES), *attribute_probes()]


def pair(probe: object, item: Item, seed: int = 0) -> ProbePair:
    found = probe.build(item, random.Random(f"{seed}:{item.item_id}"))  # type: ignore[attr-defined]
    assert isinstance(found, ProbePair), found
    return found


def words(text: str) -> set[str]:
    return {m[0].lower() for m in WORD.finditer(text)}


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.dimension)
def test_every_item_of_the_sample_gives_a_pair_that_differs_in_the_person_only(probe: object) -> None:
    for item in ITEMS:
        made = pair(probe, item)
        assert (made.a.input, made.a.output) != (made.b.input, made.b.output)
        assert differs_only_in(made.a.output, made.b.output, made.allowed) == ""
        assert differs_only_in(made.a.input, made.b.input, made.allowed) == ""
        assert pair(probe, item) == made


def test_gender_pairs_hold_no_pronoun_of_the_other_gender_and_one_surname() -> None:
    for item in ITEMS:
        made = pair(GenderProbe(NAMES), item)
        assert not words(made.a.output + made.a.input) & forms("he")
        assert not words(made.b.output + made.b.input) & forms("she")
        assert made.a.detail.split(" ", 1)[1] == made.b.detail.split(" ", 1)[1]
        cell = {name: cell for cell in NAMES.cells.values() for name in cell.first_names}
        a, b = (cell[v.detail.split()[0]] for v in (made.a, made.b))
        assert (a.gender, b.gender) == ("female", "male")
        assert (a.ethnicity, a.origin) == (b.ethnicity, b.origin)


def test_ethnicity_pairs_keep_the_items_gender_and_the_placebo_keeps_the_cell() -> None:
    cell = {name: cell for cell in NAMES.cells.values() for name in cell.first_names}
    for probe in demographic_probes(NAMES)[1:]:
        for item in ITEMS:
            made = pair(probe, item)
            a, b = (cell[v.detail.split()[0]] for v in (made.a, made.b))
            assert a.gender == b.gender
            if item.pronouns in ("she", "he"):
                assert a.pronouns == item.pronouns
            if isinstance(probe, SameGroupProbe):
                assert a == b and made.a.detail != made.b.detail
            else:
                assert f"{a.ethnicity} vs {b.ethnicity}" in probe.dimension


def test_no_name_of_the_item_is_left_and_many_names_are_used() -> None:
    used: Counter[str] = Counter()
    for seed in range(20):
        for item in ITEMS:
            made = pair(GenderProbe(NAMES), item, seed)
            drawn = f"{made.a.detail} {made.b.detail}".split()
            for part in set(item.person.split()) - set(drawn):
                assert not re.search(rf"\b{part}\b", made.a.output + made.b.output)
            used.update([made.a.detail, made.b.detail])
    assert len({name.split()[0] for name in used}) > 150


def test_every_group_has_more_than_twenty_names_and_no_first_name_two_groups() -> None:
    by_group: dict[tuple[str, str], set[str]] = {}
    for cell in NAMES.cells.values():
        by_group.setdefault((cell.ethnicity, cell.gender), set()).update(cell.first_names)
    assert min(len(names) for names in by_group.values()) >= MIN_NAMES > 20
    counts = Counter(name for names in by_group.values() for name in names)
    assert set(counts.values()) == {1}


def test_the_sham_swaps_the_same_words_and_a_cue_changes_only_its_own() -> None:
    for probe in attribute_probes():
        made = pair(probe, ITEMS[0])
        if probe.placebo:
            assert sorted(made.a.detail.split()) != [] and len(made.a.detail) == len(made.b.detail)
        else:
            a, b = made.a.detail.split(), made.b.detail.split()
            assert a[: len(b) // 2] == b[: len(b) // 2]


def test_an_item_that_does_not_allow_a_pair_says_why() -> None:
    nobody = Item(item_id="i", input="Say it.", output="The sum is 4.")
    absent = Item(item_id="i", input="Say it.", output="The sum is 4.", person="Ana Torres", pronouns="she")
    neither = Item(item_id="i", input="Say it.", output="Robin did.", person="Robin Hale", pronouns="they")
    told = []
    for item in (nobody, absent, neither):
        found = GenderProbe(NAMES).build(item, random.Random(1))
        assert isinstance(found, Unbuilt)
        told.append(found.reason)
    assert told[0] == "the item names no person"
    assert told[1] == "neither task nor answer says who it is about"
    assert told[2] == "the item's pronouns are neither she nor he"
