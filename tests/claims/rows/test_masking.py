"""The rows on masks, against pencils, counts and a changed word."""

import math

import pytest
import torch

from attention_book.examples.mask_recipes import RECIPES

from ..verdicts import changed


def moves(recipe):
    """How far the first outputs move when the last of four vectors is changed."""
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    may = torch.ones(4, 4).tril().bool()

    def attend(x):
        return RECIPES[recipe](x @ x.T, may) @ x

    other = x.clone()
    other[3] += 1.0
    return float((attend(other) - attend(x))[:3].abs().max())


def test_f04_three_readings(answers):
    value = answers["F04"]["value"]
    assert value["smallest_case"] == pytest.approx(1 / (1 + math.e))
    for reading, recipe in (
        ("cells_one_or_zero", "S · M cell by cell, M of 1 and 0"),
        ("matrix_product", "S M as a matrix product"),
    ):
        assert value[reading]["leak"] > 0.1 and value[reading]["hidden_weight"] > 0.1
        assert value[reading]["row_sum"] == pytest.approx(1)
        assert moves(recipe) > 0.01
    assert value["cells_zero_or_infinity"]["leak"] == "NaN"
    assert answers["F04"]["verdict"] == "wrong"
    assert changed(answers, "F04", matrix_product=value["matrix_product"] | {"leak": 0.0}) == "right"


def test_f05_half_a_recipe(answers):
    value = answers["F05"]["value"]
    assert value["zeroed"]["hidden_weight"] == 0 and value["zeroed"]["row_sum"] < 0.5
    assert value["zeroed"]["leak"] > 0.1 and moves("weights set to 0") > 0.01
    assert value["divided"]["leak"] < 1e-14 and moves("weights set to 0, rows divided by their sums") < 1e-14
    assert value["divided_minus_masked"] < 1e-15
    assert answers["F05"]["verdict"] == "misleading"
    assert changed(answers, "F05", zeroed=value["divided"] | {"leak": 0.0}) == "right"
    assert changed(answers, "F05", divided_minus_masked=0.1) == "wrong"


def test_f06_where_the_two_part(answers):
    value = answers["F06"]["value"]
    assert value["largest_difference"] == 0  # e to −10⁹ is 0 in both precisions
    assert value["empty_row_by_billion"] == pytest.approx([1 / 3] * 3)
    assert value["empty_row_by_infinity"] == [0, 0, 0] and value["nan_in_a_bare_softmax"] == 3
    assert value["fits_float16"] is (torch.finfo(torch.float16).max >= 1e9)
    assert answers["F06"]["verdict"] == "misleading"
    assert changed(answers, "F06", largest_difference=0.1) == "wrong"
    assert changed(answers, "F06", empty_row_by_billion=[0.0] * 3, fits_float16=True) == "right"


def test_f14_the_first_position_has_itself_alone(answers):
    value = answers["F14"]["value"]
    assert value["may_attend_to_themselves"] == value["positions"] == value["nan_in_its_bare_softmax"]
    assert value["keys_of_the_first"] == 1 and value["keys_of_the_first_without_the_diagonal"] == 0
    assert value["weight_in_this_books_softmax"] == 0
    assert answers["F14"]["verdict"] == "wrong"
    assert changed(answers, "F14", may_attend_to_themselves=0) == "right"
