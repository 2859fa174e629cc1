"""Masks for special purposes: windows into the past, and a mask of its own for each head. True means "may attend"."""

import torch
from jaxtyping import Bool
from torch import Tensor

from .masks import causal_mask


def window_mask(q_len: int, k_len: int, width: int) -> Bool[Tensor, "q_len k_len"]:
    r"""Let each position attend to the last ``width`` positions, its own included, and to nothing later.

    Query i may attend to key j when :math:`p_i - w < j \le p_i`, with the query's position
    :math:`p_i = i + (\text{k\_len} - \text{q\_len})`: a causal mask without its far past (Child et al. 2019; Beltagy et
    al. 2020, §3.1).

    Args:
        q_len: number of queries, the newest positions.
        k_len: number of keys, those of a cache included.
        width: w, how many keys a query may attend to at most; 1 leaves each position itself alone.

    Raises:
        ValueError: if the width is not positive, or a length is negative.

    Pitfall: some libraries do not count the position itself, or look both ways; their w is another number.
    """
    if width < 1:
        raise ValueError(f"a window holds at least itself: width must be positive, got {width}")
    past = causal_mask(q_len, k_len)
    return past & ~past.tril(diagonal=k_len - q_len - width)


def per_head(*masks: Bool[Tensor, "q_len k_len"]) -> Bool[Tensor, "1 n_heads q_len k_len"]:
    """One mask per head, in the order of the heads, in the shape that an attention with heads takes.

    Args:
        masks: as many as there are heads, all of one shape.

    Returns:
        The masks stacked along the axis of the heads; the batch is an axis of length 1, which broadcasts.

    Raises:
        ValueError: if there is no mask, or their shapes differ.
    """
    if not masks:
        raise ValueError("give one mask for each head")
    if len(shapes := {tuple(mask.shape) for mask in masks}) > 1:
        raise ValueError(f"the masks of all heads must have one shape, got {sorted(shapes)}")
    return torch.stack(masks)[None]
