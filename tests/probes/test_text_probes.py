"""What the text probes change, and that they change nothing else."""

from __future__ import annotations

import random

import pytest

from appliance.domain.pairs import Item, ProbePair, Unbuilt
from appliance.probes.contractions import contract, expand
from appliance.probes.length import LONGER
from appliance.probes.phrases import load_phrases
from appliance.probes.registry import probes
from appliance.probes.sentences import sentences

TEXT = (
    "Dr. Ortiz reviewed the file at 3.5 p.m. She does not see a fault. It's clear that they'll pay. "
    "Nothing else is due!"
)


def item(output: str = TEXT, item_id: str = "i1") -> Item:
    return Item(item_id=item_id, input="Say what was found.", output=output)


def built(dimension: str, output: str = TEXT, seed: int = 0) -> ProbePair:
    found = probes()[dimension].build(item(output), random.Random(seed))
    assert isinstance(found, ProbePair), found
    return found


def test_sentences_joined_are_the_text_and_abbreviations_end_none() -> None:
    parts = sentences(TEXT)
    assert "".join(parts) == TEXT
    assert [p.strip() for p in parts] == [
        "Dr. Ortiz reviewed the file at 3.5 p.m. She does not see a fault.",
        "It's clear that they'll pay.",
        "Nothing else is due!",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_padding_keeps_every_sentence_in_order_and_adds_only_filler(seed: int) -> None:
    pair = built("length", seed=seed)
    assert len(pair.a.output) >= LONGER * len(TEXT)
    rest = pair.a.output
    for sentence in sentences(TEXT):
        before, found, rest = rest.partition(sentence.strip())
        assert found
        for phrase in pair.allowed:
            before = before.replace(phrase, "")
        assert not before.strip()
    assert pair.b.output == TEXT
    assert set(pair.allowed) <= set(load_phrases().length.filler)


@pytest.mark.parametrize("name", list(load_phrases().appended))
def test_an_appended_probe_adds_one_phrase_and_leaves_the_rest(name: str) -> None:
    pair, entry = built(name), load_phrases().appended[name]
    assert pair.a.output == f"{TEXT} {pair.a.detail}"
    assert pair.a.detail in entry.phrases
    assert pair.b.output == (f"{TEXT} {pair.b.detail}" if entry.control else TEXT)
    assert pair.a.input == pair.b.input == item().input


@pytest.mark.parametrize("name", list(load_phrases().appended))
def test_phrases_change_from_item_to_item_and_not_from_run_to_run(name: str) -> None:
    drawn = [built(name, seed=seed).a.detail for seed in range(30)]
    assert drawn == [built(name, seed=seed).a.detail for seed in range(30)]
    assert len(set(drawn)) == len(load_phrases().appended[name].phrases)


def test_the_placebo_adds_as_much_to_both_sides() -> None:
    entry = load_phrases().appended["placebo: neutral sentence"]
    assert entry.placebo and len(entry.phrases) == len(entry.control)
    assert all(abs(len(a) - len(b)) <= 4 for a, b in zip(entry.phrases, entry.control, strict=True))


@pytest.mark.parametrize(
    ("formal", "casual"),
    [
        ("She does not know.", "She doesn't know."),
        ("They will pay, and you are right.", "They'll pay, and you're right."),
        ("I cannot say. DO NOT ask.", "I can't say. DON'T ask."),
        ("It is not due.", "It's not due."),
        ("Will not do? I will not.", "Won't do? I will not."),
        ("There is no need.", "There's no need."),
    ],
)
def test_formal_and_casual_are_two_forms_of_one_text(formal: str, casual: str) -> None:
    assert contract(formal) == casual
    assert expand(casual) == formal


@pytest.mark.parametrize(
    "text",
    [
        "That is how it is.",  # nobody writes "how it's."
        "She's done it, and he'd gone.",  # 's and 'd can be two words each
        "undo notes, a cannotation",
        "Ana's desk is hers.",
    ],
)
def test_what_could_be_two_things_is_left_alone(text: str) -> None:
    assert expand(text) == text
    assert contract(text) == text


def test_markdown_and_bullets_keep_the_words() -> None:
    for name, marks in (("style: markdown vs plain", "#*"), ("style: bullets vs prose", "-")):
        pair = built(name)
        plain = pair.a.output.replace("## Answer", "")
        for mark in marks:
            plain = plain.replace(mark, "")
        assert plain.split() == pair.b.output.split() == TEXT.split()


@pytest.mark.parametrize(
    ("dimension", "output", "reason"),
    [
        ("length", "  ", "the answer is empty"),
        ("length", "これは回答です。", "the filler is English"),
        ("length", "- one\n- two", "lists, headings or code"),
        ("style: formal vs casual", "Paid in full.", "nothing in the answer can be contracted"),
        ("style: bullets vs prose", "One sentence only.", "a single sentence"),
        ("style: markdown vs plain", "# Answer\n\nIt **is** so.", "a form of its own"),
        ("injection", "", "the answer is empty"),
    ],
)
def test_what_a_probe_cannot_do_is_said(dimension: str, output: str, reason: str) -> None:
    found = probes()[dimension].build(item(output), random.Random(0))
    assert isinstance(found, Unbuilt) and reason in found.reason


def test_an_answer_with_lines_gets_its_phrase_on_a_line_of_its_own() -> None:
    assert built("injection", "```\ncode\n```").a.output.startswith("```\ncode\n```\n\n")
