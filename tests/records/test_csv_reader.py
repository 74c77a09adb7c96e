from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.errors import InputError
from appliance.records.cells import is_blank
from appliance.records.readers import read_records


def test_every_field_lands_where_it_belongs(read):
    found = read(
        "reviews.csv",
        "record_id,text,context,identity_signal,identity_dimensions,scoring_rubric,template_id,source\n"
        "r1,She leads well.,Annual review,pronoun she,gender;age|role,1-5,t1,HR\n",
    )
    (record,) = found.records
    assert record.record_id == "r1"
    assert record.text == "She leads well."
    assert record.context == "Annual review"
    assert record.identity_signal == "pronoun she"
    assert record.identity_dimensions == ("gender", "age", "role")
    assert record.scoring_rubric == "1-5"
    assert record.template_id == "t1"
    assert record.metadata == {"source": "HR"}
    assert record.place == "reviews.csv, line 2"
    assert found.skipped == ()


def test_byte_order_mark_is_not_part_of_the_first_column(read):
    assert read("a.csv", b"\xef\xbb\xbfrecord_id,text\n1,Good.\n").records[0].record_id == "1"


def test_id_keeps_its_zeros_and_NA_stays_text(read):  # noqa: N802
    (record,) = read("a.csv", "record_id,text,grade\n007,NA,NA\n").records
    assert (record.record_id, record.text, record.metadata) == ("007", "NA", {"grade": "NA"})


def test_text_is_not_altered_by_a_single_character(read):
    text = "  e\u0301 ﬁ \u00a0\u201cquoted\u201d\r\nline two\rthree\n\n\tend \u200b \u2028 "
    quoted = text.replace('"', '""')
    (record,) = read("a.csv", f'record_id,text\r\n1,"{quoted}"\r\n').records
    assert record.text == text


def test_place_is_the_physical_line_on_which_the_row_starts(read):
    found = read("a.csv", 'record_id,text\n1,"one\ntwo\nthree"\n\n2,Good.\n')
    assert [record.place for record in found.records] == ["a.csv, line 2", "a.csv, line 6"]


def test_carriage_returns_alone_end_rows_too(read):
    assert [r.record_id for r in read("a.csv", "record_id,text\r1,One.\r2,Two.\r").records] == ["1", "2"]


def test_quotes_in_an_unquoted_field_are_kept(read):
    assert read("a.csv", 'record_id,text\n1,He said "good" twice\n').records[0].text == 'He said "good" twice'


def test_field_over_the_csv_limit_is_read_and_the_limit_put_back(read):
    before = csv.field_size_limit()
    (record,) = read("a.csv", "record_id,text\n1," + "a" * 200_000 + "\n").records
    assert len(record.text) == 200_000
    assert csv.field_size_limit() == before


def test_limit_is_put_back_after_an_error(read):
    before = csv.field_size_limit()
    with pytest.raises(InputError):
        read("a.csv", 'record_id,text\n1,"' + "a" * 200_000)
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("2,Good.,extra", "line 3: 3 fields, but the header has 2"),
        ("2", "line 3: 1 fields, but the header has 2"),
        ('2,"Good." she said', "line 3: a quoted field goes on after its closing quote"),
        ('2,"Good.', "line 3: the row opens a quote that is never closed"),
    ],
)
def test_malformed_row_is_refused_with_its_line(read, row, says):
    with pytest.raises(InputError) as caught:
        read("a.csv", f"record_id,text\n1,Fine.\n{row}\n")
    assert says in caught.value.message
    assert caught.value.hint


def test_rows_of_empty_cells_hold_no_record(read):
    assert len(read("a.csv", "record_id,text\n1,Good.\n,\n  \n").records) == 1


def test_duplicate_header_is_refused_with_both_positions(read):
    with pytest.raises(InputError, match="columns 2 and 3 have the same name, 'text'"):
        read("a.csv", "record_id,text,text\n1,a,b\n")


def test_blank_header_gets_its_position_as_name(read):
    (record,) = read("a.csv", ",record_id,text\n0,r1,Good.\n").records
    assert record.metadata == {"column 1": "0"}


def test_blank_header_can_be_mapped_to_the_id(read):
    (record,) = read("a.csv", ",text\n0,Good.\n", columns={"record_id": "column 1"}).records
    assert record.record_id == "0"


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".CSV"])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_separator_is_the_one_with_which_the_header_names_the_columns(read, suffix, separator):
    header, row = (
        separator.join(["record_id", "text", "note"]),
        separator.join(["1", '"Hi, you; \tall"', "x"]),
    )
    (record,) = read(f"a{suffix}", f"{header}\n{row}\n").records
    assert record.text == "Hi, you; \tall"
    assert record.metadata == {"note": "x"}


def test_commas_inside_the_names_do_not_hide_the_semicolons(read):
    (record,) = read("a.csv", "record_id;text;a, b, c, d\n1;Good, really;x\n").records
    assert (record.text, record.metadata) == ("Good, really", {"a, b, c, d": "x"})


def test_separator_is_named_where_the_columns_are_not_found(read):
    with pytest.raises(InputError, match="columns found, separated by tabs: 'id', 'body'"):
        read("a.csv", "id\tbody\n1\tGood, really, good\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "the file is empty"), ("\n \n", "the file is empty"), ("record_id,text\n", "only a header")],
)
def test_file_without_records_is_refused(read, content, says):
    with pytest.raises(InputError, match=says):
        read("a.csv", content)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(CELLS, min_size=1, max_size=5), separator=st.sampled_from(",;\t"))
def test_any_text_written_as_csv_is_read_back_unchanged(texts, separator):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([["record_id", "text"], *([f"r{n}", text] for n, text in enumerate(texts))])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(out.getvalue().encode("utf-8"))
        found = read_records(path, {}, {}, ("gender",))
    read_back = {item.record_id: item.text for item in (*found.records, *found.skipped)}
    assert read_back == {f"r{n}": text for n, text in enumerate(texts)}
    assert [item.text for item in found.records] == [text for text in texts if not is_blank(text)]
