"""Linear attention: its weights by definition, its memory equal to its table, and what it cannot be."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracles import unchecked

from attention_book.attention.linear_attention import (
    FixedMemory,
    causal_linear_attention,
    linear_attention,
    positive,
)
from attention_book.attention.masks import causal_mask


def drawn(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def test_the_feature_map_is_elu_plus_one():
    x = drawn(0, 50) * 3
    np.testing.assert_allclose(positive(x).numpy(), phi(x.numpy()), rtol=1e-12)
    assert positive(torch.tensor([-1.0, 0.0, 2.0])).tolist() == pytest.approx([np.exp(-1), 1, 3])


@pytest.mark.parametrize("causal", [False, True])
def test_outputs_and_weights_are_those_of_loops(causal):
    q, k, v = drawn(1, 4, 3), drawn(2, 4, 3), drawn(3, 4, 2)
    output, weights = linear_attention(q, k, v, causal_mask(4) if causal else None)
    for i in range(4):
        raw = [float(phi(q[i].numpy()) @ phi(k[j].numpy())) if j <= i or not causal else 0.0 for j in range(4)]
        np.testing.assert_allclose(weights[i].numpy(), np.array(raw) / sum(raw), rtol=1e-12)
        np.testing.assert_allclose(output[i].numpy(), np.array(raw) / sum(raw) @ v.numpy(), rtol=1e-12)


def test_numpy_gives_what_torch_gives():
    q, k, v = drawn(1, 2, 4, 3), drawn(2, 2, 4, 3), drawn(3, 2, 4, 2)
    arrays = [x.numpy() for x in (q, k, v)]
    for by_torch, by_numpy in (
        (linear_attention(q, k, v, causal_mask(4))[0], linear_attention(*arrays, causal_mask(4).numpy())[0]),
        (causal_linear_attention(q, k, v), causal_linear_attention(*arrays)),
        (positive(1000 * q), positive(1000 * arrays[0])),
    ):
        assert isinstance(by_numpy, np.ndarray)
        np.testing.assert_allclose(by_numpy, by_torch.numpy(), rtol=1e-12)


@given(st.integers(0, 2**31), st.integers(1, 7), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_the_memory_gives_what_the_table_gives_forward_and_backward(seed, length, d_k, d_v, batched):
    batch = (2, 3) if batched else ()
    shapes = (*batch, length, d_k), (*batch, length, d_k), (*batch, length, d_v)
    inputs = [drawn(seed + n, *shape).requires_grad_() for n, shape in enumerate(shapes)]
    outputs = [linear_attention(*inputs, causal_mask(length))[0], causal_linear_attention(*inputs)]
    torch.testing.assert_close(outputs[1], outputs[0], rtol=1e-10, atol=1e-12)
    asked = drawn(seed + 9, *outputs[0].shape)
    for got, wanted in zip(*(torch.autograd.grad(one, inputs, asked) for one in outputs), strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-8, atol=1e-10)


def test_the_memory_does_not_grow_and_writing_leaves_the_old_one():
    memory = FixedMemory.empty(drawn(0, 1, 3), drawn(1, 1, 2))
    assert memory.read(torch.ones(3).double()).tolist() == [0, 0]
    first = memory.written(drawn(0, 3), drawn(1, 2))
    second = first.written(drawn(2, 3), drawn(3, 2))
    assert memory.table.count_nonzero() == 0
    assert {one.table.shape for one in (memory, first, second)} == {(3, 2)}
    assert first.table.dtype == torch.float64
    torch.testing.assert_close(first.read(drawn(5, 3)), drawn(1, 2))  # one pair: its value, whatever is asked


def test_no_positions_have_no_outputs_and_leave_the_memory_empty():
    q, k, v = drawn(0, 2, 0, 3), drawn(1, 2, 0, 3), drawn(2, 2, 0, 4)
    assert causal_linear_attention(q, k, v).shape == linear_attention(q, k, v)[0].shape == (2, 0, 4)
    memory = FixedMemory.empty(k, v)
    assert (memory.table.shape, memory.total.shape) == ((2, 3, 4), (2, 3)) and not memory.table.any()
    assert FixedMemory.empty(k.numpy(), v.numpy()).table.shape == (2, 3, 4)


def test_the_order_of_the_pairs_does_not_matter():
    k, v, order = drawn(0, 6, 3), drawn(1, 6, 2), [4, 2, 0, 5, 1, 3]
    ends = []
    for rows in (range(6), order):
        memory = FixedMemory.empty(k, v)
        for j in rows:
            memory = memory.written(k[j], v[j])
        ends.append(memory.read(drawn(2, 3)))
    torch.testing.assert_close(*ends)


def test_a_query_without_a_key_gets_zeros_and_finite_gradients():
    q, k, v = (drawn(n, 2, 2).requires_grad_() for n in range(3))
    mask = torch.tensor([[False, False], [True, False]])
    output, weights = linear_attention(q, k, v, mask)
    assert output[0].tolist() == [0, 0] and weights[0].tolist() == [0, 0]
    torch.testing.assert_close(output[1], v[0])
    assert all(x.isfinite().all() for x in torch.autograd.grad(output.sum(), (q, k, v)))


def test_the_table_of_raw_weights_has_no_more_rank_than_a_key_is_wide():
    """What a fixed memory cannot do: softmax's table may have full rank."""
    q, k, v = drawn(0, 12, 3), drawn(1, 12, 3), drawn(2, 12, 2)
    _, weights = linear_attention(q, k, v)
    assert torch.linalg.matrix_rank(weights) == 3
    assert torch.linalg.matrix_rank((4 * q @ k.mT).softmax(-1)) > 3


def test_what_does_not_fit_is_refused():
    with unchecked(), pytest.raises(ValueError, match="3 queries for 4 keys"):
        causal_linear_attention(drawn(0, 3, 2), drawn(1, 4, 2), drawn(2, 4, 2))
    with unchecked(), pytest.raises(ValueError, match="one width d_k"):
        linear_attention(drawn(0, 3, 2), drawn(1, 4, 3), drawn(2, 4, 2))
