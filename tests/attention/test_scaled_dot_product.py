"""What the chapter *Scaled dot-product attention* says of scores, weights and layers, where no other test says it."""

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
import torch

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.probability import softmax

Q = torch.tensor([[0.0, 0, 2, 0], [2, 2, 0, 0], [1, 1, 2, 1]], dtype=torch.float64)
K = torch.tensor([[1.0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0]], dtype=torch.float64)
V = torch.tensor([[1.0, 1], [5, 1], [1, 5]], dtype=torch.float64)
SWAPPED = [2, 1, 0]


def test_swapped_keys_swap_their_weights_and_swapped_values_change_the_output_only():
    output, weights = scaled_dot_product_attention(Q, K, V)
    other, of_keys = scaled_dot_product_attention(Q, K[SWAPPED], V)
    torch.testing.assert_close(of_keys, weights[:, SWAPPED])
    assert not torch.allclose(of_keys, weights) and not torch.allclose(other, output)
    other, of_values = scaled_dot_product_attention(Q, K, V[SWAPPED])
    assert torch.equal(of_values, weights) and not torch.allclose(other, output)
    torch.testing.assert_close(scaled_dot_product_attention(Q, K[SWAPPED], V[SWAPPED])[0], output)


@pytest.mark.parametrize("angle", [0, 45, 90, 135])
@pytest.mark.parametrize("length", [0.5, 3.0])
def test_a_score_is_length_times_length_times_cosine(angle, length):
    turn = math.radians(angle)
    query = torch.tensor([[1.5, 0.0]], dtype=torch.float64)
    keys = torch.tensor([[0.0, 0.0], [length * math.cos(turn), length * math.sin(turn)]], dtype=torch.float64)
    _, weights = scaled_dot_product_attention(query, keys, keys)
    score = (weights[0, 1] / weights[0, 0]).log().item()  # the first key's score is 0
    assert score * math.sqrt(2) == pytest.approx(1.5 * length * math.cos(turn), abs=1e-12)


def test_the_longer_key_beats_the_one_that_points_the_same_way():
    _, weights = scaled_dot_product_attention(torch.tensor([[1.0, 0]]), torch.tensor([[1.0, 0], [3, 3]]), torch.eye(2))
    assert weights[0, 1] > weights[0, 0]


@pytest.mark.parametrize("pair", [(1, 2), (10, 20)])
def test_scores_ten_times_as_large_give_other_weights(pair):
    getcontext().prec = 40
    powers = [Decimal(number).exp() for number in pair]
    exact = [float(power / sum(powers)) for power in powers]
    assert softmax(np.array(pair, dtype=float)) == pytest.approx(exact, rel=1e-12)
    assert [math.exp(number) for number in pair] == pytest.approx([float(power) for power in powers], rel=1e-12)


def test_what_is_learned_are_the_four_projections():
    layer = MultiHeadAttention(d_model=8, n_heads=2, bias=False)
    assert {name: tuple(p.shape) for name, p in layer.named_parameters()} == {
        f"w_{name}.weight": (8, 8) for name in "qkvo"
    }
