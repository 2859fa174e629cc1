"""A word and a position, added: by hand, and the lengths of sinusoidal positions."""

import math

import pytest
import torch

from attention_book.attention.positions import sinusoidal_positions
from attention_book.studies.attention.added_positions import (
    common_share,
    cosine_with_sum,
    distance_of_neighbours,
    position_length,
    varying_share,
)


def test_four_numbers_by_hand():
    """*cats* at the first position: e + p = (½, ½, ½, 1½) and 2e + p = (1, 0, 1, 2)."""
    e, p = torch.tensor([0.5, -0.5, 0.5, 0.5]), sinusoidal_positions(1, 4)[0]
    assert torch.equal(p, torch.tensor([0.0, 1, 0, 1]))
    assert torch.equal(e + p, torch.tensor([0.5, 0.5, 0.5, 1.5]))
    assert torch.equal(2 * e + p, torch.tensor([1.0, 0, 1, 2]))
    assert cosine_with_sum(e, p) == pytest.approx(1 / math.sqrt(3))  # e · (e + p) = 1, and |e + p|² = 3
    assert cosine_with_sum(e, p, 2) == pytest.approx(2 / math.sqrt(6))


def test_two_positions_of_width_two():
    """(0, 1) and (sin 1, cos 1): on a circle, 1 radian apart; each differs from their mean by half of that chord."""
    chord = 2 * math.sin(0.5)
    assert distance_of_neighbours(2, 2) == pytest.approx(chord)
    assert varying_share(2, 2) == pytest.approx((chord / 2) ** 2)
    assert position_length(2) == 1 == pytest.approx(sinusoidal_positions(2, 2)[1].norm().item())


def test_one_position_does_not_vary_and_many_of_a_narrow_model_vary_entirely():
    assert varying_share(1, 64) == 0
    assert varying_share(20_000, 4) == pytest.approx(1, abs=0.05)


def test_what_rows_have_in_common():
    rows = torch.tensor([[3.0, 1.0], [3.0, -1.0]])  # mean (3, 0); squared lengths 10 and 10
    assert common_share(rows) == pytest.approx(0.9)
    assert common_share(rows - rows.mean(dim=0)) == 0
