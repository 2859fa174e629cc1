"""The book's layer against torch's: under which masks they are compared, and by how much they differ."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ...attention.masks import causal_mask, combine_masks, lengths_mask
from ...attention.multi_head import MultiHeadAttention


def masks(drawn: Bool[Tensor, "1 heads 5 5"]) -> dict[str, Tensor | None]:
    """Masks for two sentences of 5 and 3 tokens, by name; True where a query may attend.

    Args:
        drawn: one mask for each head, anything; its first key is allowed to all, because torch's layer gives NaN to a
            query that sees nothing.
    """
    causal, padding = causal_mask(5), lengths_mask(torch.tensor([5, 3]), 5)
    own = drawn.clone()
    own[..., 0] = True
    both = combine_masks(causal, padding)
    named = {"none": None, "causal": causal, "padding": padding, "causal and padding": both}
    return named | {"one per head": own}


def differences(
    ours: MultiHeadAttention,
    theirs: nn.MultiheadAttention,
    x: Float[Tensor, "batch length d_model"],
    towards: Float[Tensor, "batch length d_model"],
    mask: Bool[Tensor, "..."] | None,
) -> list[float]:
    """The largest difference between two layers with the same weights: of the output, and of two gradients.

    Args:
        ours: the book's layer.
        theirs: torch's, batch first.
        x: the sequences.
        towards: the gradients are those of the output's product with these numbers.
        mask: True where a query may attend; it is handed to torch's layer the other way round, per sentence and head.

    Returns:
        The largest differences of the output, of the gradient of x and of the gradients of the three matrices.
    """
    x = x.detach().clone().requires_grad_()
    batch, length, _ = x.shape
    shape = (batch, ours.n_heads, length, length)
    banned = None if mask is None else ~mask.expand(shape).flatten(0, 1)
    mine, other = ours(x, mask=mask)[0], theirs(x, x, x, attn_mask=banned)[0]
    matrices = [part.weight for part in (ours.w_q, ours.w_k, ours.w_v)]
    dx, *dw = torch.autograd.grad(mine, [x, *matrices], towards)
    other_dx, other_dw = torch.autograd.grad(other, [x, theirs.in_proj_weight], towards)
    gaps = mine - other, dx - other_dx, torch.cat(dw) - other_dw
    return [float(gap.detach().abs().max()) for gap in gaps]
