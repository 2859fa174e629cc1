"""Attention by tiles: the book's attention to rounding, however the table is cut, merged and masked."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import unchecked

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.mask_patterns import window_mask
from attention_book.attention.masks import causal_mask, combine_masks, lengths_mask
from attention_book.attention.tiles import (
    PartialMean,
    cuts,
    finished,
    is_cut,
    is_future,
    merged,
    partial_mean,
    tiled_attention,
)

EXACT = {"rtol": 0, "atol": 1e-12}


def drawn(seed, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def by_table(q, k, v, mask=None):
    return scaled_dot_product_attention(q, k, v, mask)[0]


@st.composite
def some_scores(draw):
    """Scores of three queries, some of them −∞, large or small, with values; NumPy or torch."""
    n = draw(st.integers(1, 4))
    score = st.one_of(st.floats(-700, 700), st.just(-math.inf))
    scores = np.array(draw(st.lists(st.lists(score, min_size=n, max_size=n), min_size=3, max_size=3)))
    v = np.array(draw(st.lists(st.lists(st.floats(-5, 5), min_size=2, max_size=2), min_size=n, max_size=n)))
    return scores, v


def same_part(one, other):
    """Whether two partial means say the same, each total and sum beside its own largest score."""
    assert np.array_equal(one.largest, other.largest)
    np.testing.assert_allclose(one.total, other.total, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(one.summed, other.summed, rtol=1e-9, atol=1e-12)


class TestPartialMeans:
    def test_three_scores_by_hand(self):
        scores, v = np.log([[1.0, 4.0, 2.0]]), np.array([[14.0], [7.0], [0.0]])
        so_far = partial_mean(scores[:, :1], v[:1])
        assert so_far == (0, 1, 14)
        so_far = merged(so_far, partial_mean(scores[:, 1:2], v[1:2]))
        np.testing.assert_allclose(np.ravel(so_far), [math.log(4), 5 / 4, 21 / 2], **EXACT)
        so_far = merged(so_far, partial_mean(scores[:, 2:], v[2:]))
        np.testing.assert_allclose(np.ravel(so_far), [math.log(4), 7 / 4, 21 / 2], **EXACT)
        np.testing.assert_allclose(finished(so_far), [[6]], **EXACT)

    @given(some_scores(), some_scores(), some_scores())
    def test_merging_is_associative_and_commutative(self, one, two, three):
        a, b, c = (partial_mean(*part) for part in (one, two, three))
        same_part(merged(merged(a, b), c), merged(a, merged(b, c)))
        same_part(merged(a, b), merged(b, a))

    @given(some_scores(), some_scores())
    def test_merging_two_parts_is_reading_all_keys_at_once(self, one, other):
        both = [np.concatenate(pair, axis) for pair, axis in zip(zip(one, other, strict=True), (1, 0), strict=True)]
        same_part(merged(partial_mean(*one), partial_mean(*other)), partial_mean(*both))

    @given(some_scores())
    def test_a_part_without_keys_changes_nothing(self, part):
        scores, v = part
        nothing = partial_mean(np.full_like(scores, -math.inf), v)
        assert np.all(nothing.largest == -math.inf) and not np.any(nothing.total) and not np.any(nothing.summed)
        same_part(merged(partial_mean(*part), nothing), partial_mean(*part))
        same_part(merged(nothing, nothing), nothing)
        assert not np.any(finished(nothing))

    @given(some_scores(), st.floats(-50, 50))
    def test_a_shift_of_all_scores_moves_the_largest_alone(self, part, shift):
        scores, v = part
        moved = partial_mean(scores + shift, v)
        np.testing.assert_allclose(moved.total, partial_mean(scores, v).total, rtol=1e-9)
        np.testing.assert_allclose(finished(moved), finished(partial_mean(scores, v)), rtol=1e-9, atol=1e-12)

    def test_scores_of_a_thousand_do_not_overflow(self):
        parts = [partial_mean(np.array([[score]]), np.array([[value]])) for score, value in ((-1e3, 5.0), (1e3, 2.0))]
        assert finished(merged(*parts)) == 2
        assert finished(merged(parts[0], parts[0])) == 5


@st.composite
def cases(draw):
    q_len, k_len = draw(st.integers(1, 9)), draw(st.integers(0, 9))
    tile = draw(st.tuples(st.integers(1, 11), st.integers(1, 11)))
    return q_len, k_len, tile, draw(st.booleans()), draw(st.sampled_from(["none", "random", "keys"]))


@settings(deadline=None)
@given(cases(), st.integers(0, 10**6))
def test_every_tiling_gives_the_output_of_the_table(case, seed):
    q_len, k_len, tile, causal, kind = case
    q, k, v = drawn(seed, (2, 1, q_len, 3), (3, k_len, 3), (2, 3, k_len, 2))
    shape = {"none": None, "random": (2, 3, q_len, k_len), "keys": (2, 1, 1, k_len)}[kind]
    mask = None if shape is None else torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.4
    wanted = by_table(q, k, v, combine_masks(mask, causal_mask(q_len, k_len) if causal else None))
    found = tiled_attention(q, k, v, mask, causal=causal, tile=tile)
    torch.testing.assert_close(found, wanted, **EXACT)
    arrays = [x.numpy() for x in (q, k, v)]
    found = tiled_attention(*arrays, None if mask is None else mask.numpy(), causal=causal, tile=tile)
    np.testing.assert_allclose(found, wanted.numpy(), **EXACT)


def test_it_is_also_torchs_own():
    q, k, v = drawn(1, (2, 70, 8), (2, 70, 8), (2, 70, 5))
    for causal in (False, True):
        wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        torch.testing.assert_close(tiled_attention(q, k, v, causal=causal, tile=(32, 16)), wanted, **EXACT)


def test_padding_and_windows_are_masks_like_others():
    q, k, v = drawn(2, (2, 3, 9, 4), (2, 3, 9, 4), (2, 3, 9, 4))
    for mask in (lengths_mask(torch.tensor([9, 0]), 9), window_mask(9, 9, 2)):
        torch.testing.assert_close(tiled_attention(q, k, v, mask, tile=(2, 4)), by_table(q, k, v, mask), **EXACT)


@pytest.mark.parametrize("causal", [False, True])
def test_gradients_are_those_of_the_table_also_where_nothing_is_allowed(causal):
    inputs = drawn(3, (5, 3), (7, 3), (7, 2))
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[1], mask[:, 4] = False, False
    both = combine_masks(mask, causal_mask(5, 7) if causal else None)
    gradients = []
    for attend in (lambda *x: by_table(*x, both), lambda *x: tiled_attention(*x, mask, causal=causal, tile=(2, 3))):
        leaves = [x.clone().requires_grad_() for x in inputs]
        gradients.append(torch.autograd.grad(attend(*leaves).sin().sum(), leaves))
    for found, wanted in zip(*gradients[::-1], strict=True):
        torch.testing.assert_close(found, wanted, **EXACT)


def test_hidden_tiles_are_not_read():
    q, k, v = drawn(4, (6, 3), (6, 3), (6, 2))
    spoilt = v.clone()
    spoilt[4:] = math.nan
    found = tiled_attention(q, k, spoilt, causal=True, tile=(2, 2))
    torch.testing.assert_close(found[:4], by_table(q, k, v, causal_mask(6))[:4], **EXACT)
    assert found[4:].isnan().all()
    padding = torch.arange(6) < 4
    assert tiled_attention(q, k, spoilt, padding, tile=(6, 2)).isfinite().all()


@pytest.mark.parametrize(("q_len", "k_len"), [(6, 6), (3, 8), (8, 3), (7, 7)])
@pytest.mark.parametrize("tile", [(1, 1), (2, 3), (3, 2), (9, 9)])
def test_tiles_are_told_apart_as_the_causal_mask_does(q_len, k_len, tile):
    mask, covered = causal_mask(q_len, k_len), torch.zeros(q_len, k_len, dtype=torch.int64)
    for rows in cuts(q_len, tile[0]):
        for columns in cuts(k_len, tile[1]):
            covered[rows, columns] += 1
            assert is_future(rows, columns, k_len - q_len) is not bool(mask[rows, columns].any())
            assert is_cut(rows, columns, k_len - q_len) is not bool(mask[rows, columns].all())
    assert (covered == 1).all()


def test_what_does_not_fit_is_refused_as_by_the_table():
    q, k, v = drawn(5, (4, 3), (5, 3), (5, 2))
    for spoilt in ((q, k[:, :2], v, None), (q, k, v[:4], None), (q, k, v, torch.ones(4, 4, dtype=torch.bool))):
        with unchecked(), pytest.raises(ValueError) as by_tiles:
            tiled_attention(*spoilt)
        with unchecked(), pytest.raises(ValueError) as wanted:
            scaled_dot_product_attention(*spoilt)
        assert str(by_tiles.value) == str(wanted.value)
    with unchecked(), pytest.raises(TypeError, match="boolean"):
        tiled_attention(q, k, v, torch.ones(4, 5))
    for tile in ((0, 4), (4, 0)):
        with pytest.raises(ValueError, match=r"at least one query and one key, got \("):
            tiled_attention(q, k, v, tile=tile)


def test_a_partial_mean_keeps_the_axes_of_its_queries():
    q, k, v = drawn(6, (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    part = partial_mean(q @ k.mT, v)
    assert isinstance(part, PartialMean)
    assert [x.shape for x in part] == [(2, 3, 4, 1), (2, 3, 4, 1), (2, 3, 4, 7)]
