"""Windows cell by cell, and masks a head against attentions run one by one."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import normal, unchecked

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.mask_patterns import per_head, window_mask
from attention_book.attention.masks import causal_mask


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.integers(0, 5), st.integers(1, 8))
def test_a_window_holds_the_last_keys_up_to_the_query(q_len, cached, width):
    k_len = q_len + cached
    expected = [[i + cached - width < j <= i + cached for j in range(k_len)] for i in range(q_len)]
    assert window_mask(q_len, k_len, width).tolist() == expected


def test_a_wide_window_is_the_causal_mask_and_the_narrowest_the_diagonal():
    assert torch.equal(window_mask(5, 5, 5), causal_mask(5))
    assert torch.equal(window_mask(5, 5, 99), causal_mask(5))
    assert torch.equal(window_mask(5, 5, 1), torch.eye(5, dtype=torch.bool))


@pytest.mark.parametrize(("length", "width"), [(10, 3), (7, 7), (100, 12)])
def test_the_number_of_pairs_is_that_of_a_strip_without_its_corner(length, width):
    assert int(window_mask(length, length, width).sum()) == length * width - width * (width - 1) // 2


@pytest.mark.parametrize("width", [0, -2])
def test_an_empty_window_is_refused(width):
    with pytest.raises(ValueError, match=f"must be positive, got {width}"):
        window_mask(3, 3, width)


def test_heads_with_masks_of_their_own_attend_as_if_alone():
    q, k, v = (normal(2, 3, 5, 4, seed=seed) for seed in (1, 2, 3))
    masks = [window_mask(5, 5, 2), causal_mask(5), torch.ones(5, 5, dtype=torch.bool)]
    together, weights = scaled_dot_product_attention(q, k, v, per_head(*masks))
    for head, mask in enumerate(masks):
        alone, own = scaled_dot_product_attention(q[:, head], k[:, head], v[:, head], mask)
        torch.testing.assert_close(together[:, head], alone, rtol=0, atol=0)
        torch.testing.assert_close(weights[:, head], own, rtol=0, atol=0)


def test_masks_of_heads_must_fit():
    with pytest.raises(ValueError, match="one mask for each head"):
        per_head()
    with unchecked(), pytest.raises(ValueError, match=r"one shape, got \[\(2, 2\), \(3, 3\)\]"):
        per_head(causal_mask(3), causal_mask(2))
