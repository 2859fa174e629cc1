"""A translator without an encoder: source and target in one stream of tokens, through one stack, under one mask."""

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ...attention.cache import GrowingCache
from ...attention.masks import causal_mask
from ...attention.positions import sinusoidal_positions
from ..blocks import Encoder
from ..config import TransformerConfig

Source = Int[Tensor, "batch src_len"]
Target = Int[Tensor, "batch tgt_len"]


def stream_mask(src_len: int, tgt_len: int, prefix: bool = False) -> Bool[Tensor, "length length"]:
    """Which token of a stream may attend to which: the source comes first, the target after it.

    Args:
        src_len: tokens of the source, ``</s>`` included.
        tgt_len: tokens of the target, the separator ``<s>`` included.
        prefix: let every source token see the whole source (Raffel et al. 2020, §3.2.1); else it sees what came before.

    Returns:
        A square of ``src_len + tgt_len`` rows, with the causal triangle in the rows of the target in any case.
    """
    mask = causal_mask(src_len + tgt_len)
    if prefix:
        mask[:src_len, :src_len] = True
    return mask


def stream_labels(
    src: Source, tgt_out: Target, pad_id: int, bos_id: int, eos_id: int
) -> Int[Tensor, "batch src_len+tgt_len"]:
    """What comes after each token of the stream: the next source token, ``<s>`` after the source, then the target.

    Args:
        src: source ids, which end with ``</s>``, padded.
        tgt_out: what is asked for after each target token.
        pad_id, bos_id, eos_id: the special tokens; padding is followed by padding.
    """
    following = F.pad(src[:, 1:], (0, 1), value=pad_id)
    return torch.cat([following.masked_fill(src == eos_id, bos_id), tgt_out], dim=1)


@dataclass(frozen=True)
class StreamState:
    """A stream that has been read so far. Stepping makes a new state and leaves this one as it was.

    Attributes:
        caches: keys and values of each layer.
        real: True where a token that was read is not padding.
    """

    caches: tuple[GrowingCache, ...]
    real: Bool[Tensor, "batch length"]

    def reorder(self, rows: Int[Tensor, " rows"]) -> "StreamState":
        """The state of the chosen batch rows, in that order; rows may repeat or be left out."""
        return StreamState(tuple(cache.reorder(rows) for cache in self.caches), self.real[rows])


