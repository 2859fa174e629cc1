"""Numbers and lists in words: against Python's own rounding, and against cases by hand."""

from decimal import Decimal

import numpy as np
import pytest

from attention_book.pages.explorers.words import fixed, listed, short, stripped


def test_three_decimals_are_those_of_python_with_a_true_minus():
    for x in np.random.default_rng(0).normal(scale=100, size=200):
        assert fixed(x).replace("−", "-") == f"{x:.3f}"
        assert "-" not in fixed(x)


@pytest.mark.parametrize(
    ("x", "told"),
    [
        (0.0, "0.000"), (-0.0, "0.000"), (0.0625, "0.063"), (-0.0625, "−0.063"), (0.0004, "<0.001"), (-1e-9, ">−0.001"),
        (0.0005, "0.001"), (1e6, "1000000.000"),
    ],
)  # fmt: skip
def test_halves_tiny_numbers_and_zeros(x, told):
    assert fixed(x) == told


@pytest.mark.parametrize(
    ("x", "told"),
    [(2.0, "2"), (2.5, "2.5"), (-0.25, "−0.25"), (100.0, "100"), (0.0, "0"), (1e-9, "<0.001"), (-1e-9, ">−0.001")],
)  # fmt: skip
def test_short_drops_zeros_behind_the_point_only(x, told):
    assert short(x) == told
    if abs(x) > 0.001:
        assert Decimal(short(x).replace("−", "-")) == Decimal(x)


def test_stripping_leaves_whole_numbers_alone():
    assert [stripped(text) for text in ("100", "1.50", "3.000")] == ["100", "1.5", "3"]


def test_lists_end_in_and():
    assert [listed(items) for items in ([], ["I"], ["I", "like"], ["I", "like", "cats"])] == [
        "", "I", "I and like", "I, like and cats",
    ]  # fmt: skip
