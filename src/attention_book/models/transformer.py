"""The Transformer: embeddings, an encoder, a decoder, an output layer, and what a search needs of them."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..attention.cache import DecoderCache
from ..attention.masks import causal_mask, combine_masks, padding_mask
from ..attention.positions import learned_positions, sinusoidal_positions
from .blocks import Decoder, Encoder
from .config import TransformerConfig

__all__ = ["DecoderState", "Memory", "Transformer", "TransformerConfig"]


@dataclass(frozen=True)
class Memory:
    """What the encoder hands to the decoder.

    Attributes:
        states: one vector a source position.
        mask: True where the source position is a real token.
    """

    states: Float[Tensor, "batch src_len d_model"]
    mask: Bool[Tensor, "batch 1 1 src_len"]

    def reorder(self, rows: Int[Tensor, " rows"]) -> "Memory":
        """The memory of the chosen batch rows, in that order."""
        return Memory(self.states[rows], self.mask[rows])


@dataclass(frozen=True)
class DecoderState:
    """A partly decoded batch: the memory and the caches. Stepping makes a new state and leaves this one as it was."""

    memory: Memory
    cache: DecoderCache

    def reorder(self, rows: Int[Tensor, " rows"]) -> "DecoderState":
        """The state of the chosen batch rows, in that order; rows may repeat or be left out."""
        return DecoderState(self.memory.reorder(rows), self.cache.reorder(rows))


def _check_tokens(tokens: Tensor) -> None:
    """Refuse what is not a batch of token ids."""
    if tokens.dim() != 2:
        raise ValueError(f"token ids must be (batch, length), got {tuple(tokens.shape)}")
    if tokens.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"token ids must be whole numbers of 32 or 64 bits, got {tokens.dtype}")


def _check_pass(tgt: Tensor, memory: Memory, cache: DecoderCache | None) -> None:
    """Refuse a target, a memory and a cache of different batches, before the cache is extended."""
    _check_tokens(tgt)
    if tgt.shape[0] != memory.states.shape[0]:
        raise ValueError(f"{tgt.shape[0]} targets need a memory of as many sources, got {memory.states.shape[0]}")
    if cache is not None and cache.real is not None and tgt.shape[0] != cache.real.shape[0]:
        raise ValueError(f"{tgt.shape[0]} targets need a cache of as many rows, got {cache.real.shape[0]}")


class Transformer(nn.Module):
    """An encoder–decoder Transformer (Vaswani et al. 2017, Figure 1).

    Token ids come batch first. The target given to :meth:`decode` starts with ``<s>``; row i of its logits is for the
    token that follows target token i. All masks are made inside, from ``config.pad_id``.

    Args:
        config: the shape. Embeddings are drawn from N(0, 1/d_model), so that after the multiplication by √d_model
            (§3.4) their coordinates have variance 1; the other matrices are Glorot-uniform.

    Pitfall: a model starts in training mode; call ``eval()`` before translating, or dropout stays on.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.src_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.tgt_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=config.d_model**-0.5)
        if config.tie_embeddings:
            self.tgt_embedding.weight = self.src_embedding.weight
            self.output.weight = self.src_embedding.weight
        if config.positions == "learned":  # drawn last: whatever the positions, the rest starts from the same numbers
            self.positions = nn.Parameter(learned_positions(config.max_len, config.d_model))
        else:
            added = config.positions == "sinusoidal"  # rotations happen in the attentions
            table = sinusoidal_positions(config.max_len, config.d_model) if added else None
            self.register_buffer("positions", table, persistent=False)

    def _embed(self, embedding: nn.Embedding, tokens: Tensor, start: int = 0) -> Tensor:
        _check_tokens(tokens)
        end = start + tokens.shape[1]
        if end > self.config.max_len:
            raise ValueError(f"{end} tokens are more than the max_len={self.config.max_len} of this model")
        scaled = embedding(tokens) * math.sqrt(self.config.d_model)  # (batch, length, d_model)
        if self.positions is not None:
            scaled = scaled + self.positions[start:end].to(scaled.dtype)
        return self.dropout(scaled)

    def encode(self, src: Int[Tensor, "batch src_len"]) -> Memory:
        """Read the source.

        Args:
            src: source ids, padded with ``pad_id``.

        Raises:
            ValueError: if it is longer than ``max_len``, or has not two axes.
            IndexError: on the CPU, for an id that is not in the vocabulary (a GPU stops with an error of its own).
            TypeError: if the ids are not whole numbers.
        """
        mask = padding_mask(src, self.config.pad_id)
        states, _ = self.encoder(self._embed(self.src_embedding, src), mask)
        return Memory(states, mask)

    def _self_mask(self, tgt: Tensor, cache: DecoderCache | None) -> Tensor:
        """Causal and not padding; with a cache, over the cached tokens too, which are noted in it."""
        real = tgt != self.config.pad_id
        if cache is not None:
            real = real if cache.real is None else torch.cat([cache.real, real], dim=1)
            cache.real = real
        causal = causal_mask(tgt.shape[1], real.shape[1]).to(tgt.device)
        return combine_masks(causal, real[:, None, None, :])

    def decode(
        self, tgt: Int[Tensor, "batch tgt_len"], memory: Memory, cache: DecoderCache | None = None
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score the next token after each target position.

        Args:
            tgt: target ids starting with ``<s>``, or with a cache the ids that follow the cached ones.
            memory: what :meth:`encode` returned.
            cache: keys and values of the earlier positions; it is extended in place by ``tgt``.

        Returns:
            Logits; row i depends on ``tgt[:, : i + 1]`` only.

        Raises:
            ValueError: if cached and new tokens together are longer than ``max_len``, or target, memory and cache are
                of different batches.
            IndexError, TypeError: as :meth:`encode`.
        """
        _check_pass(tgt, memory, cache)
        start = 0 if cache is None else cache.length
        x = self._embed(self.tgt_embedding, tgt, start)
        states, _ = self.decoder(x, memory.states, self._self_mask(tgt, cache), memory.mask, cache)
        return self.output(states)

    def forward(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Encode the source and score the whole target in one pass, as in training."""
        return self.decode(tgt, self.encode(src))

    def start(self, memory: Memory) -> DecoderState:
        """The state of a search before the first token."""
        return DecoderState(memory, DecoderCache.empty(self.config.n_layers))

    def step(
        self, tokens: Int[Tensor, " rows"], state: DecoderState
    ) -> tuple[Float[Tensor, "rows vocab_size"], DecoderState]:
        """Feed one token per row; the first is ``<s>``.

        Returns:
            ``(log_probs, state)``: log-probabilities of the next token, and the state after this one.
        """
        cache = state.cache.copy()
        logits = self.decode(tokens[:, None], state.memory, cache)[:, -1]
        return F.log_softmax(logits, dim=-1), DecoderState(state.memory, cache)

    def attention_weights(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> dict[str, Float[Tensor, "n_layers batch n_heads q_len k_len"]]:
        """Every attention weight of one pass over a source and a target that starts with ``<s>``.

        Returns:
            ``encoder_self``, ``decoder_self`` and ``cross``; row i of the last two belongs to target token i as input.
        """
        mask = padding_mask(src, self.config.pad_id)
        states, encoder_self = self.encoder(self._embed(self.src_embedding, src), mask, need_weights=True)
        x = self._embed(self.tgt_embedding, tgt)
        _, pairs = self.decoder(x, states, self._self_mask(tgt, None), mask, need_weights=True)
        decoder_self, cross = zip(*pairs, strict=True)
        return {
            "encoder_self": torch.stack(encoder_self),
            "decoder_self": torch.stack(decoder_self),
            "cross": torch.stack(cross),
        }
