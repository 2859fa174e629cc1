"""Softmax, its Jacobian, and the three quantities that compare distributions: entropy, cross-entropy, KL.

Everything here takes NumPy arrays and torch tensors alike, and treats one axis as the distribution.
Logarithms are natural, so entropies are in nats.
"""

import numpy as np
import torch
from jaxtyping import Float, Num

from .array_api import Array, as_floating, namespace


def softmax(x: Num[Array, "*shape"], axis: int = -1) -> Float[Array, "*shape"]:
    r"""Turn scores into a distribution along one axis.

    .. math:: p_i = \frac{e^{x_i}}{\sum_j e^{x_j}}

    The largest score is subtracted first, which changes nothing (softmax(x + c) = softmax(x)) and keeps the
    exponentials from overflowing.

    Args:
        x: scores, any shape; integers are converted to floats. A score of −∞ gets the probability 0; a slice with +∞
            or NaN in it becomes NaN.
        axis: the axis that will sum to one.

    Returns:
        Probabilities, in the shape of ``x``. A slice in which every score is −∞ has nothing to choose from: it gives
        zeros, with finite (zero) gradients, where a bare softmax gives NaN.

    Pitfall: the axis. For attention weights it is the axis of the keys; over the queries the columns sum to one.
    """
    xp = namespace(x)
    x = as_floating(x)
    if 0 in x.shape:  # nothing to share out, and no largest score to subtract
        return x
    highest = xp.amax(x, axis=axis, keepdims=True)
    if isinstance(x, torch.Tensor):
        highest = highest.detach()  # the shift cancels, so no gradient needs to pass through it
    highest = xp.where(highest == -float("inf"), xp.zeros_like(highest), highest)
    exponentials = xp.exp(x - highest)
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    return exponentials / xp.where(total == 0, xp.ones_like(total), total)


def softmax_jacobian(s: Num[Array, "*batch n"], temperature: int | float = 1.0) -> Float[Array, "*batch n n"]:
    r"""The Jacobian of softmax(s / C) with respect to s, C being the temperature.

    .. math:: J_{ij} = \frac{\partial p_i}{\partial s_j} = \frac{1}{C}\,(p_i\,\delta_{ij} - p_i\,p_j),
        \qquad J = \frac{1}{C}\left(\operatorname{diag} p - p\,p^\top\right)

    Attention is the case :math:`C = \sqrt{d_k}` (Vaswani et al. 2017, §3.2.1, footnote 4).

    Args:
        s: scores; any leading axes.
        temperature: C > 0.

    Returns:
        One symmetric n × n matrix for each vector of scores. Its rows and columns sum to zero.

    Raises:
        ValueError: if the temperature is not positive.

    Pitfall: the factor 1/C is part of the Jacobian; without it one has the Jacobian with respect to s / C.
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    xp = namespace(s)
    p = softmax(as_floating(s) / temperature)
    diagonal = xp.zeros_like(p[..., :, None] * p[..., None, :])
    index = range(p.shape[-1])
    diagonal[..., index, index] = p
    return (diagonal - p[..., :, None] * p[..., None, :]) / temperature


def _log_or_zero(p: Array) -> Array:
    """log p where p > 0, and 0 where p = 0, so that 0 · log 0 = 0 and gradients stay finite."""
    xp = namespace(p)
    return xp.log(xp.where(p > 0, p, xp.ones_like(p)))


def entropy(p: Float[Array, "..."], axis: int = -1) -> Float[Array, "..."] | np.floating:
    r"""The surprise of a distribution, in nats: :math:`H(p) = -\sum_i p_i \log p_i`, with 0 log 0 = 0.

    Args:
        p: probabilities along ``axis``.
        axis: the axis that is summed over.

    Returns:
        The entropy of each slice, between 0 and log n; the shape of ``p`` without ``axis``.
    """
    xp = namespace(p)
    return -xp.sum(p * _log_or_zero(p), axis=axis)


def cross_entropy(p: Float[Array, "..."], q: Float[Array, "..."], axis: int = -1) -> Float[Array, "..."] | np.floating:
    r"""The mean surprise of q's user when the truth is p, in nats: :math:`H(p, q) = -\sum_i p_i \log q_i`.

    Args:
        p: the true distribution along ``axis``.
        q: the model's distribution, same shape.
        axis: the axis that is summed over.

    Returns:
        The cross-entropy of each slice; +∞ where q gives the probability 0 to something that p does not.
    """
    xp = namespace(p, q)
    impossible = xp.sum(xp.where((p > 0) & (q == 0), xp.ones_like(p), xp.zeros_like(p)), axis=axis) > 0
    finite = -xp.sum(p * _log_or_zero(q), axis=axis)
    return xp.where(impossible, xp.full_like(finite, float("inf")), finite)


def kl_divergence(p: Float[Array, "..."], q: Float[Array, "..."], axis: int = -1) -> Float[Array, "..."] | np.floating:
    r"""What it costs, in nats, to believe q when the truth is p: :math:`D(p \| q) = H(p, q) - H(p) \ge 0`.

    Args and returns as for :func:`cross_entropy`. Zero exactly when p = q; not symmetric.
    """
    return cross_entropy(p, q, axis=axis) - entropy(p, axis=axis)
