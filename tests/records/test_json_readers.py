from __future__ import annotations

import json

import pytest

from appliance.errors import InputError


def lines(*objects: object) -> str:
    return "".join(json.dumps(item) + "\n" for item in objects)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.JSONL"])
def test_json_lines_are_read(read, name):
    found = read(
        name,
        lines(
            {
                "record_id": "r1",
                "text": "She leads.",
                "identity_dimensions": ["gender", "age"],
                "identity": {"gender": " female ", "age": 34, "role": None},
                "score": 4.5,
                "tags": ["a", "é"],
                "empty": None,
            }
        ),
    )
    (record,) = found.records
    assert record.identity_dimensions == ("gender", "age")
    assert record.identity == {"gender": "female", "age": "34"}
    assert record.metadata == {"score": "4.5", "tags": '["a", "é"]'}
    assert record.place == f"{name}, line 1"


def test_json_list_is_read_with_the_line_of_each_object(read):
    found = read(
        "a.json",
        '[\n  {"record_id": 1,\n   "text": "One."},\n\n  {"record_id": 2, "text": "Two."},\n'
        '{"record_id":3,"text":""}]\n',
    )
    assert [record.place for record in found.records] == ["a.json, line 2", "a.json, line 5"]
    assert found.skipped[0].place == "a.json, line 6"


def test_whole_number_id_becomes_a_string(read):
    assert read("a.jsonl", '{"record_id": 7, "text": "Good."}').records[0].record_id == "7"


def test_dimensions_may_be_one_string(read):
    row = {"record_id": "1", "text": "Good.", "identity_dimensions": "gender; age"}
    assert read("a.jsonl", lines(row)).records[0].identity_dimensions == ("gender", "age")


@pytest.mark.parametrize("bad", [1.5, None, {}, [], True, "", " \u200b", "a\0", "\ud83d"])
def test_other_ids_are_refused_with_their_line(read, bad):
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: record_id") as caught:
        read("a.jsonl", lines({"record_id": "1", "text": "a"}, {"record_id": bad, "text": "b"}))
    caught.value.message.encode("utf-8")


def test_row_without_an_id_is_refused(read):
    with pytest.raises(InputError, match="line 2: record_id is missing"):
        read("a.jsonl", lines({"record_id": "1", "text": "a"}, {"text": "b"}))


@pytest.mark.parametrize("field", ["text", "context", "identity_signal", "scoring_rubric"])
@pytest.mark.parametrize("value", [5, True, {"a": 1}])
def test_fields_of_the_wrong_kind_are_refused(read, field, value):
    with pytest.raises(InputError, match=f"line 1: {field} is a"):
        read("a.jsonl", lines({"record_id": "1", "text": "a"} | {field: value}))


@pytest.mark.parametrize("field", ["text", "context", "metadata field", "identity.gender"])
def test_lone_surrogate_is_skipped_with_that_reason(read, field):
    row = {"record_id": "1", "text": "fine"} | {field: "hello \ud83d"}
    found = read("a.jsonl", lines(row, {"record_id": "2", "text": "Good 😀."}))
    assert [record.record_id for record in found.records] == ["2"]
    (skipped,) = found.skipped
    assert "lone surrogate" in skipped.reason and field in skipped.reason
    skipped.model_dump_json().encode("utf-8")


def test_lone_surrogate_is_shown_escaped(read):
    assert read("a.jsonl", r'{"record_id": "1", "text": "hello \ud83d"}').skipped[0].text == r"hello \ud83d"


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_nul_character_is_skipped_with_that_reason(read, name):
    content = lines({"record_id": "1", "text": "a\0b"}) if name == "a.jsonl" else "record_id,text\n1,a\0b\n"
    (skipped,) = read(name, content).skipped
    assert "NUL" in skipped.reason


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_numbers_that_json_does_not_have_are_refused(read, name, value):
    row = f'{{"record_id": "1", "text": "a", "score": {value}}}'
    with pytest.raises(InputError, match=r"line 1: .*(is not JSON|out of range)"):
        read(name, row if name == "a.jsonl" else f"[{row}]")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"record_id": "1", "text": "a"}\n{"record_id": ', "line 2, column 15: not JSON"),
        ('\n["a"]', "line 2: a list, not a JSON object"),
        ('{"record_id": "1"} {"record_id": "2"}', "line 1: more follows"),
        ('{"text": "a", "text": "b", "record_id": "1"}', "line 1: the key 'text' stands twice"),
        ("[" * 100_000, "line 1: nested too deeply"),
        ("", "no records"),
        (" \n\n", "no records"),
    ],
)
def test_malformed_json_lines_are_refused(read, content, says):
    with pytest.raises(InputError) as caught:
        read("a.jsonl", content)
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"records": []}', "not a list of objects"),
        ("[]", "no records"),
        ("", "not a list"),
        ('[{"record_id": "1", "text": "a"}', "expected one comma"),
        ('[{"record_id": "1", "text": "a"},]', "expected one comma"),
        ('[\n{"record_id": "1", "text": "a"}\n{"record_id": "2"}]', "line 3: expected one comma"),
        ('[{"record_id": "1", "text": "a"}] x', "more follows the list"),
        ('[\n{"record_id": "1",\n "text": }]', "line 3, column 10: not JSON"),
        ("[1]", "line 1: a int, not a JSON object"),
    ],
)
def test_malformed_json_list_is_refused(read, content, says):
    with pytest.raises(InputError) as caught:
        read("a.json", content)
    assert says in caught.value.message


def test_only_a_line_feed_ends_a_json_line(read):
    content = '{"record_id": "1", "text": "one\u2028two\u0085three"}\r\n{"record_id": "2", "text": "b"}\r\n'
    assert [record.text for record in read("a.jsonl", content).records] == ["one\u2028two\u0085three", "b"]


def test_text_that_is_absent_or_null_is_skipped_as_empty(read):
    rows = lines({"record_id": "1", "text": "a"}, {"record_id": "2"}, {"record_id": "3", "text": None})
    assert [(item.record_id, item.reason) for item in read("a.jsonl", rows).skipped] == [
        ("2", "empty text"),
        ("3", "empty text"),
    ]


def test_two_identity_values_for_one_dimension_are_refused(read):
    row = {"record_id": "1", "text": "a", "identity.gender": "female", "identity": {"gender": "male"}}
    with pytest.raises(InputError, match="two values for 'gender': 'female' and 'male'"):
        read("a.jsonl", lines(row))


def test_nested_identity_value_is_refused(read):
    with pytest.raises(InputError, match="the identity value for 'gender' is a list"):
        read("a.jsonl", lines({"record_id": "1", "text": "a", "identity": {"gender": ["f", "m"]}}))


def test_empty_identity_object_is_not_metadata(read):
    assert read("a.jsonl", lines({"record_id": "1", "text": "a", "identity": {}})).records[0].metadata == {}
