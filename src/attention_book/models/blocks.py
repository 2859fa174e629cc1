"""The parts of a Transformer between attention and the whole: feed-forward, Add & Norm, layers, stacks."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ..attention.cache import DecoderCache, FixedCache, GrowingCache
from ..attention.multi_head import MultiHeadAttention
from .config import TransformerConfig

Sequence = Float[Tensor, "batch length d_model"]
Weights = Float[Tensor, "batch n_heads q_len k_len"]
Mask = Bool[Tensor, "..."]


class FeedForward(nn.Module):
    r"""Two linear layers with a ReLU between them, applied to each position by itself.

    .. math:: \operatorname{FFN}(x) = \max(0,\; xW_1 + b_1)\,W_2 + b_2

    Vaswani et al. 2017, §3.3, equation 2.

    Args:
        d_model: width of what comes in and goes out.
        d_ff: inner width.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Apply the network at each position."""
        return self.w_2(torch.relu(self.w_1(x)))


class AddAndNorm(nn.Module):
    r"""A residual connection around a sublayer, with layer normalisation before or after.

    ``"post"``: :math:`\operatorname{LayerNorm}(x + \operatorname{Sublayer}(x))`, Vaswani et al. 2017, §3.1.
    ``"pre"``: :math:`x + \operatorname{Sublayer}(\operatorname{LayerNorm}(x))`, Xiong et al. 2020, §3.

    Args:
        d_model: width.
        dropout: probability of dropping a coordinate of the sublayer's output in training (§5.4).
        norm: ``"pre"`` or ``"post"``.

    Pitfall: much code, the first Annotated Transformer included, quotes the post-norm formula and runs pre-norm.
    """

    def __init__(self, d_model: int, dropout: float, norm: str):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.pre = norm == "pre"

    def forward(self, x: Sequence, sublayer: Callable[[Tensor], Tensor]) -> Sequence:
        """Add what ``sublayer`` makes of ``x`` to ``x``."""
        if self.pre:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


def _attention(config: TransformerConfig, rotary: bool) -> MultiHeadAttention:
    return MultiHeadAttention(
        config.d_model, config.n_heads, config.d_k, config.d_v, config.bias, config.attention_dropout, rotary
    )


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside an Add & Norm (Vaswani et al. 2017, Figure 1, left)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = _attention(config, rotary=config.positions == "rotary")
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.add_attention = AddAndNorm(config.d_model, config.dropout, config.norm)
        self.add_feed_forward = AddAndNorm(config.d_model, config.dropout, config.norm)

    def forward(
        self, x: Sequence, mask: Mask | None = None, need_weights: bool = False
    ) -> tuple[Sequence, Weights | None]:
        """Let every position look at every other that ``mask`` allows.

        Args:
            x: one vector a source position.
            mask: True where a position may attend.
            need_weights: return the attention weights as well.

        Returns:
            ``(x, weights)``, the weights per head or None.
        """
        weights = None

        def attend(h: Tensor) -> Tensor:
            nonlocal weights
            output, weights = self.self_attention(h, mask=mask, need_weights=need_weights)
            return output

        x = self.add_attention(x, attend)
        return self.add_feed_forward(x, self.feed_forward), weights


class DecoderLayer(nn.Module):
    """Masked self-attention, attention over the encoder output, feed-forward (Vaswani et al. 2017, Figure 1, right)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = _attention(config, rotary=config.positions == "rotary")
        self.cross_attention = _attention(config, rotary=False)  # source and target are counted apart
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.add_self = AddAndNorm(config.d_model, config.dropout, config.norm)
        self.add_cross = AddAndNorm(config.d_model, config.dropout, config.norm)
        self.add_feed_forward = AddAndNorm(config.d_model, config.dropout, config.norm)

    def forward(
        self,
        x: Sequence,
        memory: Float[Tensor, "batch src_len d_model"],
        self_mask: Mask | None = None,
        memory_mask: Mask | None = None,
        caches: tuple[GrowingCache | None, FixedCache | None] = (None, None),
        need_weights: bool = False,
    ) -> tuple[Sequence, tuple[Float[Tensor, "..."] | None, Float[Tensor, "..."] | None]]:
        """Let every target position look at the target so far and at the whole source.

        Args:
            x: one vector per target position.
            memory: the encoder output; queries come from ``x``, keys and values from here.
            self_mask: True where a target position may attend to a target position.
            memory_mask: True where a target position may attend to a source position.
            caches: the layer's self-attention and cross-attention caches, or None.
            need_weights: return both attentions' weights as well.

        Returns:
            ``(x, (self_weights, cross_weights))``, the weights per head or None.
        """
        self_weights = cross_weights = None

        def attend_self(h: Tensor) -> Tensor:
            nonlocal self_weights
            output, self_weights = self.self_attention(h, mask=self_mask, need_weights=need_weights, cache=caches[0])
            return output

        def attend_memory(h: Tensor) -> Tensor:
            nonlocal cross_weights
            output, cross_weights = self.cross_attention(
                h, memory, mask=memory_mask, need_weights=need_weights, cache=caches[1]
            )
            return output

        x = self.add_self(x, attend_self)
        x = self.add_cross(x, attend_memory)
        return self.add_feed_forward(x, self.feed_forward), (self_weights, cross_weights)


def _final_norm(config: TransformerConfig) -> nn.Module:
    """Pre-norm leaves the residual stream unnormalised, so a stack ends with one more LayerNorm."""
    return nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()


class Encoder(nn.Module):
    """``n_layers`` encoder layers, one after the other."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_layers))
        self.norm = _final_norm(config)

    def forward(
        self, x: Sequence, mask: Mask | None = None, need_weights: bool = False
    ) -> tuple[Sequence, list[Weights]]:
        """Run the stack.

        Args:
            x: embedded source.
            mask: as in :class:`EncoderLayer`; the same for every layer.
            need_weights: return the weights of every layer.

        Returns:
            ``(states, weights)``, one entry a layer in the list, which is empty without ``need_weights``.
        """
        kept = []
        for layer in self.layers:
            x, weights = layer(x, mask, need_weights)
            if need_weights:
                kept.append(weights)
        return self.norm(x), kept


class Decoder(nn.Module):
    """``n_layers`` decoder layers; each reads the same encoder output through projections of its own."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        self.norm = _final_norm(config)

    def forward(
        self,
        x: Sequence,
        memory: Float[Tensor, "batch src_len d_model"],
        self_mask: Mask | None = None,
        memory_mask: Mask | None = None,
        cache: DecoderCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Sequence, list[tuple[Float[Tensor, "..."], Float[Tensor, "..."]]]]:
        """Run the stack; arguments as in :class:`DecoderLayer`, with the caches of all layers in one.

        Returns:
            ``(states, weights)``, one pair (self, cross) a layer in the list, which is empty without ``need_weights``.

        Raises:
            ValueError: if the cache is of another number of layers.
        """
        if cache is not None and not len(cache.self_attention) == len(cache.cross_attention) == len(self.layers):
            raise ValueError(
                f"a decoder of {len(self.layers)} layers needs as many caches of each kind, "
                f"got {len(cache.self_attention)} and {len(cache.cross_attention)}"
            )
        kept = []
        for i, layer in enumerate(self.layers):
            caches = (None, None) if cache is None else (cache.self_attention[i], cache.cross_attention[i])
            x, weights = layer(x, memory, self_mask, memory_mask, caches, need_weights)
            if need_weights:
                kept.append(weights)
        return self.norm(x), kept
