"""The probe against layers whose reading of a mask is known, because the test wrote them or torch documents them."""

import math

import pytest
import torch
import torch.nn.functional as F

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.masks import causal_mask
from attention_book.examples.mask_conventions import as_added, flow_through, stripes


def ours(x, mask):
    return scaled_dot_product_attention(x, x, x, mask)[0]


def torchs(x, mask):
    return F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=mask)[0]


def layer(**how):
    torch.manual_seed(0)
    made = torch.nn.MultiheadAttention(8, 2, batch_first=True).double()
    return lambda x, mask: made(x[None], x[None], x[None], **{name: f(mask) for name, f in how.items()})[0][0]


@pytest.mark.parametrize(
    ("attend", "meaning"),
    [
        (ours, "keep"),
        (lambda x, mask: ours(x, ~mask), "drop"),
        (lambda x, mask: ours(x, None), "nothing"),
        (lambda x, mask: ours(x, mask & ~mask), "nothing"),
        (torchs, "keep"),
        (lambda x, mask: torchs(x, as_added(mask, x.dtype)), "keep"),
        (lambda x, mask: torchs(x, mask.to(x.dtype)), "nothing"),
        (layer(attn_mask=lambda mask: mask), "drop"),
        (layer(attn_mask=lambda mask: as_added(mask, torch.float64)), "keep"),
    ],
)
def test_the_probe_tells_how_a_mask_is_read(attend, meaning):
    assert flow_through(attend, stripes(5)).true_means == meaning


def test_flow_is_the_largest_derivative_in_either_kind_of_cell():
    mixing = torch.tensor([[9.0, 1, 2], [3, 9, 4], [5, 6, 9]], dtype=torch.float64)
    flow = flow_through(lambda x, mask: mixing @ x, causal_mask(3))
    assert (flow.marked_true, flow.marked_false) == (6.0, 4.0)


@pytest.mark.parametrize("length", [4, 5, 8])
def test_stripes_leave_no_row_empty_in_either_reading(length):
    beside = ~torch.eye(length, dtype=torch.bool)
    mask = stripes(length)
    assert (mask & beside).any(1).all() and (~mask & beside).any(1).all()
    assert mask.tolist() == [[(i - j) % 2 == 0 for j in range(length)] for i in range(length)]


def test_added_numbers_are_nought_and_minus_infinity():
    assert as_added(causal_mask(2)).tolist() == [[0, -math.inf], [0, 0]]
    assert as_added(causal_mask(2), torch.bfloat16, -1e4).dtype == torch.bfloat16
    with pytest.raises(RuntimeError, match="overflow"):
        as_added(causal_mask(2), torch.float16, -1e9)
