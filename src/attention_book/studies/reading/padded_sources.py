"""What the shipped translator makes of a source that is filled up with ``<pad>``: at its end, or in front of it.

Each row may hide the padding from all queries or not, and may count the places of its words from the first word or from
the first ``<pad>``.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ...models.transformer import Memory, Transformer
from ...translation import shipped_translator
from ...translation.decoding import greedy_decode


class Filling(NamedTuple):
    """How a source is filled up.

    Attributes:
        in_front: whether the padding stands before the words.
        hidden: whether a padding mask hides it, in the encoder and from the decoder.
        counted: whether the places are counted from the first word; matters in front only.
    """

    in_front: bool
    hidden: bool
    counted: bool = False


END, FRONT = Filling(False, False), Filling(True, False)
WAYS = {
    "end_open": END,
    "front_open": FRONT,
    "end_hidden": END._replace(hidden=True),
    "front_hidden": FRONT._replace(hidden=True),
    "front_counted": FRONT._replace(hidden=True, counted=True),
}


class _Remembering:
    """A model that has read its source already; a search may ask it."""

    def __init__(self, model: Transformer, memory: Memory):
        self.config, self.start, self.step, self.memory = model.config, model.start, model.step, memory

    def encode(self, src: Tensor) -> Memory:
        return self.memory


def _filled(
    model: Transformer, src: Int[Tensor, "1 length"], pads: int, way: Filling
) -> tuple[Float[Tensor, "1 padded d_model"], Bool[Tensor, "1 padded"]]:
    """One source, filled up: what enters the encoder, and which places may be attended to."""
    padding = torch.full((1, pads), model.config.pad_id)
    parts = [padding, src] if way.in_front else [src, padding]
    tokens = torch.cat(parts, dim=1)
    places = torch.arange(tokens.shape[1]) - (pads if way.in_front and way.counted else 0)
    states = model.src_embedding(tokens) * math.sqrt(model.config.d_model) + model.positions[places.clamp(min=0)]
    return states, (tokens != model.config.pad_id) | (not way.hidden)


def translations(text: str, pads: int, ways: Sequence[Filling]) -> list[str]:
    """A sentence, read with so many ``<pad>`` in each of the ways, and translated by greedy search."""
    model, subwords = shipped_translator.model(), shipped_translator.shipped().subwords
    src = shipped_translator.ids(text)
    with torch.no_grad():
        states, real = (torch.cat(rows) for rows in zip(*(_filled(model, src, pads, way) for way in ways), strict=True))
        mask = real[:, None, None, :]
        memory = Memory(model.encoder(states, mask)[0], mask)
    found = greedy_decode(_Remembering(model, memory), src.expand(len(ways), -1))
    return [subwords.decode([token for token in one.tokens if token != model.config.eos_id]) for one in found]


def alone(text: str) -> str:
    """The sentence, translated without any padding."""
    return translations(text, 0, [END])[0]


def open_rows(text: str, counts: Sequence[int]) -> list[tuple[str, str, str]]:
    """A row per number of ``<pad>``: the number, and the translation with them at the end and in front, unmasked."""
    return [(str(pads), *translations(text, pads, [END, FRONT])) for pads in counts]


def changed(texts: Sequence[str], pads: int) -> dict[str, int]:
    """How many sentences are translated otherwise than alone, by the name of each of `WAYS`."""
    found = dict.fromkeys(WAYS, 0)
    for text in texts:
        wanted = alone(text)
        for name, got in zip(WAYS, translations(text, pads, list(WAYS.values())), strict=True):
            found[name] += got != wanted
    return found
