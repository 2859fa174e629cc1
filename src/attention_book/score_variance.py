"""How large the dot products of queries and keys are: predicted from their moments, and measured in a model."""

import math

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from .multi_head import MultiHeadAttention, split_heads
from .transformer import Transformer

Vector = Float[np.ndarray, " d_k"]
Matrix = Float[np.ndarray, "d_k d_k"]


def dot_product_variance(mean_q: Vector, cov_q: Matrix, mean_k: Vector, cov_k: Matrix) -> float:
    r"""Var(q · k) for a query and a key that are independent of each other; their components need not be.

    .. math:: \operatorname{Var}(q \cdot k) = \operatorname{tr}(\Sigma_q \Sigma_k)
        + m_q^\top \Sigma_k\, m_q + m_k^\top \Sigma_q\, m_k

    With means of 0, and the identity for both covariances, this is d_k (Vaswani et al. 2017, §3.2.1, footnote 4).

    Args:
        mean_q, mean_k: the means m of the components.
        cov_q, cov_k: their covariances Σ.

    Pitfall: a mean that is not 0 adds to the variance, although it looks like a constant: a constant vector in q is
    multiplied by a random k.
    """
    squares = np.trace(cov_q @ cov_k) + mean_q @ cov_k @ mean_q + mean_k @ cov_q @ mean_k
    return float(squares)


def variance_with_error(x: Float[np.ndarray, " draws"]) -> tuple[float, float]:
    r"""The variance of a sample of independent numbers, and the standard error of that variance.

    .. math:: \operatorname{SE}(\hat v) \approx \sqrt{(m_4 - \hat v^2) / N}, \qquad
        m_4 = \frac1N \sum_i (x_i - \bar x)^4

    Args:
        x: the sample, of N numbers.

    Pitfall: the short formula v √(2/N) holds for normal numbers. A dot product has a heavier tail, and a larger error.
    """
    deviations = x - x.mean()
    variance = float(x.var(ddof=1))
    return variance, math.sqrt(max(float((deviations**4).mean()) - variance**2, 0.0) / len(x))


@torch.inference_mode()
def dot_products(
    model: Transformer, src: Int[Tensor, "1 src_len"], tgt: Int[Tensor, "1 tgt_len"]
) -> dict[str, Float[Tensor, "n_layers n_heads q_len k_len"]]:
    """Every q · k, before any division, of the attentions without a causal mask, for one pair of sentences.

    Args:
        model: in evaluation mode; without rotary positions, which turn queries and keys after their projection.
        src: source ids without padding.
        tgt: target ids, starting with ``<s>``.

    Returns:
        ``encoder_self`` and ``cross``; a row belongs to a query.

    Raises:
        ValueError: if the model turns its queries and keys.
    """
    kept: dict[torch.nn.Module, Tensor] = {}
    groups = {
        "encoder_self": [layer.self_attention for layer in model.encoder.layers],
        "cross": [layer.cross_attention for layer in model.decoder.layers],
    }
    if any(attention.rotary for attentions in groups.values() for attention in attentions):
        raise ValueError("rotary positions turn queries and keys after their projection: their scores are not q · k")
    hooks = [
        projection.register_forward_hook(lambda layer, inputs, output: kept.update({layer: output}))
        for attentions in groups.values()
        for attention in attentions
        for projection in (attention.w_q, attention.w_k)
    ]
    try:
        model(src, tgt)
    finally:
        for hook in hooks:
            hook.remove()
    return {name: torch.stack([_products(it, kept) for it in attentions]) for name, attentions in groups.items()}


def _products(attention: MultiHeadAttention, kept: dict[torch.nn.Module, Tensor]) -> Tensor:
    q, k = (split_heads(kept[projection], attention.n_heads)[0] for projection in (attention.w_q, attention.w_k))
    return q @ k.transpose(-2, -1)
