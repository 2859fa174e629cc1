"""The book's layer and torch's agree to rounding under each mask that the page shows, in output and gradients."""

import pytest
import torch

from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.studies.heads.parity_masks import differences, masks

DRAWN = torch.rand(1, 4, 5, 5, generator=torch.Generator().manual_seed(0)) < 0.6
NAMED = masks(DRAWN)


def test_the_masks_by_hand():
    assert list(NAMED) == ["none", "causal", "padding", "causal and padding", "one per head"]
    assert NAMED["none"] is None
    both = NAMED["causal and padding"].expand(2, 1, 5, 5)
    assert both[0, 0, 4].tolist() == [True] * 5 and both[1, 0, 4].tolist() == [True] * 3 + [False] * 2
    own = NAMED["one per head"]
    assert own[..., 0].all() and torch.equal(own[..., 1:], DRAWN[..., 1:])
    assert not DRAWN[..., 0].all()  # what was given is as it was


def layers(changed=None):
    """Both layers with the same weights, but for one number of torch's, named by its parameter."""
    torch.manual_seed(1)
    ours, theirs = MultiHeadAttention(8, 4).double(), torch.nn.MultiheadAttention(8, 4, batch_first=True).double()
    parts = (ours.w_q, ours.w_k, ours.w_v)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.load_state_dict(ours.w_o.state_dict())
        if changed:
            theirs.get_parameter(changed).view(-1)[0] += 0.1
    return ours, theirs


@pytest.mark.parametrize("name", NAMED)
def test_what_is_left_is_rounding(name):
    x, towards = torch.randn(2, 2, 5, 8, dtype=torch.float64)
    gaps = differences(*layers(), x, towards, NAMED[name])
    assert len(gaps) == 3 and max(gaps) < 1e-12


@pytest.mark.parametrize(
    ("changed", "moved"),
    [
        ("out_proj.bias", (True, False, False)),
        ("out_proj.weight", (True, True, True)),
        ("in_proj_weight", (True, True, True)),
    ],
)
def test_a_changed_number_is_seen_where_it_matters(changed, moved):
    x, towards = torch.randn(2, 2, 5, 8, dtype=torch.float64)
    gaps = differences(*layers(changed), x, towards, NAMED["causal"])
    assert tuple(gap > 1e-6 for gap in gaps) == moved


def test_another_mask_is_seen():
    x, towards = torch.randn(2, 2, 5, 8, dtype=torch.float64)
    ours, theirs = layers()
    whole = differences(ours, theirs, x, towards, NAMED["causal"])
    ours.forward = lambda x, mask: type(ours).forward(ours, x, mask=None)
    assert max(whole) < 1e-12 < 1e-6 < min(differences(ours, theirs, x, towards, NAMED["causal"]))
