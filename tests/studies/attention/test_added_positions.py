"""A word and a position, added: by hand, and the lengths of sinusoidal positions."""

import math

import pytest
import torch

from attention_book.attention.positions import sinusoidal_positions
from attention_book.studies.attention.added_positions import cosine_with_sum, position_length


def test_four_numbers_by_hand():
    """*cats* at the first position: e + p = (½, ½, ½, 1½) and 2e + p = (1, 0, 1, 2)."""
    e, p = torch.tensor([0.5, -0.5, 0.5, 0.5]), sinusoidal_positions(1, 4)[0]
    assert torch.equal(p, torch.tensor([0.0, 1, 0, 1]))
    assert torch.equal(e + p, torch.tensor([0.5, 0.5, 0.5, 1.5]))
    assert torch.equal(2 * e + p, torch.tensor([1.0, 0, 1, 2]))
    assert cosine_with_sum(e, p) == pytest.approx(1 / math.sqrt(3))  # e · (e + p) = 1, and |e + p|² = 3
    assert cosine_with_sum(e, p, 2) == pytest.approx(2 / math.sqrt(6))


@pytest.mark.parametrize("d_model", [2, 64])
def test_every_position_has_the_length_of_its_pairs(d_model):
    lengths = sinusoidal_positions(20, d_model).norm(dim=1)
    assert lengths.tolist() == pytest.approx([position_length(d_model)] * 20, rel=1e-5)
