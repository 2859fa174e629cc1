"""The checks of the chapter on what each use is for: they pass what is right and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.translator import each_use as checks

from ..diagnosis import diagnosis

ROW = {"chosen": 3, "even": 5, "silent": 0, "another": 18}


def test_the_row_passes():
    assert checks.check_row(ROW)
    assert checks.check_row({name: Fraction(value) for name, value in ROW.items()})
    assert checks.check_row({name: torch.tensor(float(value)) for name, value in ROW.items()})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chosen": 5}, "e⁰ : e^log 4"),
        ({"chosen": 5 * math.log(4)}, "only after softmax"),
        ({"even": 15}, "sum to 1"),
        ({"even": 3}, "that the keys give"),
        ({"silent": 5}, "not the mean of the values"),
        ({"silent": 3}, "silenced heads give 0"),
        ({"another": 15}, "its weights do: 1 : 4"),
        ({"another": 12}, "gets the larger weight"),
        ({"another": 3}, "both come from the other memory"),
        ({"another": 7.5}, "(another) is not 7.5."),
        ({"even": ...}, "still to be predicted"),
        ({"even": "five"}, "one number"),
    ],
)
def test_wrong_rows_are_named(wrong, message):
    assert message in diagnosis(checks.check_row(ROW | wrong))


def test_what_is_no_row_is_named():
    assert "a dictionary with a number" in diagnosis(checks.check_row([3, 5, 0, 18]))
    assert "a dictionary with a number" in diagnosis(checks.check_row({"chosen": 3}))


ARRIVES = {"a": False, "b": True, "c": True, "d": False, "e": False, "f": True, "g": True}


def test_what_still_arrives_passes():
    assert checks.check_arrives(ARRIVES)


@pytest.mark.parametrize("name", ARRIVES)
def test_each_wrong_prediction_is_named_with_its_reason(name):
    message = diagnosis(checks.check_arrives(ARRIVES | {name: not ARRIVES[name]}))
    assert message.startswith(f"{name} is {ARRIVES[name]}: ")
    assert "True (it can change)" in diagnosis(checks.check_arrives(ARRIVES | {name: 1}))


def test_open_predictions_are_named():
    assert "still open" in diagnosis(checks.check_arrives(dict.fromkeys(ARRIVES, ...)))


def even(v, may):
    counts = may.sum(dim=1, keepdim=True)
    return may.double() @ v / counts.clamp(min=1)


def in_a_loop(v, may):
    rows = []
    for row in may.tolist():
        seen = [value for value, allowed in zip(v.tolist(), row, strict=True) if allowed]
        rows.append([sum(numbers) / len(seen) for numbers in zip(*seen, strict=True)] if seen else [0.0] * v.shape[1])
    return rows


def by_attention(v, may):
    from attention_book.attention.dot_product import scaled_dot_product_attention

    q, k = torch.zeros(len(may), 1).double(), torch.zeros(len(v), 1).double()
    return scaled_dot_product_attention(q, k, v, may)[0]


@pytest.mark.parametrize("right", [even, in_a_loop, by_attention, lambda v, may: np.asarray(even(v, may))])
def test_even_weights_pass(right):
    assert checks.check_even(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda v, may: v.mean(dim=0).expand(len(may), -1), "masked values are mixed in"),
        (lambda v, may: may.double() @ v, "The values are added up"),
        (lambda v, may: may.double() @ v / len(v), "number of all keys"),
        (lambda v, may: torch.softmax(may.double(), dim=1) @ v, "a softmax over True and False"),
        (lambda v, may: even(v, ~may), "True hides"),
        (lambda v, may: may.double() @ v / may.sum(dim=1, keepdim=True), "NaN, from 0 ÷ 0"),
        (lambda v, may: torch.where(may.any(1, True), even(v, may), v.mean(dim=0)), "gets the mean of all values"),
        (lambda v, may: even(v, may).T, "wrong shape"),
        (lambda v, may: even(v, may)[0], "wrong shape"),
        (lambda v, may: even(v, may) + 1, "A wrong number at row 0"),
        (lambda v, may: None, "None"),
        (lambda v, may: "mean", "a string"),
    ],
)
def test_wrong_even_weights_are_named(wrong, message):
    assert message in diagnosis(checks.check_even(wrong))


CHOSEN, CHOICE_VALUES = [0.92, 0.04, 0.04], [5, 6, 4]


@pytest.mark.parametrize("made", [list, np.asarray, torch.tensor, lambda row: tuple(row)])
def test_a_choice_without_effect_passes(made):
    assert checks.check_choice(made(CHOSEN), made(CHOICE_VALUES))
    assert checks.check_choice([0.03, 0.95, 0.02], [3, 2 - 1 / 28 + 0.01, 1])  # near enough, and not symmetric


@pytest.mark.parametrize(
    ("weights", "values", "message"),
    [
        ([0.5, 0.3, 0.2], CHOICE_VALUES, "The largest weight is 0.5"),
        ([0.9, 0.05, 0.05], CHOICE_VALUES, "more than 0.9"),
        ([0.92, 0.04, 0.05], CHOICE_VALUES, "sums to 1.01"),
        ([1.1, -0.05, -0.05], CHOICE_VALUES, "negative weight"),
        (CHOSEN, [5, 5, 5], "values are equal"),
        (CHOSEN, [5, 6, 6], "values are equal"),
        (CHOSEN, [1, 2, 3], "own output is 1.12, and that of even weights is 2"),
        (CHOSEN, [0, 1, -1], "which silence gives as well"),
        (CHOSEN, [5, 6], "wrong shape"),
        ([1.0], CHOICE_VALUES, "wrong shape"),
        (..., CHOICE_VALUES, "`weights`"),
        (CHOSEN, ..., "`values`"),
    ],
)
def test_choices_that_matter_are_named(weights, values, message):
    assert message in diagnosis(checks.check_choice(weights, values))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_arrives(ARRIVES)
        checks.check_even(even)
