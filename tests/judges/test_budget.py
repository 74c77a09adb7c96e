"""The budget is the longest reply: no reply is longer, and the longest is just as long."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.audits.competence.reply import reply_model
from appliance.judges.budget import longest_reply
from appliance.judges.grammar import reply_schema

from .matchers import BACKENDS, accepts, random_reply
from .tokenizers_for_tests import byte_tokenizer, real_tokenizer

BYTES = byte_tokenizer()
WORLDLY = ("género", "在线", 'say "no"\\now')
SHAPES = [(1, 0, ("age",), 3), (2, 1, WORLDLY, 8), (3, 2, ("gender", "age", "race"), 12)]


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def longest_sentence(words: int, backend: str) -> str:
    """guidance keeps to 15 characters a word as well as to the pattern, xgrammar to the pattern alone."""
    if backend == "xgrammar":
        return ", ".join(["W" * 20] * words) + "."
    return ", ".join(["w" * 13] * (words - 1) + ["w" * 14]) + "."


def longest_text(shape: tuple[int, int, tuple[str, ...], int], backend: str) -> str:
    spans, facts, dimensions, words = shape
    why = longest_sentence(words, backend)
    longest = max(dimensions, key=lambda d: len(json.dumps(d, ensure_ascii=False).encode()))
    flagged = {
        "why": why,
        "verdict": "QUALIFICATION_DIFFERENCE",
        "dimensions": [longest] * len(dimensions),
        "severity": "MEDIUM",
        "otherwise": why,
    }
    answers: dict[str, Any] = {f"S{i + 1}": flagged for i in range(spans)}
    answers |= {f"C{i + 1}": flagged | {"verdict": "OMISSION"} for i in range(facts)}
    text = json.dumps(answers | {"confidence": 0}, separators=(",", ":"), ensure_ascii=False)
    return text[:-2] + ("0.10000000000000001}" if backend == "xgrammar" else "0.1}")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_longest_reply_is_admitted_and_fits(
    backend: str, shape: tuple[int, int, tuple[str, ...], int]
) -> None:
    schema = reply_schema(reply_model(*shape), backend)
    text = longest_text(shape, backend)
    assert accepts(backend, BYTES, schema, text)
    spare = longest_reply(schema) - len(text.encode()) - 1
    # What the bound may waste: a comma after each last member, \u spellings of names, a fraction's digits.
    items = shape[0] + shape[1]
    assert 0 <= spare <= 3 * items + 1 + 16 + items * len(shape[2]) * 12


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("long", [False, True])
def test_random_replies_to_their_end_stay_within_the_budget(
    backend: str, shape: tuple[int, int, tuple[str, ...], int], long: bool
) -> None:
    model = reply_model(*shape)
    schema = reply_schema(model, backend)
    for seed in range(20):
        text, tokens = random_reply(backend, BYTES, schema, seed, long)
        assert tokens <= longest_reply(schema), text
        json.loads(text)


@pytest.mark.parametrize(("name", "times"), [("smollm2-135m", 8), ("gemma3-270m", 2)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_random_replies_of_real_vocabularies_stay_within_the_budget(
    backend: str, name: str, times: int
) -> None:
    schema = reply_schema(reply_model(2, 1, WORLDLY, 8), backend)
    for seed in range(times):
        text, tokens = random_reply(backend, real_tokenizer(name), schema, seed, long=bool(seed % 2))
        assert tokens <= longest_reply(schema), text


def test_a_random_reply_is_one_that_the_reply_model_accepts() -> None:
    model = reply_model(2, 1, WORLDLY, 8)
    for seed in range(20):
        text, _ = random_reply("guidance", BYTES, reply_schema(model), seed)
        model.model_validate_json(text)


FREE = [
    closed(a={"type": "string", "maxLength": 7}),
    closed(a={"type": "string", "maxLength": 4, "pattern": "^[^x]*$"}),
    closed(a={"type": "string", "maxLength": 4, "pattern": '^["a]*$'}),
    closed(a={"type": "string", "maxLength": 4, "pattern": r"^\w*$"}),
    closed(a={"type": "string", "pattern": "^(é|在){2,5}$"}),
    closed(a={"type": "array", "minItems": 0, "maxItems": 3, "items": {"enum": ["é", '"\\']}}),
    closed(a={"enum": [0.1, 0.7, 12345, True, None, "na\u00efve\n"]}),
    closed(a=closed(b={"const": "x"}, c={"enum": ["long", "longer"]}), d=closed()),
]


@pytest.mark.parametrize("schema", FREE)
def test_free_strings_and_odd_values_stay_within_the_budget(schema: dict[str, Any]) -> None:
    for seed in range(200):
        text, tokens = random_reply("guidance", BYTES, schema, seed, long=bool(seed % 2))
        assert tokens <= longest_reply(schema), text


def test_escaped_characters_in_a_free_string_fit() -> None:
    schema = closed(a={"type": "string", "maxLength": 7})
    text = json.dumps({"a": "\x01" * 7}, separators=(",", ":"))
    assert accepts("guidance", BYTES, schema, text)
    assert len(text.encode()) + 1 <= longest_reply(schema)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique=True))
def test_any_label_fits(labels: list[str]) -> None:
    schema = closed(label={"enum": labels})
    for label in labels:
        for ascii_only in (False, True):
            reply = json.dumps({"label": label}, separators=(",", ":"), ensure_ascii=ascii_only)
            assert len(reply.encode()) + 1 <= longest_reply(schema)


def test_known_sizes() -> None:
    assert longest_reply(closed(a={"enum": ["yes", "no"]})) == len('{"a":"yes"}') + 1 + 1
    assert longest_reply({"type": "array", "maxItems": 2, "items": {"const": "ab"}}) == len('["ab","ab"]') + 2
    assert longest_reply({"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"}) == len('"abc"') + 1
    assert longest_reply({"type": "string", "maxLength": 9, "pattern": "^[a-z]{3}$"}) == len('"abc"') + 1
    assert longest_reply({"const": "género"}) == len('"g\\u00e9nero"') + 1


WITHOUT_BOUND = [
    {"type": "string"},
    {"type": "string", "pattern": "^a+$"},
    {"type": "string", "maxLength": 5, "pattern": "a"},
    {"type": "string", "pattern": "^a|b$"},
    {"type": "string", "pattern": r"^a\$"},
    {"type": "number"},
    {"type": "integer", "minimum": 0, "maximum": 9},
    {"type": "array", "items": {"const": 1}},
    {"type": "array", "maxItems": 3},
    {},
    {"type": "object", "properties": {"a": {"const": 1}}},
    {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": {"const": 2}},
    {"type": "object", "additionalProperties": True},
    {"type": "object", "patternProperties": {"^x": {"const": 1}}, "additionalProperties": False},
    closed(a={"anyOf": [{"const": 1}, {"type": "string"}]}),
    closed(a={"$ref": "#/$defs/Node"})
    | {"$defs": {"Node": closed(next={"anyOf": [{"const": 1}, {"$ref": "#/$defs/Node"}]})}},
]


@pytest.mark.parametrize("schema", WITHOUT_BOUND)
def test_a_schema_without_a_bound_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        longest_reply(schema)


def test_an_open_object_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown keys"):
        longest_reply(closed(a={"type": "object", "properties": {}}))
