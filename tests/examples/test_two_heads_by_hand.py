"""The two-head example: against torch's own module, against a pencil's loops, and the story that it tells."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from attention_book.examples import two_heads_by_hand as two_heads
from attention_book.examples.two_heads_by_hand import W_K, W_O, W_Q, W_V, X, steps


def torchs(n_heads):
    """nn.MultiheadAttention with the example's matrices; it stores each transposed, q, k and v in one."""
    layer = nn.MultiheadAttention(8, n_heads, bias=False, batch_first=True).double()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.from_numpy(np.concatenate([W_Q.T, W_K.T, W_V.T])))
        layer.out_proj.weight.copy_(torch.from_numpy(W_O.T))
    x = torch.from_numpy(X)[None]
    output, weights = layer(x, x, x, average_attn_weights=False)
    return output[0].detach().numpy(), weights[0].detach().numpy()


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_output_and_weights_are_torchs(n_heads):
    output, weights = torchs(n_heads)
    lines = steps(n_heads)
    np.testing.assert_allclose(lines["output"], output, atol=1e-12)
    np.testing.assert_allclose(lines["weights"], weights, atol=1e-12)


def test_every_matrix_is_in_small_whole_numbers():
    for matrix in (X, W_Q, W_K, W_V, W_O):
        assert matrix.shape in {(3, 8), (8, 8)}
        assert np.array_equal(matrix, matrix.round()) and matrix.min() >= 0 and matrix.max() <= 8


def test_the_lines_of_like_by_pencil():
    """Row 1, in plain Python: two products, one division, e⁴ and two ones."""
    lines = steps()
    assert lines["q"][:, 1].tolist() == [[8, 0, 0, 0], [0, 0, 8, 0]]
    assert lines["k"][0].tolist() == lines["k"][1].tolist() == [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 2]]
    assert lines["v"][0].tolist() == lines["v"][1].tolist() == [[1, 1, 1, 0], [0, 0, 0, 0], [3, 2, 0, 1]]
    assert lines["scores"][0, 1].tolist() == [4, 0, 0] and lines["scores"][1, 1].tolist() == [0, 0, 4]
    total = math.exp(4) + 2
    strong, weak = math.exp(4) / total, 1 / total
    person = strong * 1 + weak * 0 + weak * 3
    number = weak * 1 + weak * 0 + strong * 2
    nouns = strong * 1
    np.testing.assert_allclose(lines["output"][1], [0, 0, 0, 0, 0, person, number, nouns], atol=1e-12)


def test_two_heads_find_who_and_how_many_and_one_head_finds_neither():
    _, person, number, _ = steps(2)["output"][1, 4:]
    assert abs(person - 1) < 0.05 and abs(number - 2) < 0.1  # first person, several
    _, person, number, _ = steps(1)["output"][1, 4:]
    assert abs(person - 1) > 0.5 and abs(number - 2) > 0.5


def test_names_fit():
    assert len(two_heads.TOKENS) == len(X) and len(two_heads.FEATURES) == X.shape[1]
    assert two_heads.split(X, 2).tolist() == [X[:, :4].tolist(), X[:, 4:].tolist()]


def test_weights_follow_the_words_and_a_kernel_keeps_its_place():
    """A head and a channel of a convolution on a sentence and on its reverse."""
    x = torch.from_numpy(X)

    def maps(x):
        q, k = (torch.stack((x @ torch.from_numpy(w)).chunk(2, dim=1)) for w in (W_Q, W_K))
        return (q @ k.transpose(1, 2) / 2).softmax(-1)[:, 1]  # of like, which is in the middle both times

    assert torch.allclose(maps(x.flip(0)), maps(x).flip(-1))
    assert maps(x)[0].argmax() == 0 and maps(x.flip(0))[0].argmax() == 2
    channel = nn.Conv1d(8, 1, 3, bias=False).double()
    derivative = [
        torch.autograd.functional.jacobian(lambda y: channel(y.T[None])[0, 0], sentence) for sentence in (x, x.flip(0))
    ]
    assert torch.equal(*derivative)  # the same weights at the same offsets, whatever the words
