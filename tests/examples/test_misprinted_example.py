"""The circulating example: what is wrong with it, and what is not, as the chapter says."""

import numpy as np

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.probability import softmax
from attention_book.examples.misprinted_example import (
    CLAIMED,
    KEYS,
    QUERIES,
    VALUES,
    recomputed,
    recomputed_numbers,
    recomputed_rows,
)

LINES = recomputed()


def test_from_the_beginning_it_is_attention():
    output, weights = scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    assert np.allclose(LINES["softmax"].true, weights)
    assert np.allclose(LINES["times V"].true, output)


def test_what_each_line_follows_from_is_the_claimed_line_before():
    assert np.allclose(LINES["divided by √4"].from_claim, CLAIMED["Q Kᵀ"] / 2)
    assert np.allclose(LINES["times V"].from_claim, CLAIMED["softmax"] @ VALUES)
    assert np.array_equal(LINES["Q Kᵀ"].from_claim, LINES["Q Kᵀ"].true)


def test_the_first_row_was_divided_before_and_the_second_fits_no_divisor():
    claimed, true = CLAIMED["Q Kᵀ"], LINES["Q Kᵀ"].true
    assert np.allclose(claimed[0], true[0] / 2)
    assert np.ptp(true[1] / claimed[1]) > 0.05


def test_only_the_division_and_one_row_of_the_last_line_are_right_steps():
    right = {name: np.isclose(line.claimed, line.from_claim, atol=0.005).all(axis=1) for name, line in LINES.items()}
    assert {name: row.tolist() for name, row in right.items()} == {
        "Q Kᵀ": [False, False], "divided by √4": [True, True], "softmax": [False, False], "times V": [True, False],
    }  # fmt: skip


def test_from_the_beginning_no_row_is_right_and_one_is_to_one_decimal():
    off = {name: abs(line.claimed - line.true).max(axis=1).round(9) for name, line in LINES.items()}
    assert all((row > 0.01).all() for row in off.values())
    close = np.isclose(LINES["softmax"].true.round(1), CLAIMED["softmax"]).all(axis=1)
    assert close.tolist() == [True, False]
    assert np.allclose(softmax(CLAIMED["Q Kᵀ"][0]), LINES["softmax"].true[0])  # it was taken of line 1


def test_the_claimed_weights_look_like_weights_and_the_claimed_output_moves_the_wrong_way():
    assert np.allclose(CLAIMED["softmax"].sum(axis=1), 1)
    assert np.array_equal(LINES["softmax"].true[0].round(1), CLAIMED["softmax"][0])
    to_the_third = np.diff(CLAIMED["softmax"], axis=0)[0]
    assert to_the_third[2] < 0 < min(to_the_third[:2])  # weight leaves the largest value ...
    assert (np.diff(CLAIMED["times V"], axis=0) > 0).all()  # ... and the output is said to rise


def test_the_rows_tell_each_line_twice_and_the_numbers_are_its_own():
    rows = recomputed_rows()
    assert [row[:2] for row in rows[:3]] == [("1: Q Kᵀ", "1"), ("1: Q Kᵀ", "2"), ("2: divided by √4", "1")]
    assert len(rows) == 8 and rows[2][2:4] == ("0.15\xa00.35\xa00.55", "0.15\xa00.35\xa00.55")
    numbers = recomputed_numbers()
    assert round(numbers["first_score"], 9) == 0.6 and numbers["first_claimed"] == 0.3
    assert round(numbers["step_true"], 9) == 0.64 and round(numbers["step_claimed"], 9) == 0.36
    assert round(numbers["step_half"], 9) == 0.32
    assert round(numbers["ratio_1"], 9) == 0.35 / 0.25 and round(numbers["ratio_2"], 9) == round(0.4 / 0.35, 9)
