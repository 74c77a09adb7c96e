from __future__ import annotations

import pytest

from appliance.domain.records import IntendedLabel
from appliance.errors import InputError
from appliance.records.readers import read_labels


def test_labels_are_read(write):
    path = write(
        "labels.csv",
        "record_id,bias_flag,bias_types,severity,note\n007,TRUE,DOWNGRADE;OMISSION,HIGH,hedged\n8,no,,,\n",
    )
    assert read_labels(path) == {
        "007": IntendedLabel(
            record_id="007", bias_flag=True, bias_types=("DOWNGRADE", "OMISSION"), note="hedged"
        ),
        "8": IntendedLabel(record_id="8", bias_flag=False),
    }


@pytest.mark.parametrize(
    ("word", "flag"),
    [("true", True), ("1", True), ("Yes", True), ("False", False), ("0", False), (" NO ", False)],
)
def test_flag_words(write, word, flag):
    path = write("labels.csv", f"record_id,bias_flag\n1,{word}\n")
    assert read_labels(path)["1"].bias_flag is flag


@pytest.mark.parametrize("word", ["", "maybe", "2", "None"])
def test_other_flag_words_are_refused_with_their_line(write, word):
    with pytest.raises(InputError, match=f"line 3: bias_flag is '{word}'"):
        read_labels(write("labels.csv", f"record_id,bias_flag\n1,true\n2,{word}\n"))


def test_duplicate_label_is_refused_with_both_lines(write):
    with pytest.raises(InputError, match="line 4: the label of '1' was given on line 2"):
        read_labels(write("labels.csv", "record_id,bias_flag\n1,true\n2,true\n1,false\n"))


def test_empty_id_is_refused(write):
    with pytest.raises(InputError, match="line 2: record_id is empty"):
        read_labels(write("labels.csv", "record_id,bias_flag\n ,true\n"))


def test_missing_column_is_refused(write):
    with pytest.raises(InputError, match="no column 'bias_flag'; columns found: record_id, flag"):
        read_labels(write("labels.csv", "record_id,flag\n1,true\n"))
