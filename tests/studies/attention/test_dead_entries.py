"""Two ways to look dead, told apart by hand; and what single precision loses next to 1."""

import math

import numpy as np
import pytest

from attention_book.studies.attention.dead_entries import (
    Sizes,
    in_single_precision,
    sizes,
    two_key_entry,
    two_key_weight,
    winners_and_crowds,
)


def test_two_keys_with_a_pencil():
    assert two_key_weight(math.log(3)) == pytest.approx(3 / 4)
    assert two_key_entry(math.log(3)) == pytest.approx(3 / 16)
    assert two_key_entry(8 * math.log(3), 8) == pytest.approx(3 / 16 / 8)
    assert two_key_entry(0) == 1 / 4


def test_a_division_helps_a_large_lead_and_harms_a_small_one():
    assert two_key_entry(8, 8) > 10 * two_key_entry(8)
    assert two_key_entry(1) > 5 * two_key_entry(1, 8)
    assert two_key_entry(16) / two_key_entry(15) == pytest.approx(math.exp(-1), abs=1e-4)


@pytest.mark.parametrize("n", [4, 512])
def test_a_tie_by_hand(n):
    """1/n times a projection onto n − 1 dimensions: the eigenvalue 1/n, n − 1 times."""
    found = sizes(np.zeros(n))
    assert found.norm == pytest.approx(math.sqrt(n - 1) / n)
    assert found.largest_eigenvalue == pytest.approx(1 / n) and found.trace == pytest.approx((n - 1) / n)
    assert found.dead == 0


def test_a_row_of_the_table():
    assert Sizes(0.125, 0.5, 2.5e-7, 0.0).row() == ("12.5 %", "0.5", "2.5·10⁻⁷", "0")


def test_the_share_of_dead_entries_does_not_tell_a_crowd_from_a_winner_and_the_trace_does():
    found = list(winners_and_crowds().values())
    tie, _, winner, crowd, larger_crowd = found
    assert (tie.dead, crowd.dead, winner.dead) == (0, 0, 1)
    assert larger_crowd.dead == pytest.approx(1 - 1 / 1024)  # all but the diagonal: 1/n² has passed the threshold
    assert larger_crowd.trace > 0.99 and winner.trace < 1e-7


@pytest.mark.parametrize("lead", [15, 20])
def test_a_sum_keeps_the_digits_that_a_subtraction_loses(lead):
    found = in_single_precision(lead)
    assert found["summed"] == pytest.approx(found["true"], rel=1e-5)
    assert abs(found["subtracted"] / found["true"] - 1) > 0.01
    assert in_single_precision(20)["subtracted"] == 0
    assert found["true"] == pytest.approx(two_key_entry(lead), rel=1e-6)
