"""Masks: which query may attend to which key. Boolean everywhere, and True means "may attend"."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask(q_len: int, k_len: int | None = None) -> Bool[Tensor, "q_len k_len"]:
    r"""Let each position attend to itself and to what came before it.

    Query i may attend to key j when :math:`j \le i + (\text{k\_len} - \text{q\_len})` (Vaswani et al. 2017, §3.2.3).

    Args:
        q_len: number of queries.
        k_len: number of keys; as many as the queries if left out. With a cache there are more keys than queries.

    Returns:
        The mask, aligned at the bottom right: the last query is the newest position and sees every key.

    Raises:
        ValueError: if a length is negative.

    Pitfall: torch's ``is_causal=True`` aligns at the top left, so with a cache it hides almost everything.
    """
    k_len = q_len if k_len is None else k_len
    if q_len < 0 or k_len < 0:
        raise ValueError(f"lengths must not be negative, got q_len={q_len}, k_len={k_len}")
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(diagonal=k_len - q_len)


def padding_mask(tokens: Int[Tensor, "batch length"], pad_id: int = 0) -> Bool[Tensor, "batch 1 1 length"]:
    """Hide the padding: True where a token is real. The two axes of length 1 broadcast over heads and queries.

    Args:
        tokens: token ids.
        pad_id: the id of the padding token.

    Raises:
        ValueError: if the ids have not two axes.
    """
    if tokens.dim() != 2:
        raise ValueError(f"token ids must be (batch, length), got {tuple(tokens.shape)}")
    return (tokens != pad_id)[:, None, None, :]


def lengths_mask(lengths: Int[Tensor, " batch"], max_len: int) -> Bool[Tensor, "batch 1 1 max_len"]:
    """The padding mask of sequences known by their lengths: True at the first ``lengths[b]`` positions of row b.

    Args:
        lengths: number of real tokens in each row, from 0 to ``max_len``.
        max_len: width of the mask.

    Raises:
        ValueError: if a length is negative or larger than ``max_len``, or the lengths have not one axis.
    """
    if max_len < 0 or lengths.dim() != 1:
        raise ValueError(f"one length a row and max_len >= 0 are needed, got {tuple(lengths.shape)} and {max_len}")
    if lengths.numel() and (int(lengths.min()) < 0 or int(lengths.max()) > max_len):
        raise ValueError(f"lengths must lie between 0 and max_len={max_len}, got {lengths.tolist()}")
    return (torch.arange(max_len, device=lengths.device) < lengths[:, None])[:, None, None, :]


def combine_masks(*masks: Bool[Tensor, "..."] | None) -> Bool[Tensor, "..."] | None:
    """Allow what every mask allows: the logical "and", shapes broadcast. None allows everything and is skipped.

    Returns:
        The combined mask, or None if every argument is None.

    Raises:
        TypeError: if a mask is not boolean.
    """
    combined = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype != torch.bool:
            raise TypeError(f"masks must be boolean (True = may attend), got {mask.dtype}")
        combined = mask if combined is None else combined & mask.to(combined.device)
    return combined


def leak(fn: Callable, x: Float[Tensor, "length features"]) -> float:
    r"""How much of the future reaches the past: the largest :math:`|\partial y_i / \partial x_j|` over j > i.

    Args:
        fn: maps a sequence ``x`` to a sequence ``y`` of the same length, one row per position.
        x: where the derivative is taken.

    Returns:
        0.0 for a causal function, exactly. NaN if a derivative is NaN. 0.0 for sequences shorter than two.

    Raises:
        ValueError: if ``fn`` does not keep the length.

    Pitfall: zero at one ``x`` does not prove causality (a ReLU may be closed there); try several.
    """
    length = x.shape[0]
    if length < 2:
        return 0.0
    jacobian = torch.autograd.functional.jacobian(fn, x)  # (length, …, length, features)
    if jacobian.shape[0] != length:
        raise ValueError(f"fn must keep the length {length}, it returned {jacobian.shape[0]} rows")
    by_position = jacobian.reshape(length, -1, length, x.shape[1]).abs().amax(dim=(1, 3))  # (output i, input j)
    later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
    return float(by_position[later].max())
