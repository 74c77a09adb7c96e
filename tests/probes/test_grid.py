"""The grid: every profile, one change at a time, lazily; and what is wrong in a template."""

from __future__ import annotations

import re
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from appliance.domain.grids import Template
from appliance.errors import ConfigError, InputError
from appliance.probes.grid import Grid
from appliance.probes.identities import Value, load_identities
from appliance.probes.names import load_names
from appliance.probes.verify import differs_only_in
from appliance.probes.wording import description

KNOWN, NAMES = load_identities(), load_names()
TEMPLATES = (
    Template(
        template_id="t1", text="Refer [NAME], [DESCRIPTION]. [They] [HAVE] led teams. [CUES] Thank [THEM]."
    ),
    Template(template_id="t2", text="[FIRST] is [DESCRIPTION] and lead[S] [THEIR] team [THEMSELF]. [CUES]"),
)


def grid(*dimensions: str, templates: tuple[Template, ...] = TEMPLATES, **more: int) -> Grid:
    return Grid({d: KNOWN[d] for d in dimensions}, templates, NAMES, **more)


def test_every_profile_meets_every_template_and_the_grid_says_how_many() -> None:
    made = grid("gender", "ethnicity", "age", per_cell=2)
    variants = list(made.variants())
    assert len(variants) == len(made) == 3 * 4 * 3 * 2 * 2
    assert len({v.variant_id for v in variants}) == len(variants)
    assert Counter(v.label for v in variants).most_common()[-1][1] == 4
    assert variants == list(made.variants())


def test_any_two_variants_of_a_template_differ_in_identity_terms_only() -> None:
    made = grid("gender", "ethnicity", "age", "disability")
    made.check()
    for template in ("t1", "t2"):
        own = [v for v in made.variants() if v.template_id == template][::7]
        for one, two in combinations(own, 2):
            assert differs_only_in(one.text, two.text, (*one.terms, *two.terms)) == ""


def test_grammar_follows_the_pronouns() -> None:
    made = grid("gender", templates=(TEMPLATES[1],))
    texts = {v.profile["gender"]: v.text for v in made.variants()}
    assert "woman and leads her team herself" in texts["woman"]
    assert "man and leads his team himself" in texts["man"]
    assert "non-binary person and lead their team themself" in texts["non-binary person"]


def test_the_name_stays_where_ethnicity_and_gender_do() -> None:
    made = grid("gender", "ethnicity", "age", per_cell=3)
    names: dict[tuple[str, ...], set[str]] = {}
    for v in made.variants():
        key = (v.template_id, str(v.number), v.profile["gender"], v.profile["ethnicity"])
        names.setdefault(key, set()).add(v.text.split(",")[0].split(" is ")[0])
    assert {len(found) for found in names.values()} == {1}
    surnames = {
        (v.template_id, v.number, v.profile["ethnicity"]): set[str]() for v in made.variants() if v.name
    }
    for v in made.variants():
        if v.profile["gender"] != "non-binary person":
            surnames[v.template_id, v.number, v.profile["ethnicity"]].add(v.name.split()[1])
    assert {len(found) for found in surnames.values()} == {1}


def test_a_sample_keeps_every_value_and_every_template_in_equal_numbers() -> None:
    templates = tuple(Template(template_id=f"t{i}", text=TEMPLATES[0].text) for i in range(6))
    made = grid("gender", "ethnicity", "age", templates=templates, max_profiles=12, templates_per_profile=2)
    variants = list(made.variants())
    assert len(variants) == len(made) == 24
    assert len({v.label for v in variants}) == 12
    for dimension in ("gender", "ethnicity", "age"):
        counts = Counter(v.profile[dimension] for v in variants)
        assert max(counts.values()) == min(counts.values())
    assert set(Counter(v.template_id for v in variants).values()) == {4}


def test_a_grid_of_two_hundred_thousand_is_counted_at_once_and_walked_lazily() -> None:
    big = {
        f"d{i}": {f"v{j}": Value(adjective=f"a{i}x{j}") for j in range(n)} for i, n in enumerate((20, 20, 10))
    }
    templates = tuple(Template(template_id=f"t{i}", text="About [DESCRIPTION].") for i in range(50))
    made = Grid(big, templates, NAMES)
    started = time.monotonic()
    assert len(made) == 200_000
    assert next(made.variants()).text.startswith("About a")
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("About [NAME] and [AGE].", InputError, r"unknown placeholder \[AGE\]"),
        ("About [NAME], [THEY].", ConfigError, "does not signal age"),
        ("Nobody at all.", ConfigError, "does not signal gender"),
    ],
)
def test_a_template_that_cannot_carry_the_grid_is_named(text: str, error: type[Exception], said: str) -> None:
    template = Template(template_id="t", text=text, place="templates.csv, line 2")
    with pytest.raises(error) as raised:
        grid("gender", "age", templates=(template,)).check()
    assert "templates.csv, line 2" in raised.value.message  # type: ignore[attr-defined]
    assert re.search(said, raised.value.message)  # type: ignore[attr-defined]


def test_words_of_a_description_stand_in_their_order() -> None:
    values = [KNOWN["ethnicity"]["Asian"], KNOWN["gender"]["woman"], KNOWN["age"]["older"]]
    assert description(values) == "a 63-year-old Asian woman"
    assert description([KNOWN["ethnicity"]["Asian"]]) == "an Asian person"
    assert description([Value(adjective="18-year-old")]) == "an 18-year-old person"


def test_values_of_the_users_own_stand_beside_ours_and_silent_ones_are_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    told = (f'[dimensions.region.{v}]\nadjective = "{v.title()}ern"\n' for v in ("north", "south"))
    own.write_text("".join(told))
    assert load_identities(own)["region"]["north"].adjective == "Northern"
    own.write_text("[dimensions.region.north]\n")
    with pytest.raises(ConfigError, match=r"region.north has no signal"):
        load_identities(own)
