"""How large the dot products of queries and keys are: predicted from their moments, and measured in a model."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..attention.multi_head import MultiHeadAttention, split_heads
from ..models.config import TransformerConfig
from ..models.transformer import Transformer
from .recording import Call, recording

Vector = Float[np.ndarray, " d_k"]
Matrix = Float[np.ndarray, "d_k d_k"]
Pair = tuple[Int[Tensor, "1 _"], Int[Tensor, "1 _"]]  # lengths differ between pairs
LOOKS_FROM = {"encoder_self": "encoder", "cross": "decoder to encoder"}
"""The attentions without a causal mask, as `dot_products` and as a page calls them."""


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
    groups = {
        "encoder_self": [layer.self_attention for layer in model.encoder.layers],
        "cross": [layer.cross_attention for layer in model.decoder.layers],
    }
    if any(attention.rotary for attentions in groups.values() for attention in attentions):
        raise ValueError("rotary positions turn queries and keys after their projection: their scores are not q · k")
    projections = (
        projection
        for attentions in groups.values()
        for attention in attentions
        for projection in (attention.w_q, attention.w_k)
    )
    with recording(*projections) as calls:
        model(src, tgt)
    return {name: torch.stack([_products(it, calls) for it in attentions]) for name, attentions in groups.items()}


def _products(attention: MultiHeadAttention, calls: Mapping[torch.nn.Module, list[Call]]) -> Tensor:
    q, k = (
        split_heads(calls[projection][-1].output, attention.n_heads)[0] for projection in (attention.w_q, attention.w_k)
    )
    return q @ k.transpose(-2, -1)


@dataclass(frozen=True)
class HeadVariances:
    """Variances of the dot products of one kind of attention, one number per head, in units of d_k.

    Attributes:
        overall: of all q · k of the head, over all sentences.
        within_row: of the q · k of one query, over its keys; the mean of all queries. Softmax sees no other.
    """

    overall: Float[np.ndarray, " heads"]
    within_row: Float[np.ndarray, " heads"]

    def row(self) -> tuple[str, str, str]:
        """The cells of a table: the span of ``overall``, its median, and the span of ``within_row``."""
        return _span(self.overall), f"{np.median(self.overall):.2f}", _span(self.within_row)


def _span(x: Float[np.ndarray, " heads"]) -> str:
    return f"{x.min():.2f} to {x.max():.2f}"


def sentence_ids(
    encode: Callable[[str], list[int]], config: TransformerConfig, pairs: Iterable[tuple[str, str]]
) -> list[Pair]:
    """Pairs of sentences as a model is given them in training: ``</s>`` behind the source, ``<s>`` before the target.

    Args:
        encode: from a text to the ids of its subwords.
        config: of the model, which knows the two ids.
        pairs: source and target, as texts.
    """
    return [
        (torch.tensor([[*encode(src), config.eos_id]]), torch.tensor([[config.bos_id, *encode(tgt)]]))
        for src, tgt in pairs
    ]


def head_variances(model: Transformer, pairs: Iterable[Pair]) -> dict[str, HeadVariances]:
    """How large the dot products of each head are, over some pairs of sentences.

    Args:
        model: is put into evaluation mode.
        pairs: source ids and target ids, as for `dot_products`.

    Returns:
        ``encoder_self`` and ``cross``, with the heads of all layers, the first layer's first.
    """
    drawn = [dot_products(model.eval(), *pair) for pair in pairs]
    d_k = model.encoder.layers[0].self_attention.d_k
    found = {}
    for kind in drawn[0]:
        overall = torch.cat([it[kind].flatten(2) for it in drawn], -1).var(-1)
        rows = torch.cat([it[kind].var(-1) for it in drawn], -1).mean(-1)
        found[kind] = HeadVariances(*(x.numpy().ravel() / d_k for x in (overall, rows)))
    return found


def fresh_head_variances(
    config: TransformerConfig, pairs: Iterable[Pair], seeds: Iterable[int]
) -> dict[str, HeadVariances]:
    """The same for models that have learned nothing, the heads of all seeds side by side.

    The state of torch's random numbers is left as it was.

    Args:
        config: of the models.
        pairs: as for `head_variances`.
        seeds: one per model.
    """
    pairs, found = list(pairs), []
    with torch.random.fork_rng(devices=[]):
        for seed in seeds:
            torch.manual_seed(seed)
            found.append(head_variances(Transformer(config), pairs))
    return {
        kind: HeadVariances(
            *(np.concatenate([getattr(it[kind], name) for it in found]) for name in ("overall", "within_row"))
        )
        for kind in found[0]
    }


def head_variance_rows(states: Mapping[str, Mapping[str, HeadVariances]]) -> list[tuple[str, ...]]:
    """A row per kind of attention and state of the model, such as "fresh" and "trained"."""
    return [(name, state, *found[kind].row()) for kind, name in LOOKS_FROM.items() for state, found in states.items()]
