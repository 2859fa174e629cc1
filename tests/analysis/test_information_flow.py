"""The leak matrix against finite differences and known matrices; reach against walks in a graph."""

import pytest
import torch
from oracles import normal

from attention_book.analysis.information_flow import leak_matrix, reachable
from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.mask_patterns import window_mask
from attention_book.attention.masks import causal_mask, leak


def test_of_a_matrix_product_it_is_the_matrix_in_size():
    weights = normal(3, 5)
    assert torch.equal(leak_matrix(lambda x: weights @ x, normal(5, 2)), weights.abs())


def test_it_agrees_with_finite_differences_and_with_leak():
    x, step = normal(4, 3), 1e-6
    w_q, w_k, w_v = (normal(3, 3, seed=seed) for seed in (1, 2, 3))

    def attend(x, mask=None):
        return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]

    expected = torch.zeros(4, 4, dtype=torch.float64)
    for j in range(4):
        for e in range(3):
            moved = torch.zeros_like(x)
            moved[j, e] = step
            slope = (attend(x + moved) - attend(x - moved)).abs().amax(dim=1) / (2 * step)
            expected[:, j] = torch.maximum(expected[:, j], slope)
    found = leak_matrix(attend, x)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)
    assert float(found.triu(1).max()) == leak(attend, x) > 0
    assert (leak_matrix(lambda x: attend(x, causal_mask(4)), x).triu(1) == 0).all()


def test_lengths_may_differ():
    matrix = leak_matrix(lambda x: x[1:] - 2 * x[:1], normal(3, 2))
    assert matrix.tolist() == [[2, 1, 0], [2, 0, 1]]


def walks(mask, layers):
    """By hand: from which positions can one come to i in at most so many steps?"""
    found = []
    for i in range(len(mask)):
        seen = {i}
        for _ in range(layers):
            seen |= {j for k in seen for j in range(len(mask)) if mask[k, j]}
        found.append([j in seen for j in range(len(mask))])
    return torch.tensor(found)


@pytest.mark.parametrize("layers", [0, 1, 2, 3, 5])
def test_reach_is_that_of_walks(layers):
    mask = torch.rand(6, 6, generator=torch.Generator().manual_seed(layers)) < 0.25
    assert torch.equal(reachable(mask, layers), walks(mask, layers))


@pytest.mark.parametrize(("width", "layers"), [(1, 4), (2, 3), (3, 2), (4, 5)])
def test_layers_of_windows_reach_as_far_as_the_formula_says_and_derivatives_agree(width, layers):
    length = 14
    mask = window_mask(length, length, width)
    seen = [min(i + 1, layers * (width - 1) + 1) for i in range(length)]
    assert reachable(mask, layers).sum(1).tolist() == seen
    w_q, w_k, w_v = (normal(4, 4, seed=seed) / 2 for seed in (1, 2, 3))

    def stack(x):
        for _ in range(layers):
            x = x + scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]
        return x

    assert torch.equal(leak_matrix(stack, normal(length, 4)) > 0, reachable(mask, layers))


def test_layers_cannot_be_negative():
    with pytest.raises(ValueError, match="got -1"):
        reachable(causal_mask(2), -1)
