"""The readings of sentences are counted and shown as they were written down."""

import json

import pytest

from attention_book.readers.translator.thirty_sentences import HEADER, Readings, read

EACH = [
    {"english": "A", "spanish": "a", "verdict": "right", "note": ""},
    {"english": "B", "spanish": "b", "verdict": "wrong", "note": "not b"},
    {"english": "C", "spanish": "c", "verdict": "right", "note": ""},
]


def test_rows_and_counts_by_hand():
    readings = Readings(EACH)
    assert readings.rows() == [("A", "a", "right"), ("B", "b", "wrong: not b"), ("C", "c", "right")]
    assert all(len(row) == len(HEADER) for row in readings.rows())
    numbers = readings.numbers(today=["a", "other", "c"])
    assert numbers == {"read_sentences": 3, "unchanged": 2, "read_right": 2, "read_flawed": 0, "read_wrong": 1}
    with pytest.raises(ValueError):
        readings.numbers(today=["a"])


def test_readings_come_from_their_file(tmp_path):
    file = tmp_path / "readings.json"
    file.write_text(json.dumps(EACH), encoding="utf-8")
    assert read(file).english == ["A", "B", "C"]
