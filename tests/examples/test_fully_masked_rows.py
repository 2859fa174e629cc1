"""What is said of empty rows, against softmax worked out in double precision on rounded numbers."""

import math

import pytest
import torch

from attention_book.examples.fully_masked_rows import (
    HIDDEN,
    TYPES,
    WAYS,
    EmptyRow,
    empty_row,
    rows_by_type,
    same_bits_as_infinity,
)

SCORES = torch.tensor([[0.3, 1.2, -0.5]])
FILLED, OURS, ADDED, FUSED = WAYS


def found(way, hidden, dtype):
    return empty_row(WAYS[way], HIDDEN[hidden](dtype), SCORES.to(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_minus_infinity_is_nan_or_zeros(dtype):
    assert found(FILLED, "−∞", dtype) == found(ADDED, "−∞", dtype) == EmptyRow("NaN", "NaN")
    assert found(OURS, "−∞", dtype) == found(FUSED, "−∞", dtype) == EmptyRow("zeros", "finite")


@pytest.mark.parametrize("way", WAYS)
def test_half_precision_has_no_minus_a_billion(way):
    assert found(way, "−10⁹", torch.float16) == EmptyRow("RuntimeError", "")


@pytest.mark.parametrize("dtype", TYPES[1:])
def test_a_finite_number_in_place_of_all_scores_makes_them_equal(dtype):
    for hidden in ("−10⁹", "smallest number"):
        assert found(FILLED, hidden, dtype) == found(OURS, hidden, dtype) == EmptyRow("uniform", "finite")


@pytest.mark.parametrize(("dtype", "hidden"), [(t, h) for t in TYPES for h in (-1e9, -1e4) if h > torch.finfo(t).min])
def test_a_number_added_to_all_scores_hides_as_much_as_its_rounding_swallows(dtype, hidden):
    rounded = (SCORES.to(dtype) + torch.tensor(hidden, dtype=dtype)).double()
    expected = torch.softmax(rounded, -1)
    kept = torch.allclose(expected, torch.softmax(SCORES.double(), -1), atol=2e-3)
    said = empty_row(WAYS[ADDED], hidden, SCORES.to(dtype)).weights
    assert said == ("as if unmasked" if kept else "uniform")
    assert kept == (dtype == torch.float64 or (dtype, hidden) == (torch.float32, -1e4))


def test_what_is_none_of_these_is_called_other():
    assert empty_row(lambda s, value: s * 0 + torch.tensor([0.9, 0.1, 0.0]), 0.0, SCORES).weights == "other"
    assert empty_row(lambda s, value: s * math.nan, 0.0, SCORES) == EmptyRow("NaN", "NaN")


def test_wherever_the_weights_are_nan_the_gradients_are_and_elsewhere_not():
    for way in WAYS:
        for hidden, value in HIDDEN.items():
            outcomes = [found(way, hidden, dtype) for dtype in TYPES]
            assert all((o.gradients == "NaN") == (o.weights == "NaN") for o in outcomes), (way, hidden, value)


def test_a_row_of_the_table_says_what_each_type_does():
    rows = {name: said for name, *said in rows_by_type(SCORES)}
    assert len(rows) == len(WAYS) * len(HIDDEN)
    assert rows["−10⁹ added, torch.softmax"] == ["error", "uniform", "uniform", "as if unmasked"]
    assert rows["−∞ written in, this book's softmax"] == ["zeros"] * 4


def test_torchs_attention_adds_to_scores_of_16_bits_in_32():
    half, lowest = SCORES.half(), torch.finfo(torch.float16).min
    found = WAYS["added, torch's attention"](half, lowest)
    torch.testing.assert_close(found, torch.softmax(half.float() + lowest, -1).half(), rtol=0, atol=1e-3)
    torch.testing.assert_close(torch.softmax(half + lowest, -1), torch.full_like(half, 1 / 3), rtol=0, atol=1e-3)


def test_a_billion_hides_like_infinity_while_one_key_is_left_and_a_small_number_does_not():
    same, of = same_bits_as_infinity(-1e9)
    assert same == of == 360
    assert same_bits_as_infinity(-10.0)[0] < of
