"""What *Counting and regression* says of the little language holds in the result on record."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import over_seeds
from attention_book.readers.before.counting_little_language import (
    ENTROPIES,
    KINDS,
    LANGUAGES,
    CountingLittleLanguage,
)


@pytest.fixture
def made_up():
    """Two seeds: the error rate is 1/4 and 1/2, and halved with 20 pairs; the trigram is ahead by 1/4 in the second."""

    def seed(error, entropy):
        metrics = {"precision": 1 - error, "recall": error, "error_rate": error}
        found = {
            f"{target}/{pairs}/{kind}_{name}": value * 10 / pairs
            for target in LANGUAGES
            for pairs in (10, 20)
            for kind in KINDS
            for name, value in metrics.items()
        }
        found |= {f"{target}/{pairs}/right": error for target in LANGUAGES for pairs in (10, 20)}
        return found | {"entropy/2": 4, "entropy/3": 3, "entropy/last two words": entropy, "entropy/with ending": 3.5}

    setting = {"pairs": [10, 20], "log_linear_pairs": 7}
    return CountingLittleLanguage({"configuration": setting, "seeds": {"1": seed(0.25, 3), "2": seed(0.5, 3.25)}})


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.error_lines()["Hindi, diagonal"] == ([10, 20], [0.375, 0.1875])
    assert "Spanish, x makes y: 0.38 with 10, 0.19 with 20." in made_up.errors_told()
    # The halves of 1/4 and 1/2 differ by 1/8; √(2 · (1/16)²) = 0.088.
    rate = "0.188\xa0±\xa00.088"
    assert made_up.alignment_rows()[4] == ("diagonal", "0.312\xa0±\xa00.088", rate, rate)
    assert made_up.behind().tolist() == [0, 0.25]
    found = made_up.numbers()
    # 37.5 ± 25/√2 percent.
    assert (found["ahead"], found["right_first"]) == (1, "38\xa0±\xa018")
    assert (found["many_0"], found["aer_pairs"], found["aer_seeds"], found["many_sentences"]) == (10, 20, 2, 7)
    assert (found["first_es"], found["aer_es"], found["diagonal_hi"]) == (0.375, 0.1875, 0.1875)
    assert list(made_up.entropies()) == list(ENTROPIES)
    assert made_up.entropies()["last two words, 5 epochs"].value == 3.125


def test_the_figure_marks_the_numbers_of_pairs(made_up):
    (axes,) = made_up.error_figure().axes
    assert axes.get_xticks().tolist() == [10, 20] and axes.get_ylim() == (0, 1.2)
    assert [line.get_label() for line in axes.lines] == list(made_up.error_lines())


@pytest.mark.parametrize("target", LANGUAGES)
@pytest.mark.parametrize("kind", ["forward", "backward", "both"])
def test_model_one_has_fewer_errors_than_the_diagonal(runs, target, kind):
    most = runs.pairs[-1]
    assert runs.error_rate(target, most, kind) < runs.error_rate(target, most, "diagonal")


@pytest.mark.parametrize("target", LANGUAGES)
def test_what_both_directions_say_is_more_often_right(runs, target):
    assert runs.precision(target, "both") > max(runs.precision(target, kind) for kind in ("forward", "backward"))


def test_the_trigram_is_ahead_on_average_and_the_ending_makes_hardly_a_difference(runs):
    assert np.mean(runs.behind()) > 0
    assert not over_seeds(runs.behind(), "interval").settled
    entropies = runs.entropies()
    assert abs(entropies["last two words, 5 epochs"].value - entropies["and the ending, 5 epochs"].value) < 0.05
