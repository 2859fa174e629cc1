"""Why D is half as sure as F that a word follows itself: what the layers add weakens the word, and not the position."""

import math

import pytest
from global_state import unchanged_state

from attention_book.readers.attention.embedding_scale import read
from attention_book.studies.attention.word_meets_itself import HEADER, Itself, both, itself, rows


@pytest.fixture(scope="module")
def seen():
    return both()


def test_the_logits_are_those_on_record(seen):
    told = read().numbers()
    assert (seen["D"].own, seen["F"].own) == pytest.approx((told["own_large"], told["own_factor"]), abs=0.5)


def test_the_words_are_8_and_64_long_beside_a_position_of_the_root_of_32(seen):
    assert (seen["D"].word, seen["F"].word) == pytest.approx((8, 64), rel=0.02)
    assert seen["D"].position == seen["F"].position == pytest.approx(math.sqrt(32), rel=1e-4)


def test_without_positions_d_stays_far_from_64(seen):
    """If the position weakened the word, its removal would bring nearly all of the missing 32 back."""
    assert seen["D"].own_alone - seen["D"].own < 0.1 * (64 - seen["D"].own)


def test_what_the_layers_add_explains_the_logits(seen):
    """With word, position and addition at right angles, the word has the share word / length of the sum."""
    for kind in seen.values():
        assert kind.added > 11
        alone = 64 * kind.word / math.hypot(kind.word, kind.added)
        assert kind.own_alone == pytest.approx(alone, rel=0.05)
    assert seen["D"].added > 1.5 * seen["D"].word and seen["F"].added < seen["F"].word / 5


def test_rows_by_hand():
    made_up = {"D": Itself(8.04, 5.66, 13.25, 32.4, 33.4)}
    assert rows(made_up) == [("D", "8.0", "5.7", "13.2", "33")] and len(HEADER) == 5


def test_measuring_changes_no_global_state():
    with unchanged_state():
        itself("large", pairs=3)
