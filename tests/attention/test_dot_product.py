"""Scaled dot-product attention: against torch's own, its laws, its edges, and every kind of mask."""

import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, leaves, normal, unchecked

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.masks import causal_mask, lengths_mask

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
BATCH, HEADS, Q_LEN, K_LEN = 2, 3, 4, 5
law = settings(max_examples=30, deadline=None)


def some(*shape, seed=0):
    """A random mask in which every query may attend to the first key."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6
    if shape:
        mask[..., 0] = True
    return mask


MASKS = {
    "none": None,
    "one for all": torch.tensor(True),
    "keys": some(K_LEN),
    "a column": torch.tensor([[True], [True], [False], [True]]),
    "queries and keys": some(Q_LEN, K_LEN, seed=1),
    "causal": causal_mask(Q_LEN, K_LEN),
    "padding": lengths_mask(torch.tensor([5, 2]), K_LEN),
    "heads": some(HEADS, 1, K_LEN, seed=2),
    "all axes": some(BATCH, HEADS, Q_LEN, K_LEN, seed=3),
    "nothing allowed": torch.zeros(Q_LEN, K_LEN, dtype=torch.bool),
    "a row empty": causal_mask(Q_LEN, K_LEN - 2).repeat_interleave(2, dim=1)[:, :K_LEN],
}


def inputs(d_k=6, d_v=3, dtype=torch.float64):
    """q (batch, heads, q_len, d_k), k and v as they fit."""
    return (
        normal(BATCH, HEADS, Q_LEN, d_k, seed=1, dtype=dtype),
        normal(BATCH, HEADS, K_LEN, d_k, seed=2, dtype=dtype),
        normal(BATCH, HEADS, K_LEN, d_v, seed=3, dtype=dtype),
    )


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize(("d_k", "d_v"), [(6, 6), (6, 3), (1, 8)])
def test_output_and_gradients_are_torchs(mask, d_k, d_v):
    ours, theirs = leaves(*inputs(d_k, d_v)), leaves(*inputs(d_k, d_v))
    output, _ = scaled_dot_product_attention(*ours, mask)
    full = None if mask is None else mask.expand(BATCH, HEADS, Q_LEN, K_LEN)
    wanted = F.scaled_dot_product_attention(*theirs, attn_mask=full)
    close(output, wanted)
    upstream = normal(*output.shape, seed=4)
    output.backward(upstream)
    wanted.backward(upstream)
    for our, their in zip(ours, theirs, strict=True):
        close(our.grad, their.grad)


def test_two_keys_by_hand():
    # d_k = 4, so the score 2 becomes 2 / √4 = 1, and the weights are e / (e + 1) and 1 / (e + 1).
    q = np.array([[2.0, 0, 0, 0]])
    k = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]])
    v = np.array([[10.0], [20.0]])
    output, weights = scaled_dot_product_attention(q, k, v)
    first = math.e / (math.e + 1)
    np.testing.assert_allclose(weights, [[first, 1 - first]], atol=1e-15)
    np.testing.assert_allclose(output, [[10 * first + 20 * (1 - first)]], atol=1e-14)


def test_the_scale_keeps_the_scores_of_random_vectors_at_variance_one():
    for d_k in (4, 64, 1024):
        q, k = normal(1000, 1, d_k, seed=1), normal(1000, 2, d_k, seed=2)
        _, weights = scaled_dot_product_attention(q, k, k)
        log_odds = weights[..., 0].log() - weights[..., 1].log()  # a difference of two scores: variance 2
        assert 1.6 < float(log_odds.var()) < 2.4


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_numpy_gives_what_torch_gives(mask):
    tensors = inputs()
    arrays = [tensor.numpy() for tensor in tensors]
    wanted = scaled_dot_product_attention(*tensors, mask)
    for given_mask in (mask, None if mask is None else mask.numpy()):  # a torch mask serves as well
        for found, tensor in zip(scaled_dot_product_attention(*arrays, given_mask), wanted, strict=True):
            assert isinstance(found, np.ndarray)
            np.testing.assert_allclose(found, tensor.numpy(), rtol=0, atol=2e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numpy_types_are_kept_beside_a_torch_mask(dtype):
    arrays = [tensor.numpy().astype(dtype) for tensor in inputs()]
    for found in scaled_dot_product_attention(*arrays, causal_mask(Q_LEN, K_LEN)):
        assert found.dtype == dtype


@pytest.mark.parametrize(
    "mask",
    [np.tri(Q_LEN, K_LEN) > 0, (np.tri(Q_LEN, K_LEN) > 0)[::-1], np.broadcast_to(np.array([True]), (Q_LEN, K_LEN))],
    ids=["plain", "backwards", "read-only"],
)
def test_a_numpy_mask_serves_torch_tensors(mask):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output, _ = scaled_dot_product_attention(*inputs(), mask)
    close(output, F.scaled_dot_product_attention(*inputs(), attn_mask=torch.tensor(mask.copy())))


def test_leading_axes_broadcast_as_in_a_matrix_product():
    q, k, v = normal(2, 1, 4, 6, seed=1), normal(1, 3, 5, 6, seed=2), normal(3, 5, 7, seed=3)
    output, weights = scaled_dot_product_attention(q, k, v)
    full = q.expand(2, 3, 4, 6), k.expand(2, 3, 5, 6), v.expand(2, 3, 5, 7)
    close(output, F.scaled_dot_product_attention(*full))
    assert weights.shape == (2, 3, 4, 5)


def test_values_may_have_leading_axes_of_their_own():
    q, k, v = normal(4, 6, seed=1), normal(5, 6, seed=2), normal(2, 5, 7, seed=3)
    output, weights = scaled_dot_product_attention(q, k, v)
    close(output, weights @ v)
    assert (output.shape, weights.shape) == ((2, 4, 7), (4, 5))


@pytest.mark.parametrize("axes", [(), (2,), (2, 1, 3)])
def test_any_number_of_leading_axes(axes):
    q, k, v = normal(*axes, 4, 6, seed=1), normal(*axes, 5, 6, seed=2), normal(*axes, 5, 7, seed=3)
    output, weights = scaled_dot_product_attention(q, k, v, causal_mask(4, 5))
    close(output, F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(4, 5)))
    assert weights.shape == (*axes, 4, 5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients(dtype):
    mask = causal_mask(Q_LEN, K_LEN).clone()
    mask[1] = False
    q, k, v = leaves(*inputs(dtype=dtype))
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    output.sum().backward()
    assert (output[:, :, 1] == 0).all()
    assert (weights[:, :, 1] == 0).all()
    assert output.dtype == weights.dtype == dtype
    assert (output[:, :, 0] != 0).any()
    assert all(x.grad.isfinite().all() for x in (q, k, v))
    assert (q.grad[:, :, 1] == 0).all()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(("batch", "q_len", "k_len"), [(0, 3, 4), (2, 0, 4), (2, 3, 0), (2, 0, 0)])
@pytest.mark.parametrize("masked", [False, True])
def test_empty_axes(library, batch, q_len, k_len, masked):
    shapes = [(batch, q_len, 5), (batch, k_len, 5), (batch, k_len, 6)]
    q, k, v = (torch.ones(shape) if library == "torch" else np.ones(shape) for shape in shapes)
    output, weights = scaled_dot_product_attention(q, k, v, causal_mask(q_len, k_len) if masked else None)
    assert (tuple(output.shape), tuple(weights.shape)) == ((batch, q_len, 6), (batch, q_len, k_len))
    if k_len == 0:
        assert (output == 0).all()


@law
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_weights_are_a_distribution_and_outputs_lie_in_the_hull_of_the_values(seed, q_len, k_len, masked):
    q, k, v = 3 * normal(q_len, 4, seed=seed), normal(k_len, 4, seed=seed + 1), normal(k_len, 3, seed=seed + 2)
    mask = some(q_len, k_len, seed=seed) if masked else torch.ones(q_len, k_len, dtype=torch.bool)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all()
    close(weights.sum(-1), torch.ones(q_len, dtype=torch.float64), atol=1e-14)
    allowed = torch.where(mask[:, :, None], v, torch.nan)
    assert (output <= allowed.nan_to_num(-torch.inf).amax(1) + 1e-12).all()
    assert (output >= allowed.nan_to_num(torch.inf).amin(1) - 1e-12).all()


@law
@given(st.integers(0, 10_000))
def test_the_order_of_keys_does_not_matter_and_queries_keep_theirs(seed):
    generator = torch.Generator().manual_seed(seed)
    q, k, v = normal(4, 6, seed=seed), normal(5, 6, seed=seed + 1), normal(5, 3, seed=seed + 2)
    mask = some(4, 5, seed=seed)
    queries, keys = torch.randperm(4, generator=generator), torch.randperm(5, generator=generator)
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    moved, moved_weights = scaled_dot_product_attention(q[queries], k[keys], v[keys], mask[queries][:, keys])
    close(moved, output[queries])
    close(moved_weights, weights[queries][:, keys])


@law
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_a_masked_key_is_as_good_as_absent(seed, kept):
    q, k, v = normal(3, 4, seed=seed), normal(6, 4, seed=seed + 1), normal(6, 2, seed=seed + 2)
    output, _ = scaled_dot_product_attention(q, k, v, torch.arange(6) < kept)
    close(output, scaled_dot_product_attention(q, k[:kept], v[:kept])[0])


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((3, 4), (5, 6), (5, 2)), r"one width d_k > 0: q is \(3, 4\), k is \(5, 6\)"),
        (((3, 0), (5, 0), (5, 2)), "one width d_k > 0"),
        (((3, 4), (5, 4), (6, 2)), r"each key needs one value: q is \(3, 4\), k is \(5, 4\), v is \(6, 2\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes, message):
    with unchecked(), pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(*(torch.ones(shape) for shape in shapes))


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 5), (3, 4)])
def test_a_mask_that_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match=r"does not broadcast to scores \(3, 5\)"):
        scaled_dot_product_attention(
            torch.ones(3, 4), torch.ones(5, 4), torch.ones(5, 2), torch.ones(shape, dtype=torch.bool)
        )


@pytest.mark.parametrize("mask", [torch.ones(3, 5), np.ones((3, 5), int)], ids=["float", "integer"])
def test_a_mask_that_is_not_boolean_is_refused(mask):
    with unchecked(), pytest.raises(TypeError, match=r"must be boolean \(True = may attend\)"):
        scaled_dot_product_attention(torch.ones(3, 4), torch.ones(5, 4), torch.ones(5, 2), mask)


def test_arrays_of_two_libraries_are_refused():
    with unchecked(), pytest.raises(TypeError, match=r"only, got numpy\.ndarray, torch\.Tensor; convert them"):
        scaled_dot_product_attention(np.ones((3, 4)), torch.ones(5, 4), torch.ones(5, 2))