class DecoderOnly(nn.Module):
    r"""The stack of :class:`..blocks.Encoder` under a causal mask: a language model that reads source and target.

    The stream is the source with its ``</s>``, then the target, whose ``<s>`` separates the two. Row i of the logits is
    for the token after token i. Its layers have no attention over an encoder output, since there is none
    (Radford et al. 2018; Liu et al. 2018, §4.2.3). Source and target share everything: embedding, layers, output.

    Args:
        config: as for :class:`..transformer.Transformer`, with ``n_layers`` of the one stack; embeddings are tied and
            positions sinusoidal. ``max_len`` counts the tokens of the whole stream.
        prefix: as in :func:`stream_mask`.

    Raises:
        ValueError: if the configuration asks for other positions, or for embeddings that are not tied.

    Pitfall: a batch pads the source, so padding stands in the middle of the stream. It is hidden, and not counted as a
    position: each row gives the same logits as alone.
    """

    def __init__(self, config: TransformerConfig, prefix: bool = False):
        super().__init__()
        if config.positions != "sinusoidal" or not config.tie_embeddings:
            raise ValueError("a decoder-only model of this book has sinusoidal positions and tied embeddings")
        self.config, self.prefix = config, prefix
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.stack = Encoder(config)
        self.dropout = nn.Dropout(config.dropout)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=config.d_model**-0.5)
        table = sinusoidal_positions(config.max_len, config.d_model)
        self.register_buffer("positions", table, persistent=False)

    def _embed(
        self, tokens: Int[Tensor, "batch length"], real: Bool[Tensor, "batch all"]
    ) -> Float[Tensor, "batch length d_model"]:
        """Embed the newest tokens; ``real`` tells of all tokens so far, so that their positions can be counted."""
        places = (real.cumsum(dim=1) - 1).clamp(min=0)[:, -tokens.shape[1] :]
        if int(places.max()) >= self.config.max_len:
            raise ValueError(f"the stream is longer than the max_len={self.config.max_len} of this model")
        scaled = self.embedding(tokens) * math.sqrt(self.config.d_model)
        return self.dropout(scaled + self.positions[places])

    def stream(self, src: Source, tgt: Target) -> Float[Tensor, "batch length vocab_size"]:
        """Logits after every token of the stream, those of the source included.

        Args:
            src: source ids, ``</s>`` at their end, padded with ``pad_id``.
            tgt: target ids, which start with ``<s>``.

        Raises:
            ValueError: if a stream is longer than ``max_len``.
        """
        tokens = torch.cat([src, tgt], dim=1)
        real = tokens != self.config.pad_id
        mask = stream_mask(src.shape[1], tgt.shape[1], self.prefix).to(src.device)
        states, _ = self.stack(self._embed(tokens, real), mask & real[:, None, None, :])
        return states @ self.embedding.weight.T

    def forward(self, src: Source, tgt: Target) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Logits after every token of the target; what the source predicts is left out."""
        return self.stream(src, tgt)[:, src.shape[1] :]

    def weights(self, src: Source, tgt: Target) -> Float[Tensor, "n_layers batch n_heads length length"]:
        """The attention weights of one pass, each row over the whole stream."""
        tokens = torch.cat([src, tgt], dim=1)
        real = tokens != self.config.pad_id
        mask = stream_mask(src.shape[1], tgt.shape[1], self.prefix).to(src.device)
        _, kept = self.stack(self._embed(tokens, real), mask & real[:, None, None, :], need_weights=True)
        return torch.stack(kept)

    def _read_on(
        self, tokens: Int[Tensor, "batch length"], state: StreamState, mask: Bool[Tensor, "..."]
    ) -> tuple[Float[Tensor, "batch length d_model"], StreamState]:
        """Pass further tokens through the stack, which look at the cached ones too."""
        real = torch.cat([state.real, tokens != self.config.pad_id], dim=1)
        caches = tuple(replace(cache) for cache in state.caches)
        x = self._embed(tokens, real)
        for layer, cache in zip(self.stack.layers, caches, strict=True):
            attend = lambda h, layer=layer, cache=cache: layer.self_attention(h, mask=mask, cache=cache)[0]  # noqa: E731
            x = layer.add_feed_forward(layer.add_attention(x, attend), layer.feed_forward)
        return self.stack.norm(x), StreamState(caches, real)

    def encode(self, src: Int[Tensor, "batch src_len"]) -> StreamState:
        """Read the source into the caches: what takes the place of an encoder's output."""
        nothing = torch.zeros(src.shape[0], 0, dtype=torch.bool, device=src.device)
        empty = StreamState(tuple(GrowingCache() for _ in self.stack.layers), nothing)
        mask = stream_mask(src.shape[1], 0, self.prefix).to(src.device) & (src != self.config.pad_id)[:, None, None, :]
        return self._read_on(src, empty, mask)[1]

    def start(self, memory: StreamState) -> StreamState:
        """The state of a search before the separator."""
        return memory

    def step(
        self, tokens: Int[Tensor, " rows"], state: StreamState
    ) -> tuple[Float[Tensor, "rows vocab_size"], StreamState]:
        """Feed one token per row; the first is ``<s>``.

        Returns:
            ``(log_probs, state)``: log-probabilities of the next token, and the state after this one.
        """
        real = torch.cat([state.real, (tokens != self.config.pad_id)[:, None]], dim=1)
        states, after = self._read_on(tokens[:, None], state, real[:, None, None, :])
        return F.log_softmax(states[:, -1] @ self.embedding.weight.T, dim=-1), after
