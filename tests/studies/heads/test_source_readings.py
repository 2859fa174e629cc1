"""Keys and values beside the memory, and what one word of the source changes."""

import pytest

from attention_book.claims.rows.heads_and_shapes import keys_and_values
from attention_book.studies.heads import source_readings
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.from_pretrained("en-es")


def test_the_smallest_distance_is_the_one_that_the_claim_was_decided_by(translator):
    distances = source_readings.memory_distances(translator, "I like cats.")
    smallest = min(distance for row in distances for distance in row[:2])
    assert smallest == pytest.approx(keys_and_values()["smallest_distance"], abs=1e-4)
    assert distances[0][2] == 0 and all(row[2] > 0.1 for row in distances[1:])
    rows = source_readings.distance_rows(translator, "I like cats.")
    assert [row[0] for row in rows] == ["1", "2", "3"] and rows[0][3] == "0.00"
    assert all(len(row) == len(source_readings.DISTANCE_HEADER) for row in rows)


def test_chances_by_hand():
    chances = {"a": [0.9, 0.01], "b": [0.02, 0.8]}
    assert source_readings.chance_rows(chances)[1] == ("b", "0.0200", "0.8000")
    assert source_readings.chance_numbers(chances) == {"least_right": 0.8, "most_wrong": 0.02}


def test_each_source_gets_its_own_noun(translator):
    told = source_readings.chance_numbers(source_readings.noun_chances(translator))
    assert told["least_right"] > 0.5 > 0.05 > told["most_wrong"]
