"""The Python side of the explorer *a weight between two models*: what it computes, refuses and says."""

import math

import pytest
import traitlets

from attention_book.pages.explorers.translator.model_weight import (
    ModelWeight,
    right_alone,
    scores,
    stretches,
    winners,
)

PHRASES = [("gatos negros", 1 / 3, 1 / 4, True), ("negros gatos", 0.0, 1 / 4, False),
           ("perros negros", 1 / 3, 1 / 12, False)]  # fmt: skip
TWO = [["fits", 0.01, 0.8, True], ["flows", 0.1, 0.1, False]]
CASES = [{"name": "black cats", "candidates": PHRASES}, {"name": "two", "candidates": TWO}]


def test_a_score_is_the_weighted_geometric_mean_divided_by_the_largest():
    first, second = 0.01**0.25 * 0.8**0.75, 0.1**0.25 * 0.1**0.75
    assert scores(TWO, 25) == pytest.approx([1, second / first])
    assert scores(TWO, 0) == pytest.approx([1, 1 / 8]) and scores(TWO, 100) == pytest.approx([1 / 10, 1])


def test_at_one_half_the_product_decides():
    products = [fluency * fit for _, fluency, fit, _ in PHRASES]
    wanted = [math.sqrt(product / max(products)) for product in products]
    assert scores(PHRASES, 50) == pytest.approx(wanted) and winners(PHRASES, 50) == (0,)


def test_the_winner_changes_where_both_scores_are_equal():
    """0.01^w 0.8^(1 − w) = 0.1^w 0.1^(1 − w) at w = log 8 / (log 8 + log 10) = 0.4745."""
    meet = math.log(8) / (math.log(8) + math.log(10))
    (first, *left), (second, *right) = stretches(TWO)
    assert (first, second) == ((0,), (1,)) and left == [0.0, 0.47] and right == [0.48, 1.0]
    assert left[1] < meet < right[0]


def test_what_one_model_cannot_tell_apart_ties_where_it_decides_alone():
    assert stretches(PHRASES) == [((0, 1), 0.0, 0.0), ((0,), 0.01, 0.99), ((0, 2), 1.0, 1.0)]


def test_the_right_one_wins_alone_where_no_wrong_one_ties():
    assert right_alone(PHRASES) == (0.01, 0.99) and right_alone(TWO) == (0.0, 0.47)
    assert right_alone([*TWO, ["fits, too", 0.01, 0.8, True]]) == (0.0, 0.47)
    with pytest.raises(ValueError, match="at every weight"):
        right_alone([("right", 0.1, 0.1, True), ("wrong", 0.2, 0.2, False)])


def test_the_words_have_the_winner_the_others_and_every_stretch():
    words = ModelWeight(cases=CASES).in_words()
    assert words == (
        "black cats: at the weight 0.50 of the language model “gatos negros” (right) wins. Divided by its score, the "
        "others are 0.00 for “negros gatos” (wrong) and 0.58 for “perros negros” (wrong). By weight: at 0.00 “gatos "
        "negros” and “negros gatos”, from 0.01 to 0.99 “gatos negros” and at 1.00 “gatos negros” and “perros negros”."
    )
    assert "“flows” (wrong) wins" in ModelWeight(cases=CASES, case=1, weight=60).in_words()
    same = [{"name": "same", "candidates": [["a", 0.5, 0.5, True], ["b", 0.5, 0.5, False]]}]
    told = "“a” (right) and “b” (wrong) win. By weight: from 0.00 to 1.00 “a” and “b”."
    assert ModelWeight(cases=same).in_words().endswith(told)


@pytest.mark.parametrize(
    "bad",
    [
        {"case": 2}, {"case": -1}, {"weight": 101}, {"weight": -1}, {"cases": []},
        {"cases": [{"name": "one", "candidates": [["a", 1.5, 0.5, True]]}]},
        {"cases": [{"name": "none", "candidates": [["a", 0.0, 0.5, True], ["b", 0.5, 0.0, False]]}]},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_changes_nothing(bad):
    explorer = ModelWeight(cases=CASES)
    before = explorer.state()
    ((name, value),) = bad.items()
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, name, value)
    assert explorer.state() == before
