"""Scaled dot-product attention: the function that everything else in this book leads to or builds on."""

import math

import numpy as np
import torch
from jaxtyping import Bool, Float

from .array_api import Array, namespace
from .probability import softmax


def scaled_dot_product_attention(
    q: Float[Array, "*#batch q_len d_k"],
    k: Float[Array, "*#batch k_len d_k"],
    v: Float[Array, "*#batch k_len d_v"],
    mask: Bool[Array, "..."] | None = None,
) -> tuple[Float[Array, "*batch q_len d_v"], Float[Array, "*#batch q_len k_len"]]:
    r"""Mix the values by how well each query matches each key.

    .. math:: \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V

    Vaswani et al. 2017, §3.2.1, equation 1.

    Args:
        q: queries, one row for each position that asks.
        k: keys, one row for each position that may be attended to; as wide as the queries.
        v: values, one row for each key; of any width.
        mask: True where a query may attend to a key; must broadcast to (…, q_len, k_len). It may be of another
            library or on another device than ``q``. None allows everything.

    Returns:
        ``(output, weights)``: the mixed values, and the weights that mixed them. Each row of the weights is
        non-negative and sums to one. A query that may attend to nothing gets zero weights, a zero output and zero
        gradients.

    Raises:
        ValueError: if widths, lengths, leading axes or devices do not fit, or the mask does not broadcast.
        TypeError: if the mask is not boolean, or the arrays are of two libraries.

    Pitfall: the divisor is the square root of the width of one query, d_k, not of the width of the model.

    Pitfall: a weight of 0 does not stop NaN, since 0 · NaN is NaN. NaN or ±∞ in a masked *value* reaches every output;
    in a masked *key* it reaches no output, but the gradient of every query. Finite numbers reach neither. So put zeros
    where a sequence has no real position, as in ``v.masked_fill(~real[..., None], 0)``.
    """
    xp = namespace(q, k, v)
    check_fit(q, k, v)
    if isinstance(mask, torch.Tensor) and mask.is_meta and not (isinstance(q, torch.Tensor) and q.is_meta):
        raise ValueError("the mask is on the device meta, which holds no numbers")
    d_k = q.shape[-1]

    scores = q @ xp.swapaxes(k, -2, -1) / math.sqrt(d_k)  # (…, q_len, k_len)
    if mask is not None:
        allowed = fitted_mask(mask, tuple(scores.shape), scores)
        scores = xp.where(allowed, scores, xp.full_like(scores, -math.inf))
    weights = softmax(scores, axis=-1)
    return weights @ v, weights


def check_fit(q: Array, k: Array, v: Array) -> None:
    """Refuse queries, keys and values that no attention can read together.

    Raises:
        ValueError: if one has fewer than two axes; if widths, lengths or leading axes do not fit; if tensors are on
            different devices.
    """
    if min(len(q.shape), len(k.shape), len(v.shape)) < 2:
        raise ValueError(f"queries, keys and values need a length and a width each: {_shapes(q, k, v)}")
    if q.shape[-1] == 0 or k.shape[-1] != q.shape[-1]:
        raise ValueError(f"queries and keys must have one width d_k > 0: {_shapes(q, k, v)}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"each key needs one value: {_shapes(q, k, v)}")
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        _check_front(q, k, v)
    if isinstance(q, torch.Tensor) and not q.device == k.device == v.device:
        raise ValueError(f"q, k and v must be on one device: they are on {q.device}, {k.device} and {v.device}")


def _check_front(q: Array, k: Array, v: Array) -> None:
    """Refuse axes in front of length and width that do not broadcast."""
    for one, other in ((q, k), (q, v), (k, v)):
        if any(m != n and 1 not in (m, n) for m, n in zip(one.shape[-3::-1], other.shape[-3::-1], strict=False)):
            raise ValueError(f"the axes in front of length and width do not broadcast: {_shapes(q, k, v)}")


def _shapes(q: Array, k: Array, v: Array) -> str:
    return f"q is {tuple(q.shape)}, k is {tuple(k.shape)}, v is {tuple(v.shape)}"


def fitted_mask(mask: Bool[Array, "..."], shape: tuple[int, ...], like: Array) -> Bool[Array, "..."]:
    """A mask that is known to fit scores of ``shape``, in the library and on the device of ``like``.

    Raises:
        ValueError: if it does not broadcast to the scores.
        TypeError: if it is not boolean.
    """
    if str(mask.dtype).removeprefix("torch.") != "bool":
        raise TypeError(f"the mask must be boolean (True = may attend), got {mask.dtype}")
    try:
        fits = np.broadcast_shapes(tuple(mask.shape), shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"a mask of shape {tuple(mask.shape)} does not broadcast to scores {shape}")
    if isinstance(mask, torch.Tensor):
        return mask.to(like.device) if isinstance(like, torch.Tensor) else mask.cpu().numpy()
    if isinstance(like, torch.Tensor):  # by a copy, because torch takes no array that is read-only or runs backwards
        return torch.from_numpy(np.array(mask, order="C")).to(like.device)
    return mask
