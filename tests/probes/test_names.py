"""Name sets of the user's own: what is wrong in them is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.probes.names import SHIPPED, load_names

MANY = ", ".join(f'"Na{chr(97 + i // 5)}{chr(97 + i % 5)}"' for i in range(22))
OWN = f"""
[sources]
me = "Own survey (2026)"
[cells."Sami female"]
ethnicity = "Sami"
gender = "female"
pronouns = "she"
sources = ["me"]
first_names = [{MANY}]
[surnames."Sami"]
ethnicity = "Sami"
sources = ["me"]
names = [{MANY}]
"""


def load(tmp_path: Path, text: str) -> object:
    path = tmp_path / "names.toml"
    path.write_text(text, encoding="utf-8")
    return load_names(path)


def test_a_group_of_the_users_own_stands_beside_ours(tmp_path: Path) -> None:
    names = load(tmp_path, OWN)
    assert len(names.of("Sami", "female")[0].first_names) == 22  # type: ignore[attr-defined]
    assert names.of("White", "male")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"Naaa", ', "", None),
        ('"Naaa", "Naab"', '"Emily"', "21 first names"),
        ('first_names = ["Naaa"', 'first_names = ["Tamika"', "stands in cells.Black female too"),
        ('sources = ["me"]\nfirst', 'sources = ["you"]\nfirst', "source 'you' is not among"),
        ('ethnicity = "Sami"\nsources', 'ethnicity = "Saami"\nsources', "no surnames of ethnicity 'Sami'"),
        ("[cells", "[cells", None),
        ("[sources]", "[sources", "names.toml"),
        ('pronouns = "she"', 'pronouns = "xe"', "pronouns"),
        ('first_names = ["Naaa"', 'first_names = ["Na aa"', "first_names"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, told: str | None) -> None:
    text = OWN.replace(old, new, 1)
    if told == "21 first names":
        text = OWN.replace('"Naaa", "Naab", ', "", 1)
        told = "20 first names; at least 21"
    if told is None:
        load(tmp_path, text)
        return
    with pytest.raises(ConfigError, match=told):
        load(tmp_path, text)


def test_ours_is_a_file_like_any_other() -> None:
    assert load_names(SHIPPED) == load_names()
