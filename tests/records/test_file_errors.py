from __future__ import annotations

import pytest

from appliance.errors import InputError
from appliance.records.readers import FORMATS, read_records


def test_invalid_byte_is_refused_with_line_and_offset(read):
    with pytest.raises(InputError, match=r"line 3: not UTF-8 \(byte 0xe9 at byte offset 24\)") as caught:
        read("a.csv", b"record_id,text\n1,good\n2,\xe9\n")
    assert "iconv" in caught.value.hint


def test_offset_counts_the_byte_order_mark(read):
    with pytest.raises(InputError, match="byte offset 3"):
        read("a.csv", b"\xef\xbb\xbf\xff")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_utf16_is_refused_with_or_without_its_mark(read, name, encoding):
    with pytest.raises(InputError, match="UTF-16") as caught:
        read(name, "record_id,text\n1,Good.\n".encode(encoding))
    assert "iconv -f UTF-16" in caught.value.hint


def test_surrogate_encoded_as_utf8_is_not_utf8(read):
    with pytest.raises(InputError, match="not UTF-8"):
        read("a.csv", b"record_id,text\n1,\xed\xa0\xbd\n")


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a", "a.csv.gz"])
def test_other_formats_are_refused_with_the_list_of_those_supported(read, name):
    with pytest.raises(InputError) as caught:
        read(name, "record_id,text\n1,Good.\n")
    assert all(suffix in caught.value.hint for suffix in FORMATS)


@pytest.mark.parametrize("name", ["none.csv", "none.jsonl", "none.json"])
def test_missing_file_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="no such file"):
        read_records(tmp_path / name, {}, {}, ())


@pytest.mark.parametrize("name", ["folder", "folder.csv"])
def test_directory_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="is a directory"):
        read_records(tmp_path / name, {}, {}, ())
