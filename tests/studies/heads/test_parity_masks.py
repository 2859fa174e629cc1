"""The book's layer and torch's agree to rounding under each mask that the page shows, in output and gradients."""

import pytest
import torch

from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.studies.heads.parity_masks import HEADER, masks

DRAWN = torch.rand(1, 4, 5, 5, generator=torch.Generator().manual_seed(0)) < 0.6
NAMED = masks(DRAWN)


def test_the_masks_by_hand():
    assert list(NAMED) == ["none", "causal", "padding", "causal and padding", "one for each head"]
    assert NAMED["none"] is None
    both = NAMED["causal and padding"].expand(2, 1, 5, 5)
    assert both[0, 0, 4].tolist() == [True] * 5 and both[1, 0, 4].tolist() == [True] * 3 + [False] * 2
    own = NAMED["one for each head"]
    assert own[..., 0].all() and torch.equal(own[..., 1:], DRAWN[..., 1:])
    assert not DRAWN[..., 0].all()  # what was given is as it was


@pytest.mark.parametrize("name", NAMED)
def test_what_is_left_is_rounding(name):
    torch.manual_seed(1)
    ours, theirs = MultiHeadAttention(8, 4).double(), torch.nn.MultiheadAttention(8, 4, batch_first=True).double()
    parts = (ours.w_q, ours.w_k, ours.w_v)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.load_state_dict(ours.w_o.state_dict())
    x, towards = torch.randn(2, 2, 5, 8, dtype=torch.float64)
    x.requires_grad_()
    mask = NAMED[name]
    banned = None if mask is None else ~mask.expand(2, 4, 5, 5).flatten(0, 1)
    mine, other = ours(x, mask=mask)[0], theirs(x, x, x, attn_mask=banned)[0]
    dx, *dw = torch.autograd.grad(mine, [x, *(part.weight for part in parts)], towards)
    other_dx, other_dw = torch.autograd.grad(other, [x, theirs.in_proj_weight], towards)
    gaps = [mine - other, dx - other_dx, torch.cat(dw) - other_dw]
    assert max(float(gap.detach().abs().max()) for gap in gaps) < 1e-12
    assert len(gaps) == len(HEADER) - 1
