import math

import numpy as np
import pytest

from attention_book.little_language import language as little_language
from attention_book.studies.before.surprise_by_count import SurpriseByCount, measure


def test_made_up_surprises_are_told_by_hand():
    seen, new = np.array([[1.0, 2.0], [2.0, 2.5]]), np.array([[4.0, 3.0], [5.0, 3.5]])
    found = SurpriseByCount((30, 100), seen, new, 2.25, 0.5, 40)
    assert found.told() == (
        "Mean surprise against the number of translations counted. 30: 1.50 on those counted from, 4.50 on new ones. "
        "100: 2.25 on those counted from, 3.25 on new ones. The entropy is 2.25."
    )
    numbers = {"seen_30": 1.5, "seen_spread": 0.5**0.5, "n_seeds": 2, "new_30": 4.5, "new_last": 3.25, "floor": 2.25}
    numbers |= {"unseen": 0.5, "outcomes": 40, "unseen_share": 40}
    numbers |= {"total_30": 50, "drawn_once": 1.5, "once_30": math.log(100 / 3), "never_30": math.log(100)}
    assert found.numbers() == pytest.approx(numbers)
    assert found.numbers(name="half_")["half_unseen_share"] == pytest.approx(40)
    lines = found.figure().axes[0].lines
    named = ["translations counted from", "new translations", "entropy of the truth"]
    assert [line.get_label() for line in lines] == named
    assert [line.get_ydata().tolist() for line in lines] == [[1.5, 2.25], [4.5, 3.25], [2.25, 2.25]]


def test_one_sentence_of_two_is_surprising_by_hand():
    """One draw of a fair coin: the model gives 3/4 to the side that came and 1/4 to the other."""
    found = measure(np.array([0.5, 0.5]), sizes=(1,), seeds=(0, 1), unseen=0.5)
    assert found.seen == pytest.approx(-math.log(0.75))
    assert found.new == pytest.approx(-(math.log(0.75) + math.log(0.25)) / 2)
    assert found.floor == pytest.approx(math.log(2))


def test_more_for_the_unseen_means_less_memory():
    truth = np.full(200, 1 / 200)
    little, much = (measure(truth, sizes=(30,), unseen=unseen) for unseen in (0.01, 0.5))
    assert (little.seen < much.seen).all() and (little.new > much.new).all()


def test_what_is_seen_comes_below_the_entropy_and_what_is_new_cannot():
    """The second is Gibbs' inequality: it fails only where shares do not sum to 1, or something else is measured."""
    source = "I like cats, and you often read the newspaper."
    known = little_language.translations(source, "es")
    found = measure(np.array([probability for _, probability in known]))
    assert (found.new > found.floor).all()
    assert found.floor == pytest.approx(little_language.conditional_entropy(source, "es"))
    assert found.seen_at(30).value < found.floor
    assert found.new[:, -1].mean() - found.floor < 0.01
