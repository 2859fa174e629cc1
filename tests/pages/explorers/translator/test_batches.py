"""The Python side of the explorer *batches*: what it cuts, refuses and says."""

import pytest
import traitlets

from attention_book.pages.explorers.translator.batches import BUDGETS, ORDERS, Batches


def test_the_words_have_the_numbers_of_a_case_by_hand():
    drawn = Batches(lengths=[5, 9, 4, 8, 5], budget=35)
    assert drawn.groups == [[0, 1, 2], [3, 4]]
    words = drawn.in_words()
    assert words.startswith("5 sentences with 31 tokens, as drawn, in batches of at most 35 cells. ")
    assert "updates, per pass: 2. " in words
    assert "Of 43 cells 12 are padding, 27.9 %." in words and words.endswith("longest sentence: 3 × 9, 2 × 8.")
    whole = Batches(lengths=[5, 9, 4, 8, 5], budget=35, order="sorted")
    assert whole.groups == [[2, 0, 4, 3], [1]] and "Of 41 cells 10 are padding" in whole.in_words()


@pytest.mark.parametrize("budget", BUDGETS)
def test_what_the_solutions_say_of_these_forty(budget):
    drawn, buckets, whole = (Batches(order=order, budget=budget).share for order in ORDERS)
    assert whole < min(drawn, buckets)
    assert (buckets < drawn) == (budget <= 100)  # later a batch takes a whole bucket and more


def test_more_tokens_per_batch_are_fewer_updates_and_with_sentences_as_drawn_more_padding():
    updates = [len(Batches(budget=budget, order="sorted").groups) for budget in BUDGETS]
    assert updates == sorted(updates, reverse=True) and updates[-1] == 2
    assert Batches(budget=BUDGETS[0]).share < Batches(budget=BUDGETS[-1]).share


@pytest.mark.parametrize("bad", [{"order": "random"}, {"budget": 34}, {"lengths": [0]}])
def test_what_does_not_fit_is_refused(bad):
    with pytest.raises(traitlets.TraitError):
        Batches(**bad)
