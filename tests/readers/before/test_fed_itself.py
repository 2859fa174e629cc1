"""What *Recurrent encoder–decoders* says of a decoder that is fed its own words holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.before.fed_itself import NAMES, FedItself


@pytest.fixture
def made_up():
    """Two seeds, three places; at the last one the second seed has too few words for the figure."""

    def seed(itself, counts, harm):
        return {
            "pairs": 100,
            "truth": [1.0, 0.5, 0.5],
            "truth_n": [40, 20, 20],
            "truth_same": [1.0, 0.75, 0.75],
            "itself": [1.0, itself, itself],
            "itself_n": counts,
            "whole": 0.25,
            "forced": 0.5,
            "loss_before": [1.0] * 5,
            "loss_after": [1.0 + harm] * 5,
        }

    seeds = {"0": seed(0.5, [40, 30, 10], 1.0), "1": seed(0.75, [40, 10, 0], 3.0)}
    return FedItself({"configuration": {"model": {"width": 8}, "examined": 4, "most_translations": 9}, "seeds": seeds})


def test_made_up_runs_are_read_by_hand(made_up):
    lines = made_up.error_lines()
    places, own = lines["after its own, right so far"]
    assert places.tolist() == [1, 2] and own == pytest.approx([0, 43.75])  # (30 · ½ + 10 · ¼) of 40
    assert lines["after a true beginning"][1] == pytest.approx([0, 25])
    assert "After its own, right so far: 0 % at 1, 44 % at 2." in made_up.error_told()
    assert made_up.errors("truth_same") == pytest.approx([0.25, 0.25])
    assert made_up.errors("itself") == pytest.approx([0.5, 0.25])  # from the second
    assert made_up.exposure().value == pytest.approx(0.125)
    assert made_up.lost_rows()[0] == ("1", "1.00", "3.00", "+2.00\xa0±\xa01.41")
    numbers = made_up.numbers()
    assert numbers["error_truth_same"] == "25.0\xa0±\xa00.0\xa0%" and numbers["whole"] == "25\xa0±\xa00\xa0%"
    assert numbers["error_difference"].endswith("17.7 points")
    assert numbers["hurt_5"] == 2
    assert numbers["times_1"] == numbers["times_2"] == pytest.approx(7.389, abs=0.001)  # e to the power of 2 nats
    assert numbers["fed_pairs"] == 100  # to the hundred: each seed drew its own


def test_words_after_its_own_beginning_err_more_in_every_seed(runs):
    assert (runs.errors("itself") > runs.errors("truth_same")).all()
    fed_truth, fed_own = (line for _, line in runs.error_lines().values())
    assert (fed_own[1:] > fed_truth[1:]).all()


def test_writing_alone_makes_fewer_sentences_right_in_every_seed(runs):
    assert (runs.of("whole") < runs.of("forced")).all()


def test_the_harm_of_one_wrong_word_wears_off(runs):
    lost = runs.lost().mean(0)
    assert (np.diff(lost) < 0).all() and lost[0] > 2


def test_every_line_of_the_figure_has_a_name_and_the_table_five_words(runs):
    assert list(runs.error_lines()) == list(NAMES.values())
    assert np.shape(runs.lost_rows()) == (5, 4)
