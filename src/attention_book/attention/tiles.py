"""Exact attention, one tile of the table of scores at a time: partial means that are merged, and finished once."""

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float

from .array_api import Array, namespace
from .dot_product import check_fit, fitted_mask


class PartialMean(NamedTuple):
    r"""What attention knows of each query's output after some of its keys.

    Attributes:
        largest: :math:`r`, the largest score so far, −∞ if no key was allowed; (…, q_len, 1).
        total: :math:`\ell`, the sum of :math:`e^{u_j - r}` over the scores so far; (…, q_len, 1).
        summed: :math:`\tilde o`, the values so far, each times :math:`e^{u_j - r}`, added up; (…, q_len, d_v).
    """

    largest: Float[Array, "*#batch q_len 1"]
    total: Float[Array, "*#batch q_len 1"]
    summed: Float[Array, "*batch q_len d_v"]


def partial_mean(scores: Float[Array, "*#batch q_len k_len"], v: Float[Array, "*#batch k_len d_v"]) -> PartialMean:
    r"""Read some keys: their largest score, the sum of their exponentials, and their values weighed by these.

    .. math:: r = \max_j u_j, \quad \ell = \sum_j e^{u_j - r}, \quad \tilde o = \sum_j e^{u_j - r}\, v_j

    Args:
        scores: divided scores, −∞ where a query may not attend to a key; at least one key.
        v: one value per key.
    """
    xp = namespace(scores, v)
    largest = xp.amax(scores, axis=-1, keepdims=True)
    if isinstance(scores, torch.Tensor):
        largest = largest.detach()  # it cancels in the end, so no gradient needs to pass through it
    exponentials = xp.exp(scores - _finite(largest))
    return PartialMean(largest, xp.sum(exponentials, axis=-1, keepdims=True), exponentials @ v)


def merged(one: PartialMean, other: PartialMean) -> PartialMean:
    r"""What is known after the keys of both: each is brought to the larger of the two largest scores, then they add up.

    .. math:: r = \max(r_A, r_B), \quad \ell = e^{r_A - r} \ell_A + e^{r_B - r} \ell_B, \quad
        \tilde o = e^{r_A - r} \tilde o_A + e^{r_B - r} \tilde o_B

    In which order parts are merged, and how the keys were cut, changes nothing but rounding (Milakov & Gimelshein
    2018, §3).
    """
    xp = namespace(one.largest, other.largest)
    largest = xp.maximum(one.largest, other.largest)
    shrink_one, shrink_other = (xp.exp(part.largest - _finite(largest)) for part in (one, other))
    return PartialMean(
        largest,
        shrink_one * one.total + shrink_other * other.total,
        shrink_one * one.summed + shrink_other * other.summed,
    )


def finished(part: PartialMean) -> Float[Array, "*batch q_len d_v"]:
    """The output, once every key was read: the sum of the values by the sum of the exponentials, or 0 without keys."""
    xp = namespace(part.total, part.summed)
    return part.summed / xp.where(part.total == 0, xp.ones_like(part.total), part.total)


def tiled_attention(
    q: Float[Array, "*#batch q_len d_k"],
    k: Float[Array, "*#batch k_len d_k"],
    v: Float[Array, "*#batch k_len d_v"],
    mask: Bool[Array, "..."] | None = None,
    *,
    causal: bool = False,
    tile: tuple[int, int] = (64, 64),
) -> Float[Array, "*batch q_len d_v"]:
    """The output of :func:`.dot_product.scaled_dot_product_attention`, without its table of scores.

    This is the forward pass of FlashAttention (Dao et al. 2022, algorithm 1) with its two loops in the order of
    FlashAttention-2, the queries outside.

    Args:
        q, k, v: as there.
        mask: as there. A mask of padding has one row and costs little; a mask with a row per query is itself a table.
        causal: also hide what comes after each query, as :func:`.masks.causal_mask` does, without a table.
        tile: how many queries and how many keys a tile has; those at the edges may have fewer.

    Returns:
        The mixed values; there are no weights to return. A query that may attend to nothing gets zeros.

    Raises:
        ValueError, TypeError: as there; ValueError also if a tile has no queries or no keys.

    Pitfall: under autograd every tile is kept for the backward pass, which brings the memory of the table back.

    Pitfall: what a tile hides wholly is never read, so NaN in the values there stays there, unlike with the table.
    """
    xp = namespace(q, k, v)
    check_fit(q, k, v)
    if min(tile) < 1:
        raise ValueError(f"a tile needs at least one query and one key, got {tile}")
    q_len, k_len = q.shape[-2], k.shape[-2]
    ahead = k_len - q_len  # query i stands at position i + ahead
    front = np.broadcast_shapes(tuple(q.shape[:-2]), tuple(k.shape[:-2]))
    if mask is not None:
        mask = xp.broadcast_to(fitted_mask(mask, (*front, q_len, k_len), q), (*front, q_len, k_len))  # takes no memory
    output = _zeros(q, (*np.broadcast_shapes(front, tuple(v.shape[:-2])), q_len, v.shape[-1]))
    for rows in cuts(q_len, tile[0]):
        so_far = None
        for columns in cuts(k_len, tile[1]):
            if causal and is_future(rows, columns, ahead):
                break  # and so are all tiles to the right
            allowed = None if mask is None else mask[..., rows, columns]
            if causal and is_cut(rows, columns, ahead):
                allowed = _and_past(allowed, rows, columns, ahead, q)
            if allowed is not None and not allowed.any():
                continue  # nothing to read here
            scores = q[..., rows, :] @ xp.swapaxes(k[..., columns, :], -2, -1) / math.sqrt(q.shape[-1])
            if allowed is not None:
                scores = xp.where(allowed, scores, xp.full_like(scores, -math.inf))
            part = partial_mean(scores, v[..., columns, :])
            so_far = part if so_far is None else merged(so_far, part)
        if so_far is not None:
            output[..., rows, :] = finished(so_far)
    return output


def cuts(length: int, size: int) -> list[slice]:
    """Positions 0 to ``length`` in pieces of ``size``, the last as long as is left."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def is_future(rows: slice, columns: slice, ahead: int = 0) -> bool:
    """Whether every key of a tile comes after every query of it.

    Args:
        rows, columns: the queries and the keys of the tile.
        ahead: how many more keys than queries there are; query i stands at position i + ahead.
    """
    return columns.start > rows.stop - 1 + ahead


def is_cut(rows: slice, columns: slice, ahead: int = 0) -> bool:
    """Whether some key of a tile comes after some query of it; arguments as for :func:`is_future`."""
    return columns.stop - 1 > rows.start + ahead


def _and_past(
    allowed: Bool[Array, "..."] | None, rows: slice, columns: slice, ahead: int, like: Array
) -> Bool[Array, "..."]:
    """What is allowed in a tile, and does not come after its query."""
    if isinstance(like, torch.Tensor):
        queries, keys = (torch.arange(part.start, part.stop, device=like.device) for part in (rows, columns))
    else:
        queries, keys = (np.arange(part.start, part.stop) for part in (rows, columns))
    past = queries[:, None] + ahead >= keys
    return past if allowed is None else allowed & past


def _finite(largest: Array) -> Array:
    """The largest scores, with 0 where no key was allowed, so that −∞ − (−∞) does not occur."""
    xp = namespace(largest)
    return xp.where(largest == -math.inf, xp.zeros_like(largest), largest)


def _zeros(like: Array, shape: tuple[int, ...]) -> Array:
    return like.new_zeros(shape) if isinstance(like, torch.Tensor) else np.zeros(shape, like.dtype)
