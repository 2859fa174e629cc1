"""A Transformer with a single row of cross-attention per word, whose weights can be kept, compared and given."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..attention.cache import GrowingCache
from ..attention.dot_product import scaled_dot_product_attention
from ..attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from ..models.config import TransformerConfig
from ..models.transformer import Transformer

Weights = Float[Tensor, "batch n_heads q_len k_len"]
Mask = Bool[Tensor, "batch 1 1 k_len"]


def overlap(first: Float[Tensor, "*rows n"], second: Float[Tensor, "*rows n"]) -> Float[Tensor, "*rows"]:
    r"""How much of their weight two rows put on the same keys: :math:`\sum_j \min(a_j, b_j)`.

    It is 1 for equal rows, and 0 for rows that have no key in common. What is missing to 1 is the total variation
    distance, :math:`\tfrac12 \sum_j |a_j - b_j|`: the share of the weight that has to be moved to make one row of the
    other.

    Args:
        first, second: distributions along the last axis.
    """
    return torch.minimum(first, second).sum(dim=-1)


def even(weights: Weights, mask: Mask) -> Weights:
    """The same weight for every key that the mask allows."""
    return (mask / mask.sum(dim=-1, keepdim=True)).to(weights.dtype).expand_as(weights)


class PointedAttention(MultiHeadAttention):
    """Attention over a memory that keeps its weights, and that can be told which weights to use.

    Attributes:
        seen: the weights of the last call, part of the graph.
        given: None, or what turns the weights that the keys call for, and the mask, into those that are used.
    """

    seen: Tensor | None = None
    given: Callable[[Tensor, Tensor], Tensor] | None = None

    def forward(
        self,
        query: Float[Tensor, "batch q_len d_model"],
        key: Float[Tensor, "batch k_len d_model"],
        value: Float[Tensor, "batch k_len d_model"] | None = None,
        mask: Mask | None = None,
        need_weights: bool = False,
        cache: GrowingCache | None = None,
    ) -> tuple[Float[Tensor, "batch q_len d_model"], Weights]:
        """Attend as every multi-head attention does, keep the weights, and use those that are given.

        Args:
            query, key, mask, cache: as for :class:`attention_book.attention.multi_head.MultiHeadAttention`.
            value: not used: the values are made from ``key``.
            need_weights: not used: the weights are always returned.
        """

        def keys_and_values() -> tuple[Tensor, Tensor]:
            return split_heads(self.w_k(key), self.n_heads), split_heads(self.w_v(key), self.n_heads)

        k, v = keys_and_values() if cache is None else cache.read(keys_and_values)
        q = split_heads(self.w_q(query), self.n_heads)
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        if self.given is not None:
            weights = self.given(weights, mask)
        self.seen = weights
        return self.w_o(merge_heads(weights @ v)), weights


def one_row_transformer(preset: str, vocab_size: int, seed: int, **sizes: int | float | str) -> Transformer:
    """A Transformer whose decoder has one layer, whose attentions have one head each; the encoder is the preset's.

    So every target word has one row of cross-attention weights, the only way from the source to the decoder.

    Args:
        preset: a named size of :class:`attention_book.models.config.TransformerConfig`.
        vocab_size: number of words.
        seed: of the first parameters; torch's random state is left as it was.
        sizes: other fields of the configuration.
    """
    named = getattr(TransformerConfig, preset)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        deep = Transformer(named(vocab_size, **sizes))
        model = Transformer(named(vocab_size, **sizes | {"n_layers": 1, "n_heads": 1}))
    model.encoder = deep.encoder
    pointed(model).__class__ = PointedAttention
    return model


def pointed(model: Transformer) -> MultiHeadAttention:
    """The one cross-attention of a :func:`one_row_transformer`."""
    return model.decoder.layers[0].cross_attention
