from __future__ import annotations

import pytest

from appliance.errors import InputError


def test_upper_case_names_are_found(read):
    (record,) = read(
        "a.csv", "RECORD_ID,Text, Context ,IDENTITY_DIMENSIONS\n1,Good.,Review,age\n", default_dimensions=()
    ).records
    assert (record.record_id, record.text, record.context) == ("1", "Good.", "Review")
    assert record.identity_dimensions == ("age",)


def test_exact_name_wins_over_one_of_another_case(read):
    (record,) = read("a.csv", "record_id,Text,text\n1,upper,lower\n").records
    assert record.text == "lower"
    assert record.metadata == {"Text": "upper"}


def test_ambiguous_name_is_refused(read):
    with pytest.raises(InputError, match="'text' may be any of the columns 'Text', 'TEXT'"):
        read("a.csv", "record_id,Text,TEXT\n1,a,b\n")


def test_columns_are_mapped(read):
    (record,) = read("a.csv", "Key,BODY,text\n1,Good.,other\n", {"record_id": "key", "text": "body"}).records
    assert (record.record_id, record.text, record.metadata) == ("1", "Good.", {"text": "other"})


@pytest.mark.parametrize(("header", "field"), [("id,text", "record_id"), ("record_id,body", "text")])
def test_missing_column_lists_what_was_found_and_how_to_map(read, header, field):
    with pytest.raises(InputError) as caught:
        read("a.csv", f"{header}\n1,Good.\n")
    assert f"no column '{field}'" in caught.value.message
    assert all(f"'{column}'" in caught.value.message for column in header.split(","))
    assert f"[input.columns] {field} =" in caught.value.hint


def test_mapped_column_that_is_missing_is_refused_even_for_an_optional_field(read):
    with pytest.raises(InputError, match="no column 'setting' for context"):
        read("a.csv", "record_id,text\n1,a\n", {"context": "setting"})


def test_missing_identity_column_points_to_its_own_section(read):
    with pytest.raises(InputError, match="no column 'sex'") as caught:
        read("a.csv", "record_id,text\n1,a\n", identity_columns={"gender": "sex"})
    assert "[input.identity] gender =" in caught.value.hint


def test_unknown_field_is_refused(read):
    with pytest.raises(InputError, match="no field is called 'txt'"):
        read("a.csv", "record_id,text\n1,a\n", {"txt": "text"})


def test_identity_comes_from_mapped_and_from_prefixed_columns(read):
    (record,) = read(
        "a.csv",
        "record_id,text,sex,identity.age,Identity.Role,identity.origin\n1,a, female ,60,writer,\n",
        identity_columns={"gender": "SEX"},
    ).records
    assert record.identity == {"gender": "female", "age": "60", "Role": "writer"}
    assert record.metadata == {}


def test_two_columns_for_one_dimension_are_refused(read):
    with pytest.raises(InputError, match="both give the dimension 'gender'"):
        read("a.csv", "record_id,text,sex,identity.gender\n1,a,f,f\n", identity_columns={"gender": "sex"})


def test_dimensions_fall_back_to_the_defaults_then_to_the_identity(read):
    content = "record_id,text,identity.age,identity_dimensions\n1,a,60,role\n2,b,60,\n"
    by_default = read("a.csv", content, default_dimensions=("gender",)).records
    by_identity = read("a.csv", content, default_dimensions=()).records
    assert [record.identity_dimensions for record in by_default] == [("role",), ("gender",)]
    assert [record.identity_dimensions for record in by_identity] == [("role",), ("age",)]


def test_record_without_any_dimension_is_refused_with_the_remedy(read):
    with pytest.raises(InputError, match="line 3: no identity dimension") as caught:
        read("a.csv", "record_id,text,identity.age\n1,a,60\n2,b,\n", default_dimensions=())
    assert "identity_dimensions" in caught.value.hint


def test_repeated_and_empty_dimensions_are_taken_once_or_not_at_all(read):
    (record,) = read("a.csv", "record_id,text,identity_dimensions\n1,a,gender;; age |gender\n").records
    assert record.identity_dimensions == ("gender", "age")


def test_duplicate_ids_are_refused_with_all_their_lines(read):
    with pytest.raises(InputError, match=r"'1' on lines 2, 4, 5; '2' on lines 3, 6$"):
        read("a.csv", "record_id,text\n1,a\n2,b\n1,c\n1,\n2,d\n")


def test_only_the_first_five_duplicates_are_named(read):
    rows = "".join(f"{n},a\n" for n in range(7)) * 2
    with pytest.raises(InputError, match="'4' on lines 6, 13 and 2 more"):
        read("a.csv", f"record_id,text\n{rows}")


@pytest.mark.parametrize("text", ["", "   ", "\u200b\ufeff", "\u00a0\u2060", "\u3164\u2800", "\t"])
def test_text_without_anything_to_see_is_kept_as_skipped(read, text):
    found = read("a.csv", f'record_id,text\n1,Good.\n2,"{text}"\n3,Fine.\n')
    assert [record.record_id for record in found.records] == ["1", "3"]
    assert [(item.record_id, item.place, item.reason) for item in found.skipped] == [
        ("2", "a.csv, line 3", "empty text")
    ]


@pytest.mark.parametrize("text", [".", "👍", "…", "·", "a\u200b"])
def test_anything_that_can_be_seen_is_judged(read, text):
    assert read("a.csv", f'record_id,text\n1,"{text}"\n').records[0].text == text
