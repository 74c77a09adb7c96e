"""The grammar of a reply: what outlines makes of the reply model, and what both back ends admit of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from appliance.audits.competence.reply import reply_model
from appliance.judges.grammar import engine_constraint, reply_schema

from .matchers import BACKENDS, accepts, random_reply
from .tokenizers_for_tests import byte_tokenizer, real_tokenizer

BYTES = byte_tokenizer()
DIMENSIONS = ("gender", "género", "在线", 'say "no"\\now')


def schema_for(backend: str, dimensions: tuple[str, ...] = DIMENSIONS, words: int = 8) -> dict[str, Any]:
    return reply_schema(reply_model(2, 1, dimensions, words), backend)


def good(**changes: Any) -> dict[str, Any]:
    flagged = {
        "why": "The praise, oddly, doubts her skill.",
        "verdict": "DOWNGRADE",
        "dimensions": ["gender"],
        "severity": "LOW",
        "otherwise": "It would praise 3 results.",
    }
    reply: dict[str, Any] = {
        "S1": {"why": "The numbers carry it.", "verdict": "SUPPORTED"},
        "S2": flagged,
        "C1": "MENTIONED",
        "confidence": 0.5,
    }
    return reply | changes


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def with_s1(**changes: Any) -> dict[str, Any]:
    return good(S1=good()["S1"] | changes)


def with_s2(**changes: Any) -> dict[str, Any]:
    return good(S2=good()["S2"] | changes)


def objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for part in node:
            yield from objects(part)
    elif isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for part in node.values():
            yield from objects(part)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_schema_keeps_the_order_in_which_a_judge_should_think(backend: str) -> None:
    schema = reply_schema(reply_model(12, 3, ("b", "a"), 8), backend)
    spans = [f"S{i}" for i in range(1, 13)] + ["C1", "C2", "C3"]
    assert list(schema["properties"]) == [*spans, "confidence"] == schema["required"]
    flagged = schema["$defs"]["Flagged"]
    assert list(flagged["properties"]) == ["why", "verdict", "dimensions", "severity", "otherwise"]
    assert flagged["required"] == list(flagged["properties"])
    assert list(schema["$defs"]["Supported"]["properties"]) == ["why", "verdict"]
    assert flagged["properties"]["dimensions"]["items"]["enum"] == ["b", "a"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_object_is_closed(backend: str) -> None:
    found = list(objects(schema_for(backend)))
    assert len(found) == 4
    assert all(node["additionalProperties"] is False for node in found)


def test_the_schema_lists_labels_severities_and_confidences() -> None:
    schema = schema_for("guidance")
    flagged = schema["$defs"]["Flagged"]["properties"]
    assert flagged["verdict"]["enum"] == ["DOWNGRADE", "UPGRADE", "QUALIFICATION_DIFFERENCE"]
    assert flagged["severity"]["enum"] == ["LOW", "MEDIUM", "HIGH"]
    assert flagged["dimensions"]["items"]["enum"] == list(DIMENSIONS)
    assert schema["$defs"]["Omitted"]["properties"]["verdict"]["const"] == "OMISSION"
    assert schema["properties"]["confidence"]["enum"] == [i / 10 for i in range(11)]


def test_nothing_in_the_schema_but_constraints() -> None:
    text = json.dumps(schema_for("guidance"))
    assert '"title"' not in text and '"description"' not in text


def test_names_that_are_schema_words_stay() -> None:
    names = ("title", "description", "default", "maxLength", "pattern")
    for backend in BACKENDS:
        schema = schema_for(backend, names)
        assert schema["$defs"]["Flagged"]["properties"]["dimensions"]["items"]["enum"] == list(names)


def test_equal_questions_have_equal_schemas() -> None:
    assert compact(schema_for("guidance")) == compact(schema_for("guidance"))


def test_the_engine_gets_the_schema_through_outlines() -> None:
    schema = schema_for("guidance")
    constraint = engine_constraint(schema)
    assert list(constraint) == ["json"]
    assert compact(constraint["json"]) == compact(schema), "same content, same order"


def test_a_pattern_and_a_length_bound_stand_together_only_where_the_back_end_can() -> None:
    why = {b: schema_for(b)["$defs"]["Supported"]["properties"]["why"] for b in BACKENDS}
    assert set(why["guidance"]) == {"type", "pattern", "maxLength"}
    assert set(why["xgrammar"]) == {"type", "pattern"}


GOOD = {
    "one of each": good(),
    "several dimensions": with_s2(dimensions=["género", "在线", "gender"]),
    "a dimension with quotation marks and a backslash": with_s2(dimensions=['say "no"\\now']),
    "no claim": good(S1="NO_CLAIM", S2="NO_CLAIM"),
    "an omission": good(C1=good()["S2"] | {"verdict": "OMISSION"}),
    "not expected": good(C1="NOT_EXPECTED"),
    "least confidence": good(confidence=0),
    "most confidence": good(confidence=1),
    "hyphen, apostrophe, number": with_s1(why="She's well-read, with 12 awards, 40% more."),
    "as many words as may be": with_s1(why="one two three four five six seven eight."),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reply", GOOD.values(), ids=GOOD)
def test_good_replies_are_admitted(backend: str, reply: dict[str, Any]) -> None:
    assert accepts(backend, BYTES, schema_for(backend), compact(reply))


def reordered() -> dict[str, Any]:
    return {"confidence": 0.5, **{k: v for k, v in good().items() if k != "confidence"}}


def without(key: str) -> dict[str, Any]:
    return {k: v for k, v in good().items() if k != key}


BAD = {
    "an unknown key": good(extra=1),
    "an unknown key inside": with_s1(note="x"),
    "an unknown label": with_s2(verdict="HARSH"),
    "a label in lower case": with_s2(verdict="downgrade"),
    "a label with a colon": with_s2(verdict="DOWNGRADE:"),
    "a label with a zero-width space": with_s2(verdict="DOWNGRADE\u200b"),
    "a label of another kind of span": good(S1="MENTIONED"),
    "an omission in the text": with_s2(verdict="OMISSION"),
    "a severity None": with_s2(severity=None),
    "an unknown dimension": with_s2(dimensions=["wealth"]),
    "no dimension": with_s2(dimensions=[]),
    "too many dimensions": with_s2(dimensions=["gender"] * 5),
    "a confidence above one": good(confidence=1.1),
    "a confidence below zero": good(confidence=-0.1),
    "a confidence between the steps": good(confidence=0.15),
    "a confidence as text": good(confidence="0.5"),
    "a confidence of 9e124": good(confidence=9e124),
    "a sentence without its end": with_s1(why="The numbers carry it"),
    "a sentence of two words": with_s1(why="Carries it."),
    "a sentence of nine words": with_s1(why="one two three four five six seven eight nine."),
    "a blank sentence": with_s1(why=""),
    "a sentence with a line break": with_s1(why="The numbers\ncarry it."),
    "a sentence with a control token": with_s1(why="The <|end|> carry it."),
    "a sentence with two blanks": with_s1(why="The  numbers carry it."),
    "a word of 21 letters": with_s1(why=f"The {'n' * 21} carry it."),
    "a missing span": without("S2"),
    "a missing confidence": without("confidence"),
    "a missing reason": good(S1={"verdict": "SUPPORTED"}),
    "evidence beyond the record": good(S3="NO_CLAIM"),
    "a fact beyond the record": good(C2="MENTIONED"),
    "the confidence first": reordered(),
    "the verdict before its reason": good(S1={"verdict": "SUPPORTED", "why": "The numbers carry it."}),
    "not an object": [good()],
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
def test_bad_replies_are_refused(backend: str, reply: Any) -> None:
    assert not accepts(backend, BYTES, schema_for(backend), compact(reply))


SPELLINGS: dict[str, Callable[[], str]] = {
    "white space after colons and commas": lambda: json.dumps(good()),
    "white space between dimensions": lambda: compact(with_s2(dimensions=["gender", "gender"])).replace(
        '"gender","gender"', '"gender", "gender"'
    ),
    "indented": lambda: json.dumps(good(), indent=1),
    "a line break at the end": lambda: compact(good()) + "\n",
    "a line break at the start": lambda: "\n" + compact(good()),
    "fenced": lambda: f"```json\n{compact(good())}\n```",
    "with a word before": lambda: "Sure: " + compact(good()),
    "twice": lambda: compact(good()) * 2,
    "cut off": lambda: compact(good())[:-1],
    "empty": lambda: "",
    "labels as escapes": lambda: compact(good()).replace("DOWNGRADE", "\\u0044OWNGRADE"),
    "one span twice": lambda: compact(good()).replace('"S2"', '"S1":"NO_CLAIM","S2"'),
    "a confidence with more digits": lambda: compact(good()).replace("0.5", "0.50"),
    "a confidence as a fraction": lambda: compact(good()).replace("0.5", "4/5"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_only_one_spelling_is_admitted(backend: str, spelling: Callable[[], str]) -> None:
    assert not accepts(backend, BYTES, schema_for(backend), spelling())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["smollm2-135m", "gemma3-270m"])
def test_the_same_holds_for_real_vocabularies(backend: str, name: str) -> None:
    tokenizer, schema = real_tokenizer(name), schema_for(backend)
    for label, reply in GOOD.items():
        assert accepts(backend, tokenizer, schema, compact(reply)), label
    for label in (
        "an unknown key",
        "a confidence above one",
        "a sentence without its end",
        "the confidence first",
    ):
        assert not accepts(backend, tokenizer, schema, compact(BAD[label])), label


@pytest.mark.parametrize(("backend", "spelt"), [("guidance", "0.8"), ("xgrammar", "0.80000000000000004")])
def test_how_each_back_end_spells_a_fraction(backend: str, spelt: str) -> None:
    """xgrammar 0.2.8 prints fractions in full precision and admits nothing else; the value is the same."""
    text = compact(good(confidence="?")).replace('"?"', spelt)
    assert accepts(backend, BYTES, schema_for(backend), text)
    assert reply_model(2, 1, DIMENSIONS, 8).model_validate_json(text).model_dump()["confidence"] == 0.8


@pytest.mark.parametrize("backend", BACKENDS)
def test_reasons_of_random_replies_end_as_sentences(backend: str) -> None:
    schema = schema_for(backend)
    for seed in range(60):
        reply = json.loads(random_reply(backend, BYTES, schema, seed, long=bool(seed % 2))[0])
        for answer in reply.values():
            for key in ("why", "otherwise"):
                if isinstance(answer, dict) and key in answer:
                    assert answer[key].endswith(".") and 3 <= len(answer[key].split()) <= 8


@pytest.mark.parametrize("backend", BACKENDS)
def test_random_replies_keep_the_order_of_keys(backend: str) -> None:
    schema = schema_for(backend)
    for seed in range(30):
        reply = json.loads(random_reply(backend, BYTES, schema, seed)[0])
        assert list(reply) == ["S1", "S2", "C1", "confidence"]
        for answer in reply.values():
            if isinstance(answer, dict):
                assert list(answer)[:2] == ["why", "verdict"]
