"""Random inputs of the claims, the same each time a claim is decided: all in double precision, drawn by a seed."""

import torch
from jaxtyping import Float
from torch import Tensor

from ..attention.multi_head import MultiHeadAttention


def normal(*shape: int, seed: int = 1) -> Float[Tensor, "..."]:
    """Numbers from N(0, 1).

    Args:
        shape: how many along each axis.
        seed: that they are drawn by.
    """
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def attention_layer(d_model: int, n_heads: int) -> MultiHeadAttention:
    """Multi-head attention that begins as it is made, without gradients; torch's own generator stays where it was."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return MultiHeadAttention(d_model, n_heads).double().eval().requires_grad_(False)
