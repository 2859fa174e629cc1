"""Recognising a wrong answer: the first reason that fits, and no reason where none does."""

import math
from operator import eq

import numpy as np
import pytest
import torch

from attention_book.checks.known_mistakes import diagnose, expect_predictions, near, recognise, refuse_number
from attention_book.checks.report import NotYet

ONES = torch.ones(2, dtype=torch.float64)


@pytest.mark.parametrize(
    "mistakes",
    [
        {"It is doubled.": 2 * ONES, "It is negated.": -ONES},
        [(2 * ONES, "It is doubled."), (-ONES, "It is negated.")],
        [("It is doubled.", 2 * ONES), ("It is negated.", -ONES)],
        ((wrong, reason) for wrong, reason in [(2 * ONES, "It is doubled."), (-ONES, "It is negated.")]),
    ],
)
def test_the_reason_is_found_whichever_way_round_the_mistakes_are_told(mistakes):
    assert recognise(-ONES, mistakes) == "It is negated."


def test_numbers_are_recognised_within_a_tolerance():
    mistakes = {0.5: "half", 1 / 3: "a third"}
    assert recognise(0.3334, mistakes, near(rel_tol=1e-3)) == "a third"
    assert recognise(0.3334, mistakes, near(abs_tol=1e-5)) is None
    assert recognise(0.3334, mistakes, near()) is None and recognise(0.5, mistakes, near()) == "half"
    assert recognise(0.3, {math.nan: "nothing", math.inf: "all"}, near(rel_tol=0.9)) is None


def test_the_first_of_two_reasons_that_fit_is_given_and_none_where_none_fits():
    assert recognise(ONES, {"first": ONES, "second": ONES}) == "first"
    assert recognise(ONES, {"another": -ONES, "another shape": torch.ones(2, 1)}) is None
    assert recognise(ONES, {}) is None


def test_an_answer_that_is_no_array_is_compared_as_it_is_asked():
    assert recognise({1, 2}, [({1}, "one is missing"), ({2, 1}, "both")], eq) == "both"


def test_a_wrong_number_is_told_with_its_reason_if_that_is_known():
    with pytest.raises(NotYet, match=r"^For n = 4 it gives 2\.0000 and not 1\.0000\. It is doubled\.$"):
        refuse_number("For n = 4", 2.0, 1.0, {2.0: "It is doubled."}, near(rel_tol=1e-6))
    with pytest.raises(NotYet, match=r"^For n = 4 it gives 3 and not 1\.$"):
        refuse_number("For n = 4", 3.0, 1.0, {2.0: "It is doubled."}, near(rel_tol=1e-6), ".4g")


def test_diagnose_gives_the_reason_or_the_first_wrong_number():
    with pytest.raises(NotYet, match=r"^It is doubled\.$"):
        diagnose(2 * ONES, ONES, {"It is doubled.": 2 * ONES})
    with pytest.raises(NotYet, match=r"^A wrong number at element 0 \(counted from 0\): got 2, expected 1\.$"):
        diagnose(2 * ONES, ONES, [(-ONES, "It is negated.")])
    with pytest.raises(NotYet, match="negated"):
        diagnose(np.array([-1.01, -1.0]), np.ones(2), [(-np.ones(2), "It is negated.")], tolerance=0.1)


TABLE = {"a": (1 / 16, {2.25: "multiply, do not add"}), "b": (4, {3: "one more"})}


@pytest.mark.parametrize(
    ("predictions", "told"),
    [
        (..., "Give a dictionary with a number for each of the letters a, b."),
        ([1 / 16, 4], "Give a dictionary with a number for each of the letters a, b."),
        ({"b": 4}, "(a) is still to be predicted."),
        ({"a": 1 / 16, "b": ...}, "(b) is still to be predicted."),
        ({"a": "x", "b": 4}, "Expected (a) to be one number, got a string."),
        ({"a": 2.25, "b": 3}, "(a) is not 2.25: multiply, do not add."),
        ({"a": 2.26, "b": 3}, "(a) is not 2.26."),
        ({"a": 0.0625, "b": 3}, "(b) is not 3: one more."),
    ],
)
def test_predictions_are_judged_letter_by_letter(predictions, told):
    with pytest.raises(NotYet) as caught:
        expect_predictions(predictions, TABLE, 1e-3)
    assert str(caught.value) == told


def test_a_known_wrong_number_may_be_met_less_closely_than_the_right_one():
    expect_predictions({"a": 0.0626, "b": 4.0, "c": "passed over"}, TABLE, 1e-3)
    with pytest.raises(NotYet, match="multiply, do not add"):
        expect_predictions({"a": 2.26}, TABLE, 1e-3, known_within=0.1)
