"""Verdicts on file: read as they stand, by system, and compared with what a system writes now."""

import json

import pytest

from attention_book.readers.verdict import readings
from attention_book.readers.verdict.readings import Reading, read_verdicts

ROWS = [
    {"sentence": 7, "digest": "b", "systems": ["apertium", "en-es"], "category": "right", "harm": 0},
    {"sentence": 2, "digest": "a", "systems": ["en-es"], "category": "word", "harm": 2, "again": ["missing", 2]},
    {"sentence": 2, "digest": "c", "systems": ["apertium"], "category": "word", "harm": 1},
]


@pytest.fixture
def verdicts(tmp_path):
    content = {"categories": {"right": "…", "word": "…", "order": "…"}, "readings": ROWS}
    (tmp_path / "made-up.json").write_text(json.dumps(content), encoding="utf-8")
    return read_verdicts("made-up", tmp_path)


def test_each_system_has_its_verdicts_in_order(verdicts):
    assert list(verdicts.by_system) == ["en-es", "apertium"] and len(verdicts.each) == 3
    assert verdicts.by_system["en-es"] == [
        Reading(2, "a", "word", 2, ("missing", 2)),
        Reading(7, "b", "right", 0),
    ]
    assert verdicts.counts("en-es") == {"right": 1, "word": 1, "order": 0}


def test_verdicts_belong_to_the_translations_that_were_read(verdicts):
    assert verdicts.still("apertium", ["c", "b"]) == 2 and verdicts.still("apertium", ["b", "c"]) == 0
    with pytest.raises(ValueError):
        verdicts.still("apertium", ["c"])


@pytest.mark.parametrize("name", ["hundred-sentences", "own-sentences"])
def test_the_files_on_record_are_consistent(name):
    content = json.loads((readings.readings_folder() / f"{name}.json").read_text(encoding="utf-8"))
    assert set(content["readings"][0]) <= {"sentence", "digest", "systems", "category", "harm", "again"}
    keys = [(row["sentence"], row["digest"]) for row in content["readings"]]
    assert len(set(keys)) == len(keys)
    for row in content["readings"]:
        verdicts = [(row["category"], row["harm"]), tuple(row.get("again", (row["category"], row["harm"])))]
        for category, harm in verdicts:
            assert category in content["categories"] and str(harm) in content["harm"]
            assert (harm == 0) is (category in ("right", "fine"))
