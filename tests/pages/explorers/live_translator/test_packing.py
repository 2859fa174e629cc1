"""A packed record is small, and unpacked it is the same to the last digit."""

import json

import pytest

from attention_book.pages.explorers.live_translator.answers import Answers
from attention_book.pages.explorers.live_translator.packing import packed, unpacked

HEAD = {"use": "cross", "layer": 2, "head": 0}


@pytest.fixture(scope="module")
def record(translator):
    return Answers(translator).record("My brother doesn't eat meat.")


def test_packing_and_unpacking_give_the_same_numbers(translator, record):
    answers = Answers(translator)
    other = answers.record("I like 🐈. They sleep.", beam=4, forced=record["ids"][:1], silenced=[HEAD])
    for one in (record, other):
        pack = packed(one)
        assert unpacked(pack) == one
        assert unpacked(json.loads(json.dumps(pack))) == one


def test_a_packed_record_is_a_third_as_long(record):
    assert len(json.dumps(packed(record))) < len(json.dumps(record)) / 2.5


@pytest.mark.parametrize("weight", [0.12345, -0.1, 1.5, float("nan")])
def test_a_weight_that_would_be_another_is_refused(record, weight):
    encoder = [[[*head] for head in layer] for layer in record["encoder"]]
    encoder[1][2][3] = weight
    with pytest.raises(ValueError, match="from 0 to 1"):
        packed({**record, "encoder": encoder})
