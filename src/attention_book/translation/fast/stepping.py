"""The encoder's pass and one step of the decoder, for all prefixes of all sources at once.

Two things are not as in `models.transformer`. Keys and values are written into blocks of memory that are there already.
And the prefixes of a beam share them: a cache belongs to a source, holds a slot for each prefix and step, and a mask says
which slots a prefix descends from. So a beam is reordered by reordering its masks; no key or value moves.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ...attention.positions import rotate_by_position
from .packing import Layer, PackedTransformer

_GROWTH = 32  # slots by which a cache grows at the least


def encode(
    model: PackedTransformer, src: Int[Tensor, "sources src_len"]
) -> tuple[Float[Tensor, "sources src_len d_model"], Float[Tensor, "sources 1 1 src_len"] | None]:
    """The encoder's states, and what is added to scores over them: −∞ at padding; None where there is none.

    Raises:
        ValueError: the source is longer than `max_len`, or has not two axes.
        IndexError: on the CPU, for an id that is not in the vocabulary.
        TypeError: the ids are not whole numbers.
    """
    config = model.config
    if src.dim() != 2:
        raise ValueError(f"token ids must be (batch, length), got {tuple(src.shape)}")
    if src.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"token ids must be whole numbers of 32 or 64 bits, got {src.dtype}")
    sources, length = src.shape
    if length > config.max_len:
        raise ValueError(f"{length} tokens are more than the max_len={config.max_len} of this model")
    x = F.embedding(src, model.src_embedding) * math.sqrt(config.d_model)
    if model.positions is not None:
        x += model.positions[:length]
    x = x.flatten(0, 1)
    padding = src == config.pad_id
    mask = None
    if padding.any():  # the lowest number, not −∞: a source of padding alone shall not become NaN
        mask = torch.zeros(src.shape, device=src.device).masked_fill_(padding, torch.finfo(torch.float32).min)
        mask = mask[:, None, None]
    for layer in model.encoder:
        x = _sublayer(model, x, layer, 0, lambda h, layer=layer: _attend_all(model, layer, h, sources, mask))
        x = _sublayer(model, x, layer, 1, layer.feed_forward)
    return model.encoder_norm(x).view(sources, length, config.d_model), mask


def _sublayer(model: PackedTransformer, x: Tensor, layer: Layer, place: int, compute) -> Tensor:
    """Add & Norm; x is changed where nobody else has it."""
    norm = layer.norms[place]
    if model.config.norm == "pre":
        return x.add_(compute(norm(x)))
    return norm(x.add_(compute(x)))


def _attend_all(model: PackedTransformer, layer: Layer, h: Tensor, sources: int, mask: Tensor | None) -> Tensor:
    """Self-attention of whole sentences."""
    heads = model.config.n_heads
    q, k, v = (
        part.view(sources, -1, heads, part.shape[1] // heads).transpose(1, 2)
        for part in layer.attention.inward(h).split(layer.attention.sizes, dim=1)
    )
    if model.config.positions == "rotary":
        q, k = rotate_by_position(q), rotate_by_position(k)
    scores = torch.matmul(q, k.transpose(2, 3))
    if mask is not None:
        scores += mask
    mixed = torch.matmul(scores.softmax(-1), v)
    return layer.attention.outward(mixed.transpose(1, 2).reshape(h.shape[0], -1))


@dataclass
class State:
    """What a search has computed so far, of each source that it still holds.

    Attributes:
        cross: for each layer the keys, turned on their side, and the values of the memory, heads of all sources in a row.
        memory_mask: what is added to scores over the memory, or None.
        keys, values: of the target so far; of `slots` there are `filled`.
        ancestry: what is added to a prefix's scores over the slots, 0 at its own and −∞ at others; None while there
            is one prefix per source.
        position: steps taken.
        filled: slots taken.
    """

    cross: list[tuple[Float[Tensor, "sources_heads d_k src_len"], Float[Tensor, "sources_heads src_len d_v"]]]
    memory_mask: Float[Tensor, "sources 1 1 src_len"] | None
    keys: Float[Tensor, "n_layers sources n_heads slots d_k"]
    values: Float[Tensor, "n_layers sources n_heads slots d_v"]
    ancestry: Float[Tensor, "sources width filled"] | None = None
    position: int = 0
    filled: int = 0

    def choose(self, parents: Int[Tensor, "sources width"]) -> None:
        """Go on with these prefixes of each source; they may repeat or be left out."""
        if self.ancestry is None:
            if parents.shape[1] == 1:
                return
            self.ancestry = self.keys.new_zeros(parents.shape[0], 1, self.filled)
        self.ancestry = self.ancestry.gather(1, parents[:, :, None].expand(-1, -1, self.filled))

    def keep(self, sources: Int[Tensor, " kept"]) -> None:
        """Let go of all other sources."""
        heads = self.keys.shape[2]
        self.keys, self.values = self.keys.index_select(1, sources), self.values.index_select(1, sources)
        self.cross = [
            tuple(part.unflatten(0, (-1, heads)).index_select(0, sources).flatten(0, 1) for part in pair)
            for pair in self.cross
        ]
        if self.memory_mask is not None:
            self.memory_mask = self.memory_mask.index_select(0, sources)
        if self.ancestry is not None:
            self.ancestry = self.ancestry.index_select(0, sources)

    def open_slots(self, width: int) -> int:
        """Make room for one more step of `width` prefixes per source; return its first slot."""
        first, self.filled = self.filled, self.filled + width
        missing = self.filled - self.keys.shape[3]
        if missing > 0:
            more = max(missing, _GROWTH * width, first)
            self.keys, self.values = F.pad(self.keys, (0, 0, 0, more)), F.pad(self.values, (0, 0, 0, more))
        if width > 1 or self.ancestry is not None:
            sources = self.keys.shape[1]
            own = self.keys.new_full((width, width), -math.inf).fill_diagonal_(0).expand(sources, -1, -1)
            earlier = self.keys.new_zeros(sources, width, first) if self.ancestry is None else self.ancestry
            self.ancestry = torch.cat([earlier, own], dim=2)
        return first


def start(model: PackedTransformer, src: Int[Tensor, "sources src_len"]) -> State:
    """Read the sources and compute what every step will look at. Errors as in `encode`."""
    if src.dim() == 2 and not src.shape[1]:
        src = src.new_full((src.shape[0], 1), model.config.pad_id)
    memory, mask = encode(model, src)
    sources, length, _ = memory.shape
    heads = model.config.n_heads
    empty = None if mask is None else (src == model.config.pad_id).all(dim=1)
    cross = []
    for layer in model.decoder:
        both = layer.cross.key_value(memory.flatten(0, 1)).split(layer.cross.sizes, dim=1)
        k, v = (part.view(sources, length, heads, part.shape[1] // heads) for part in both)
        if empty is not None and empty.any():  # whoever has nothing to look at gets zeros
            v = v.masked_fill(empty[:, None, None, None], 0)
        cross.append((k.permute(0, 2, 3, 1).flatten(0, 1), v.transpose(1, 2).flatten(0, 1)))
    keys, values = (
        torch.zeros(len(model.decoder), sources, heads, _GROWTH, width, device=model.device)
        for width in (model.d_k, model.d_v)
    )
    return State(cross, mask, keys, values)


def step(model: PackedTransformer, tokens: Int[Tensor, "sources width"], state: State) -> Float[Tensor, "rows vocab"]:
    """Feed one token to every prefix.

    Returns:
        Logits, a row per prefix, source after source. The columns behind the vocabulary are −∞.
    """
    config, heads = model.config, model.config.n_heads
    sources, width = tokens.shape
    first, here = state.open_slots(width), slice(state.filled - width, state.filled)
    x = F.embedding(tokens.flatten(), model.tgt_embedding).mul_(math.sqrt(config.d_model))
    if model.positions is not None:
        x += model.positions[state.position]
    ancestry = None if state.ancestry is None else state.ancestry[:, None]

    for number, layer in enumerate(model.decoder):

        def attend_self(h, number=number, layer=layer):
            q, k, v = (
                part.view(sources, width, heads, part.shape[1] // heads).transpose(1, 2)
                for part in layer.attention.inward(h).split(layer.attention.sizes, dim=1)
            )
            if config.positions == "rotary":
                q, k = _turned(q, state.position), _turned(k, state.position)
            state.keys[number, :, :, here] = k
            state.values[number, :, :, here] = v
            keys = state.keys[number, :, :, : here.stop].flatten(0, 1)
            values = state.values[number, :, :, : here.stop].flatten(0, 1)
            scores = torch.bmm(q.reshape(sources * heads, width, -1), keys.transpose(1, 2))
            if ancestry is not None:
                scores.view(sources, heads, width, -1).add_(ancestry)
            return layer.attention.outward(_merged(torch.bmm(scores.softmax(-1), values), sources, heads))

        def attend_memory(h, number=number, layer=layer):
            keys, values = state.cross[number]
            q = layer.cross.query(h).view(sources, width, heads, -1).transpose(1, 2)
            scores = torch.bmm(q.reshape(sources * heads, width, -1), keys)
            if state.memory_mask is not None:
                scores.view(sources, heads, width, -1).add_(state.memory_mask)
            return layer.cross.outward(_merged(torch.bmm(scores.softmax(-1), values), sources, heads))

        x = _sublayer(model, x, layer, 0, attend_self)
        x = _sublayer(model, x, layer, 1, attend_memory)
        x = _sublayer(model, x, layer, 2, layer.feed_forward)
    state.position += 1
    logits = model.output(model.decoder_norm(x))
    if logits.shape[1] > config.vocab_size:
        logits[:, config.vocab_size :] = -math.inf
    return logits


def _turned(x: Tensor, position: int) -> Tensor:
    """Rotary positions, of prefixes that all stand at the same place."""
    return rotate_by_position(x.unsqueeze(3), position).squeeze(3)


def _merged(x: Tensor, sources: int, heads: int) -> Tensor:
    """Heads side by side again, a row per prefix."""
    return x.view(sources, heads, x.shape[1], x.shape[2]).transpose(1, 2).reshape(sources * x.shape[1], -1)
