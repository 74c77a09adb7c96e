"""Prompt files: found by name and version, filled once, trusted and untrusted kept apart."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from appliance.config import project_root
from appliance.domain.tasks import Segment
from appliance.errors import PromptError
from appliance.prompts.template import NOT_GIVEN, PromptTemplate, fill, load_prompt

FILE = "# system\n\nBe careful.\n\n# user\n\nText: [TEXT]\nWhy: [WHY]\n\n# repair\n\n[TEXT][TEXT]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts" / "tiny"
    folder.mkdir(parents=True)
    (folder / "v1.md").write_text(FILE, encoding="utf-8")
    (folder / "v2.md").write_text("# user\nOther.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def template(root: Path) -> PromptTemplate:
    return load_prompt(root, "tiny", "v1")


def trusted(text: str) -> Segment:
    return Segment(text=text, trusted=True)


def untrusted(text: str) -> Segment:
    return Segment(text=text, trusted=False)


def test_a_prompt_is_its_sections_and_the_hash_of_its_file(template: PromptTemplate) -> None:
    assert template.name == "tiny/v1"
    assert template.sha256 == hashlib.sha256(FILE.encode()).hexdigest()
    assert template.sections == {
        "system": "Be careful.",
        "user": "Text: [TEXT]\nWhy: [WHY]",
        "repair": "[TEXT][TEXT]",
    }


def test_a_missing_prompt_names_the_versions_that_exist(root: Path) -> None:
    with pytest.raises(PromptError, match=r"v3\.md: no such prompt") as error:
        load_prompt(root, "tiny", "v3")
    assert error.value.hint == "Versions: v1, v2."
    with pytest.raises(PromptError) as error:
        load_prompt(root, "huge", "v1")
    assert error.value.hint == "Versions: none."


def test_values_are_segments_of_their_own(template: PromptTemplate) -> None:
    assert fill(template, "user", {"TEXT": "She leads.", "WHY": "so"}) == (
        trusted("Text: "),
        untrusted("She leads."),
        trusted("\nWhy: "),
        untrusted("so"),
    )


def test_a_value_that_holds_a_placeholder_stays_text(template: PromptTemplate) -> None:
    found = fill(template, "user", {"TEXT": "[WHY] [TEXT]", "WHY": "secret"})
    assert found[1] == untrusted("[WHY] [TEXT]")
    assert sum("secret" in s.text for s in found) == 1


def test_neighbouring_placeholders_stay_apart(template: PromptTemplate) -> None:
    assert fill(template, "repair", {"TEXT": "<|a"}) == (untrusted("<|a"), untrusted("<|a"))


@pytest.mark.parametrize("blank", ["", "  ", "\n\t", "\u00a0\u2003"])
def test_a_blank_value_becomes_words_of_ours(template: PromptTemplate, blank: str) -> None:
    assert fill(template, "user", {"TEXT": blank, "WHY": "so"})[1] == trusted(NOT_GIVEN)


def test_a_text_that_says_the_same_words_is_still_untrusted(template: PromptTemplate) -> None:
    assert fill(template, "user", {"TEXT": NOT_GIVEN, "WHY": "so"})[1] == untrusted(NOT_GIVEN)


def test_a_placeholder_without_a_value_is_named(template: PromptTemplate) -> None:
    with pytest.raises(PromptError, match=r"tiny/v1: unknown placeholder \[WHY\]") as error:
        fill(template, "user", {"TEXT": "x", "TXT": "y"})
    assert error.value.hint == "Known: TEXT, TXT."


def test_a_missing_section_is_named(template: PromptTemplate) -> None:
    with pytest.raises(PromptError, match="no section '# examples'"):
        fill(template, "examples", {})


def test_brackets_that_are_no_placeholders_are_words(root: Path) -> None:
    (root / "prompts" / "tiny" / "v4.md").write_text(
        "# user\n[a] [A] [Text] [1X] [] [x_Y]\n", encoding="utf-8"
    )
    (only,) = fill(load_prompt(root, "tiny", "v4"), "user", {})
    assert only == trusted("[a] [A] [Text] [1X] [] [x_Y]")


def test_the_shipped_prompt_asks_with_the_documents_placeholders() -> None:
    template = load_prompt(project_root(), "competence", "v1")
    assert set(template.sections) == {"system", "user", "repair"}
    for name in ("OUTPUT_UNDER_AUDIT", "CONTEXT", "IDENTITY_DIMENSIONS", "IDENTITY_SIGNAL", "SCORING_RUBRIC"):
        assert template.sections["user"].count(f"[{name}]") == 1
    for name in ("FAILURE", "RAW_REPLY"):
        assert template.sections["repair"].count(f"[{name}]") == 1
