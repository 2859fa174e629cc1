"""The best continuations, by blocks, against sorting everything."""

import math

import pytest
import torch

from attention_book.models.search_interface import largest_first
from attention_book.translation.fast.choosing import Scored, largest_places
from attention_book.translation.fast.packing import BLOCK


def logits(rows, blocks, seed, levels):
    """Few different values, so that many are equal."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(levels, (rows, blocks * BLOCK), generator=generator).float()


@pytest.mark.parametrize("levels", [1, 2, 50, 10_000])
@pytest.mark.parametrize("count", [1, 4, 9])
def test_the_largest_of_all_prefixes_in_the_order_of_a_full_search(levels, count):
    values = logits(6, 3, count, levels)
    added = torch.tensor([[0.0, -1.0, -2.0], [0.5, 0.5, -math.inf]])
    forbidden = torch.tensor([0, 1])
    totals, parents, tokens = Scored(values.clone(), forbidden).largest(added, count)
    values[:, forbidden] = -math.inf
    grid = (values.view(2, 3, -1) + added[:, :, None]).flatten(1)
    wanted, places = largest_first(grid, count)
    assert totals.tolist() == wanted
    assert (parents * 3 * BLOCK + tokens).tolist() == places


@pytest.mark.parametrize("levels", [1, 3, 10_000])
def test_the_best_is_the_first_of_its_equals(levels):
    values = logits(20, 5, 1, levels)
    best, tokens = Scored(values.clone(), torch.tensor([2, 7])).best()
    values[:, [2, 7]] = -math.inf
    (wanted, places) = largest_first(values, 1)
    assert [[one] for one in best.tolist()] == wanted and [[one] for one in tokens.tolist()] == places


@pytest.mark.parametrize("shift", [0.0, 500.0, -500.0])
def test_log_sum_exp_counts_what_is_forbidden_too(shift):
    values = torch.randn(40, 2 * BLOCK, generator=torch.Generator().manual_seed(0)) * 3 + shift
    wanted = values.double().logsumexp(dim=1)
    found = Scored(values.clone(), torch.tensor([0, 1])).log_sum_exp()
    assert torch.allclose(found.double(), wanted, atol=1e-5, rtol=1e-7)


def test_log_sum_exp_of_a_row_in_which_nothing_may_follow():
    values = torch.full((2, BLOCK), -math.inf)
    values[:, 1], values[1, 7] = 2.0, 1.0
    found = Scored(values.clone(), torch.tensor([0, 1])).log_sum_exp()
    assert torch.allclose(found, values.logsumexp(dim=1))


def test_equal_numbers_come_in_the_order_of_the_row():
    values = torch.tensor([[1.0, 3, 3, 2, 3], [0, -math.inf, 0, 0, 5]])
    assert largest_places(values, 3).tolist() == [[1, 2, 4], [4, 0, 2]]


def test_nan_is_refused():
    values = torch.zeros(2, BLOCK)
    values[1, 9] = math.nan
    with pytest.raises(FloatingPointError, match="NaN"):
        Scored(values.clone(), torch.tensor([0, 1])).best()
    with pytest.raises(FloatingPointError, match="NaN"):
        Scored(values.clone(), torch.tensor([0, 1])).largest(torch.zeros(2, 1), 2)
