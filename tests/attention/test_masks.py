"""Masks: what each allows, how they combine, and what `leak` measures."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import normal, unchecked

from attention_book.attention.masks import causal_mask, combine_masks, leak, lengths_mask, padding_mask

law = settings(max_examples=40, deadline=None)
lengths = st.integers(0, 7)


@law
@given(lengths)
def test_a_square_causal_mask_allows_the_past_and_the_present(n):
    mask = causal_mask(n)
    assert mask.shape == (n, n)
    assert mask.tolist() == [[j <= i for j in range(n)] for i in range(n)]


@law
@given(lengths, lengths)
def test_with_more_keys_than_queries_the_rows_are_the_last_of_the_square_mask(q_len, cached):
    k_len = q_len + cached
    assert torch.equal(causal_mask(q_len, k_len), causal_mask(k_len)[cached:])


@law
@given(lengths, lengths)
def test_the_last_query_sees_every_key_and_each_query_before_it_one_less(q_len, k_len):
    seen = causal_mask(q_len, k_len).sum(1).tolist()
    assert seen == [max(0, k_len - behind) for behind in reversed(range(q_len))]


def test_causal_mask_refuses_negative_lengths():
    with pytest.raises(ValueError, match="must not be negative, got q_len=-1, k_len=3"):
        causal_mask(-1, 3)
    with pytest.raises(ValueError, match="must not be negative"):
        causal_mask(2, -1)


def test_padding_mask_shows_the_real_tokens():
    tokens = torch.tensor([[5, 6, 0], [7, 0, 0], [0, 0, 0]])
    assert padding_mask(tokens)[:, 0, 0].tolist() == [[True, True, False], [True, False, False], [False] * 3]
    assert padding_mask(tokens, pad_id=7)[1, 0, 0].tolist() == [False, True, True]


@law
@given(st.lists(st.integers(0, 6), max_size=5), st.integers(6, 8))
def test_lengths_mask_is_the_padding_mask_of_sequences_of_those_lengths(lengths, max_len):
    tokens = torch.zeros(len(lengths), max_len, dtype=torch.int64)
    for row, length in enumerate(lengths):
        tokens[row, :length] = 1
    assert torch.equal(lengths_mask(torch.tensor(lengths, dtype=torch.int64), max_len), padding_mask(tokens))


@pytest.mark.parametrize("wrong", [[1, 4], [-1, 2]])
def test_lengths_mask_refuses_lengths_out_of_range(wrong):
    with pytest.raises(ValueError, match=r"between 0 and max_len=3, got \["):
        lengths_mask(torch.tensor(wrong), 3)


shapes = st.sampled_from([(3, 4), (1, 4), (3, 1), (4,), (2, 1, 4), ()])


@st.composite
def masks(draw):
    shape = draw(shapes)
    if draw(st.booleans()):
        return None
    return torch.rand(shape, generator=torch.Generator().manual_seed(draw(st.integers(0, 1000)))) < 0.5


def same(a, b):
    """Equal once spread to one shape; None is the mask that allows everything."""
    a, b = (torch.ones((), dtype=torch.bool) if mask is None else mask for mask in (a, b))
    return torch.equal(a.expand(2, 3, 4), b.expand(2, 3, 4))


@law
@given(masks(), masks(), masks())
def test_combining_is_associative_commutative_idempotent_and_none_is_neutral(a, b, c):
    assert same(combine_masks(a, combine_masks(b, c)), combine_masks(combine_masks(a, b), c))
    assert same(combine_masks(a, b, c), combine_masks(combine_masks(a, b), c))
    assert same(combine_masks(a, b), combine_masks(b, a))
    assert same(combine_masks(a, a), a)
    assert combine_masks(a, None) is a
    assert combine_masks(None, a) is a


def test_what_one_mask_forbids_stays_forbidden():
    causal, real = causal_mask(3), padding_mask(torch.tensor([[5, 5, 0]]))
    combined = combine_masks(causal, None, real)
    assert combined.shape == (1, 1, 3, 3)
    assert combined[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
    assert combine_masks() is None
    assert combine_masks(None, None) is None


def test_combine_masks_refuses_what_is_not_boolean():
    with unchecked(), pytest.raises(TypeError, match=r"must be boolean \(True = may attend\), got torch.float32"):
        combine_masks(causal_mask(2), torch.zeros(2, 2))


def test_leak_is_zero_for_a_causal_function_and_the_largest_derivative_for_another():
    x = normal(4, 3)
    assert leak(lambda x: x.cumsum(0), x) == 0.0
    assert leak(lambda x: x.sum(1), x) == 0.0
    assert leak(lambda x: x.flip(0), x) == 1.0
    weights = torch.tensor([[1.0, 0.0], [5.0, 1.0]], dtype=torch.float64)
    assert leak(lambda x: weights @ x, x[:2]) == 0.0  # the past, 5, is no leak
    assert leak(lambda x: -3 * weights.T @ x, x[:2]) == 15.0


def test_leak_reports_nan_and_does_without_short_sequences():
    x = normal(3, 2)
    assert torch.tensor(leak(lambda x: x.cumsum(0) * 0 / 0, x)).isnan()
    assert leak(lambda x: x.flip(0), x[:1]) == 0.0
    assert leak(lambda x: x, x[:0]) == 0.0


def test_leak_refuses_a_function_that_changes_the_length():
    with pytest.raises(ValueError, match="fn must keep the length 3, it returned 2 rows"):
        leak(lambda x: x[1:], normal(3, 2))
