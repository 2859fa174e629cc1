"""What a decoder takes from the source: keys and values that are not the memory, and the noun that stands there."""

import math
from collections.abc import Mapping
from itertools import chain

import torch
from torch import Tensor

from ...analysis.attention_by_use import keys_and_values
from ...models.search_interface import inference
from ...translation.token_probabilities import chance_of
from ...translation.translator import Translator

NOUNS = {"gatos": "cats", "perros": "dogs", "libros": "books"}


def _memory_and_readings(translator: Translator, sentence: str) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    subwords = translator.subwords
    source = torch.tensor([[*subwords.encode(sentence), subwords.eos_id]])
    with inference(translator.model):
        memory = translator.model.encode(source).states
        return memory, keys_and_values(translator.model, memory)


def memory_distances(translator: Translator, sentence: str) -> list[tuple[float, float, float]]:
    """By decoder layer, how far keys and values are from the memory E, and the keys from those of layer 0.

    Returns:
        Norms of differences as shares of the norm of E.
    """
    memory, made = _memory_and_readings(translator, sentence)
    share = lambda difference: float(difference.norm() / memory.norm())  # noqa: E731
    return [(share(k - memory), share(v - memory), share(k - made[0][0])) for k, v in made]


def distance_numbers(translator: Translator, sentence: str) -> dict[str, float | int]:
    """How many sequences of keys or values all layers make of the memory, and how unlike it they are, by name.

    Returns:
        ``n_made``; ``n_different``, how many of them differ from the memory and from each other; and ``smallest`` of
        the :func:`memory_distances` from the memory.
    """
    memory, made = _memory_and_readings(translator, sentence)
    different: list[Tensor] = []
    for reading in chain.from_iterable(made):
        if not any(torch.allclose(reading, other) for other in (memory, *different)):
            different.append(reading)
    smallest = min(distance for row in memory_distances(translator, sentence) for distance in row[:2])
    return {"n_made": 2 * len(made), "n_different": len(different), "smallest": smallest}


Chances = Mapping[str, list[float]]


def noun_chances(translator: Translator) -> dict[str, list[float]]:
    """After *Me gustan los*: what each of three nouns gets, by source, of which each has the noun in its place."""
    sources = [f"I like {english}." for english in NOUNS.values()]
    return {source: [chance_of(translator, source, "Me gustan los", noun) for noun in NOUNS] for source in sources}


def chance_rows(chances: Chances) -> list[tuple[str, ...]]:
    """A row per source."""
    return [(source, *(f"{p:.4f}" for p in row)) for source, row in chances.items()]


def chance_numbers(chances: Chances) -> dict[str, float]:
    """The least that a source gives to its own noun, rounded down to hundredths, and the most to another's, rounded up
    to ten-thousandths: printed with as many places, both are true bounds."""
    rows = list(chances.values())
    others = [p for n, row in enumerate(rows) for m, p in enumerate(row) if m != n]
    least = min(row[n] for n, row in enumerate(rows))
    return {"least_right": math.floor(100 * least) / 100, "most_wrong": math.ceil(1e4 * max(others)) / 1e4}
