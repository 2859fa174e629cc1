"""The encoder's pass and one step of the decoder, for all prefixes of all sources at once.

Two things are not as in `models.transformer`. Keys and values are written into blocks of memory that are there already.
And the prefixes of a beam share them: a cache belongs to a source, holds a slot for each prefix and step, and a mask
says which slots a prefix descends from. So a beam is reordered by reordering its masks; no key or value moves.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ...attention.positions import rotate_by_position
from .packing import PackedTransformer

_LONGER = 6  # by how many tokens a translation may be longer than its source before its cache has to grow
_SHORT, _MANY = 16, 64  # torch's softmax takes ten times as long for many rows of 15 numbers as for as many of 16


def check_source(src: Int[Tensor, "sources src_len"], max_len: int) -> None:
    """Refuse what is no batch of ids. Errors as in `Sources`."""
    if src.dim() != 2:
        raise ValueError(f"token ids must be (batch, length), got {tuple(src.shape)}")
    if src.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"token ids must be whole numbers of 32 or 64 bits, got {src.dtype}")
    if src.shape[1] > max_len:
        raise ValueError(f"{src.shape[1]} tokens are more than the max_len={max_len} of this model")


class Sources:
    """A padded batch, and the way between its rows of padded positions and its real tokens alone.

    What is computed for each position by itself is computed for the tokens; attention alone sees sentences.

    Attributes:
        mask: what is added to scores over the positions, the lowest number at padding; None where there is none.

    Raises:
        ValueError: the source is longer than `max_len`, or has not two axes.
        TypeError: the ids are not whole numbers.
    """

    def __init__(self, model: PackedTransformer, src: Int[Tensor, "sources src_len"]):
        config = model.config
        check_source(src, config.max_len)
        if not src.shape[1]:
            src = src.new_full((src.shape[0], 1), config.pad_id)
        self.shape, self.mask, self.places = src.shape, None, None
        self.tokens = src.flatten()
        real = src != config.pad_id
        if not real.all():
            lowest = torch.finfo(torch.float32).min  # not −∞: a source of padding alone shall not become NaN
            self.mask = torch.zeros(src.shape, device=src.device).masked_fill_(~real, lowest)[:, None, None]
            self.places = real.flatten().nonzero()[:, 0]
            self.tokens = self.tokens[self.places]

    def by_head(self, x: Float[Tensor, "tokens width"], heads: int) -> Float[Tensor, "sources n_heads src_len d"]:
        """Rows of tokens as sentences, zeros at padding, cut into heads."""
        if self.places is not None:
            x = x.new_zeros(self.shape.numel(), x.shape[1]).index_copy_(0, self.places, x)
        return x.view(*self.shape, heads, -1).transpose(1, 2)

    def in_rows(self, x: Float[Tensor, "sources n_heads src_len d"]) -> Float[Tensor, "tokens width"]:
        """The way back."""
        x = x.transpose(1, 2).flatten(2).flatten(0, 1)
        return x if self.places is None else x[self.places]


def encode(model: PackedTransformer, sources: Sources) -> Float[Tensor, "tokens d_model"]:
    """The encoder's states of the real tokens, one source after the other.

    Raises:
        IndexError: on the CPU, for an id that is not in the vocabulary.
    """
    config, heads = model.config, model.config.n_heads
    pre, rotary = config.norm == "pre", config.positions == "rotary"
    x = F.embedding(sources.tokens, model.src_embedding).mul_(math.sqrt(config.d_model))
    if model.positions is not None:
        count, length = sources.shape
        if sources.places is None:
            x.view(count, length, -1).add_(model.positions[:length])
        else:
            x += model.positions[sources.places % length]
    for layer in model.encoder:
        first, second = layer.norms
        both = layer.attention.inward(first(x) if pre else x)
        q, k, v = (sources.by_head(part, heads) for part in both.split(layer.attention.sizes, dim=1))
        if rotary:
            q, k = rotate_by_position(q), rotate_by_position(k)
        k, v, mask = _widened(k, v, sources.mask, q.shape[:3].numel())
        scores = torch.matmul(q, k.transpose(2, 3))
        if mask is not None:
            scores += mask
        layer.attention.outward.add_to(x, sources.in_rows(torch.matmul(scores.softmax(-1), v)))
        x = x if pre else first(x)
        layer.outer.add_to(x, layer.inner(second(x) if pre else x).relu_())
        x = x if pre else second(x)
    return model.encoder_norm(x)


def _widened(k: Tensor, v: Tensor, mask: Tensor | None, rows: int) -> tuple[Tensor, Tensor, Tensor | None]:
    """Keys, values and mask with some more, masked, positions, where a softmax over many short rows would be slow."""
    missing = _SHORT - k.shape[2]
    if missing <= 0 or rows < _MANY:
        return k, v, mask
    mask = k.new_zeros(1, 1, 1, k.shape[2]) if mask is None else mask
    return F.pad(k, (0, 0, 0, missing)), F.pad(v, (0, 0, 0, missing)), F.pad(mask, (0, missing), value=-math.inf)


@dataclass
class State:
    """What a search has computed so far, of each source that it still holds.

    Attributes:
        cross: for each layer the keys, turned on their side, and the values of the memory; the heads of all sources in
            a row.
        memory_mask: what is added to scores over the memory, or None.
        keys, values: of the target so far; of `slots` there are `filled`.
        least: slots that a step looks at, with a mask over those that are not filled yet.
        ancestry: what is added to a prefix's scores over the slots, 0 at its own and −∞ at others; None while there
            is one prefix per source.
        position: steps taken.
        filled: slots taken.
    """

    cross: list[tuple[Float[Tensor, "sources_heads d_k src_len"], Float[Tensor, "sources_heads src_len d_v"]]]
    memory_mask: Float[Tensor, "sources 1 1 src_len"] | None
    keys: Float[Tensor, "n_layers sources n_heads slots d_k"]
    values: Float[Tensor, "n_layers sources n_heads slots d_v"]
    least: int = 0
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

    def keep(self, sources: list[int]) -> None:
        """Hold these sources in this order, and let go of all others. Only those that change their place are copied."""
        heads = self.keys.shape[2]
        moved = [place for place, source in enumerate(sources) if place != source]
        to = torch.tensor(moved, device=self.keys.device, dtype=torch.int64)
        of = torch.tensor([sources[place] for place in moved], device=self.keys.device, dtype=torch.int64)

        def kept(tensor: Tensor, axis: int) -> Tensor:
            if moved:
                tensor.index_copy_(axis, to, tensor.index_select(axis, of))
            return tensor.narrow(axis, 0, len(sources))

        self.keys, self.values = kept(self.keys, 1), kept(self.values, 1)
        self.cross = [
            tuple(kept(part.unflatten(0, (-1, heads)), 0).flatten(0, 1) for part in two) for two in self.cross
        ]
        if self.memory_mask is not None and len(self.memory_mask) > 1:
            self.memory_mask = kept(self.memory_mask, 0)
        if self.ancestry is not None:
            self.ancestry = kept(self.ancestry, 0)

    def open_slots(self, width: int) -> None:
        """Make room for one more step of `width` prefixes per source."""
        first, self.filled = self.filled, self.filled + width
        missing = self.filled - self.keys.shape[3]
        if missing > 0:
            more = (0, 0, 0, max(missing, first // 2))
            self.keys, self.values = F.pad(self.keys, more), F.pad(self.values, more)
        if width > 1 or self.ancestry is not None:
            sources = self.keys.shape[1]
            own = self.keys.new_full((width, width), -math.inf).fill_diagonal_(0).expand(sources, -1, -1)
            earlier = self.keys.new_zeros(sources, width, first) if self.ancestry is None else self.ancestry
            self.ancestry = torch.cat([earlier, own], dim=2)


def start(model: PackedTransformer, src: Int[Tensor, "sources src_len"], width: int = 1) -> State:
    """Read the sources and compute what every step will look at.

    Args:
        width: the most prefixes per source that are to be expected; more only cost time.

    Errors as in `Sources` and `encode`.
    """
    batch = Sources(model, src)
    memory = encode(model, batch)
    sources, length = batch.shape
    heads = model.config.n_heads
    cross = []
    for layer in model.decoder:
        both = layer.cross.key_value(memory).split(layer.cross.sizes, dim=1)
        k, v = (batch.by_head(part, heads) for part in both)
        k, v, wide_mask = _widened(k, v, batch.mask, sources * heads)
        cross.append((k.transpose(2, 3).flatten(0, 1), v.flatten(0, 1)))
    least = _SHORT if sources * heads >= _MANY else 0
    slots = max(width * (length + _LONGER), least)
    keys, values = (
        torch.empty(len(model.decoder), sources, heads, slots, size, device=model.device)
        for size in (model.d_k, model.d_v)
    )
    keys[:, :, :, :least], values[:, :, :, :least] = 0, 0  # what is masked must be numbers
    return State(cross, wide_mask, keys, values, least)


def step(model: PackedTransformer, tokens: Int[Tensor, "sources width"], state: State) -> Float[Tensor, "rows vocab"]:
    """Feed one token to every prefix.

    Returns:
        Logits, a row per prefix, source after source. The columns behind the vocabulary are −∞.
    """
    config, heads = model.config, model.config.n_heads
    sources, width = tokens.shape
    state.open_slots(width)
    # The views of all layers at once: a call of torch takes longer than many a step's arithmetic.
    seen = max(state.filled, state.least)
    all_keys = state.keys.narrow(3, 0, seen).flatten(1, 2).transpose(2, 3).unbind()
    all_values = state.values.narrow(3, 0, seen).flatten(1, 2).unbind()
    new_keys = state.keys.narrow(3, state.filled - width, width).unbind()
    new_values = state.values.narrow(3, state.filled - width, width).unbind()
    mask = None if state.ancestry is None else state.ancestry[:, None]
    if seen > state.filled:
        mask = F.pad(state.keys.new_zeros(1, 1, 1, state.filled) if mask is None else mask, (0, seen - state.filled),
                     value=-math.inf)  # fmt: skip
    pre, rotary = config.norm == "pre", config.positions == "rotary"

    x = torch.embedding(model.tgt_embedding, tokens.flatten()).mul_(math.sqrt(config.d_model))
    if model.positions is not None:
        x += model.positions[state.position]
    for number, layer in enumerate(model.decoder):
        first, second, third = layer.norms
        q, k, v = layer.attention.inward(first(x) if pre else x).split(layer.attention.sizes, dim=1)
        q, k = _by_head(q, sources, width, heads), _by_head(k, sources, width, heads)
        if rotary:
            q, k = _turned(q, state.position), _turned(k, state.position)
        new_keys[number].copy_(k)
        new_values[number].copy_(_by_head(v, sources, width, heads))
        mixed = _attend(q, all_keys[number], all_values[number], mask)
        layer.attention.outward.add_to(x, _merged(mixed, sources, width))
        x = x if pre else first(x)

        q = _by_head(layer.cross.query(second(x) if pre else x), sources, width, heads)
        mixed = _attend(q, *state.cross[number], state.memory_mask)
        layer.cross.outward.add_to(x, _merged(mixed, sources, width))
        x = x if pre else second(x)

        layer.outer.add_to(x, layer.inner(third(x) if pre else x).relu_())
        x = x if pre else third(x)
    state.position += 1
    logits = model.output(model.decoder_norm(x))
    if logits.shape[1] > config.vocab_size:
        logits[:, config.vocab_size :] = -math.inf
    return logits


def _by_head(x: Tensor, sources: int, width: int, heads: int) -> Float[Tensor, "sources n_heads width d"]:
    if width == 1:
        return x.view(sources, heads, 1, -1)
    return x.view(sources, width, heads, -1).transpose(1, 2)


def _attend(q: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Float[Tensor, "sources_heads width d_v"]:
    """Mix the values of each source and head; keys lie turned on their side."""
    scores = torch.bmm(q.flatten(0, 1), keys)
    if mask is not None:
        scores.view(*q.shape[:3], -1).add_(mask)
    return torch.bmm(scores.softmax(-1), values)


def _turned(x: Tensor, position: int) -> Tensor:
    """Rotary positions, of prefixes that all stand at the same place."""
    return rotate_by_position(x.unsqueeze(3), position).squeeze(3)


def _merged(x: Float[Tensor, "sources_heads width d"], sources: int, width: int) -> Float[Tensor, "rows d_model"]:
    """Heads side by side again, a row per prefix."""
    if width == 1:
        return x.view(sources, -1)
    return x.unflatten(0, (sources, -1)).transpose(1, 2).reshape(sources * width, -1)
