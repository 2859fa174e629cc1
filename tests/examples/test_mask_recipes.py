"""What each recipe for hiding keys does to the weights, by laws, and what shows through."""

import math

import pytest
import torch

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.masks import causal_mask
from attention_book.examples.mask_recipes import RECIPES, USUAL, tightness, weights_rows

MAY = causal_mask(5)


def scores():
    return torch.randn(5, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize(
    "name", ["−∞ for the score", "−10⁹ for the score", "weights set to 0, rows divided by their sums"]
)
def test_three_recipes_give_the_weights_of_the_package(name):
    s = scores()
    keys = torch.eye(5, dtype=torch.float64)
    _, expected = scaled_dot_product_attention(s * math.sqrt(5), keys, keys, MAY)
    torch.testing.assert_close(RECIPES[name](s, MAY), expected, rtol=0, atol=1e-12)


def test_two_are_exactly_tight_and_one_up_to_rounding():
    for name in ("−∞ for the score", "−10⁹ for the score"):
        found = tightness(RECIPES[name], MAY)
        assert found.hidden_weight == found.leak == 0
        assert found.row_sum == pytest.approx(1)
    divided = tightness(RECIPES["weights set to 0, rows divided by their sums"], MAY)
    assert divided.hidden_weight == 0 and 0 < divided.leak < 1e-12


def test_the_others_leak():
    for name in ("no mask", "S · M cell by cell, M of 1 and 0", "S M as a matrix product"):
        found = tightness(RECIPES[name], MAY)
        assert found.hidden_weight > 0.1 and found.leak > 0.1
        assert found.row_sum == pytest.approx(1)
    zeroed = tightness(RECIPES["weights set to 0"], MAY)
    assert zeroed.hidden_weight == 0 and zeroed.row_sum < 0.9 and zeroed.leak > 0.1
    infinite = tightness(RECIPES["S · M cell by cell, M of 0 and −∞"], MAY)
    assert math.isnan(infinite.leak)


def test_two_equal_scores_by_hand():
    weights = RECIPES["S · M cell by cell, M of 1 and 0"](torch.ones(2, 2), causal_mask(2))
    assert weights[0, 1].item() == pytest.approx(1 / (1 + math.e))
    zeroed = RECIPES["weights set to 0"](
        torch.tensor([[0.8, 0.1, 0.1], [0.15, 0.75, 0.1], [1.0, 1.0, 1.0]]).log(), causal_mask(3)
    )
    torch.testing.assert_close(zeroed.sum(-1), torch.tensor([0.8, 0.9, 1.0]))
    allowed_and_positive = RECIPES["S · M cell by cell, M of 0 and −∞"](
        torch.tensor([[1.0, 2.0], [3.0, 9.0]]), causal_mask(2)
    )
    torch.testing.assert_close(allowed_and_positive, torch.tensor([[1.0, 0.0], [0.5, 0.5]]))  # 3 and 9 count alike


def test_a_row_of_the_table_keeps_a_digit_of_what_is_small():
    leaks = dict.fromkeys(USUAL, 0.0049) | {USUAL[0]: 3.4e-16, USUAL[1]: math.nan}
    last = [row[-1] for row in weights_rows([1, 0], [True, True], leaks)]
    assert last[:3] == ["3\xa0·\xa010⁻¹⁶ (rounding)", "NaN", "5\xa0·\xa010⁻³"]


def test_one_row_under_each_recipe():
    leaks = {name: float(place) for place, name in enumerate(USUAL)}
    named = weights_rows([1, 0, 2, 3], [True, True, True, False], leaks)
    assert [name[:3] for name, *_ in named[1:]] == ["1. ", "2. ", "2. ", "3. ", "4. "]
    rows = {name.split(". ")[-1]: numbers for name, *numbers in named}
    assert list(rows) == USUAL and len(USUAL) == len(RECIPES) - 2
    assert rows["no mask"] == ["0.09", "0.03", "0.24", "0.64", "1.00", "0"]
    assert rows["S · M cell by cell, M of 1 and 0"] == ["0.22", "0.08", "0.61", "0.08", "1.00", "1.00"]
    assert rows["weights set to 0"] == ["0.09", "0.03", "0.24", "0", "0.36", "2.00"]
    right = ["0.24", "0.09", "0.67", "0", "1.00"]
    assert [name for name, numbers in rows.items() if numbers[:-1] == right] == USUAL[-3:]
