"""The checks of *The noisy channel* on right answers and on wrong ones, each of which they must name."""

import pytest

from attention_book.checks.before.noisy_channel import check_same_to_model_one


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("I like cats.", "I like cats.", "one sentence"),
        ("I like cats.", "I like dogs.", "differ in their words"),
        ("I like cats.", "Cats I like.", "little language"),
        ("I like cats, and you like dogs.", "", "Give two"),
        ("I like cats, and you like dogs.", "You like dogs, and I like cats.", "clauses in another order"),
        ("I like cats, but you like dogs.", "You like dogs, but I like cats.", "clauses in another order"),
        ("I like cats, and you like dogs, and Tom eats.", "I like cats.", "little language"),
        ("I like cats, and you like dogs.", "You like cats, and you like dogs.", "differ in their words"),
        ("I like cats, and you like dogs.", "You like cats, but I like dogs.", "not only in the order: and, but"),
        (..., ..., "Give two"),
    ],
)
def test_sentences_that_are_not_the_same_to_model_one(first, second, said):
    report = check_same_to_model_one(first, second)
    assert not report
    assert said in report.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like cats, and you like dogs.", "You like cats, and I like dogs."),
        ("You like cats, and I like dogs.", "I like cats, and you like dogs."),
        ("Do you like cats, and do we like dogs?", "Do we like cats, and do you like dogs?"),
        ("I do not like cats, and I like dogs.", "I like cats, and I do not like dogs."),
    ],
)
def test_other_sentences_that_are_one_to_model_one_pass(first, second):
    report = check_same_to_model_one(first, second)
    assert report, report.message
