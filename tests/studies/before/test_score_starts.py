"""Scores before training: of random vectors as wide as said, and of recurrent states, which shrink."""

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.readers.before.scores_compared import read
from attention_book.studies.before.score_starts import StartingScores, starting_scores


@pytest.fixture(scope="module")
def starts():
    setting = read().setting
    return starting_scores(setting["common"], setting["width_scores"], setting["widths"])


def test_made_up_spreads_are_read_by_hand():
    spreads = {("dot", 4): np.array([1.0, 3.0]), ("dot", 9): np.array([1.0, 1.0])}
    made_up = StartingScores(spreads, {4: 2.0, 9: 3.0})
    assert made_up.header() == ["scores before training", "width 4", "width 9"]
    assert made_up.rows() == [
        ("dot of random vectors, variance 1", "2.00", "3.00"),
        ("dot, on recurrent states", "2.00\xa0±\xa01.41", "1.00\xa0±\xa00.00"),
    ]
    assert made_up.numbers() == {"n_starts": 2, "start_narrow": 2, "start_wide": 1}


def test_dot_products_of_random_vectors_spread_like_the_root_of_the_width(starts):
    for width, spread in starts.random.items():
        assert spread == pytest.approx(width**0.5, rel=0.06)


def test_scores_of_dot_on_recurrent_states_shrink_with_the_width(starts):
    spreads = [starts.spread("dot", width).value for width in starts.random]
    assert spreads == sorted(spreads, reverse=True)


def test_the_models_are_drawn_from_their_seeds_and_the_random_state_stays(starts):
    torch.manual_seed(5)
    with unchanged_state():
        again = starting_scores(read().setting["common"], ["dot"], [16], starts=2, vectors=3)
    assert again.spreads["dot", 16] == pytest.approx(starts.spreads["dot", 16][:2])
