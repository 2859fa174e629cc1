"""What a decoder takes from the source: keys and values that are not the memory, and which layers choose the noun."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, combinations, permutations

import torch
from torch import Tensor

from ...analysis.attention_by_use import keys_and_values
from ...models.search_interface import inference
from ...models.transformer import Transformer
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


@contextmanager
def another_memory(model: Transformer, memory: Tensor, layers: Sequence[int]) -> Iterator[None]:
    """Let the cross-attentions of some decoder layers read another memory while the context lasts.

    Args:
        model: it is changed back at the end, whatever happens.
        memory: of a source with as many tokens as the one that the other layers read, since the mask is that one's.
        layers: counted from 0.
    """
    made = keys_and_values(model, memory)
    with ExitStack() as hooks:
        for n in layers:
            attention = model.decoder.layers[n].cross_attention
            for project, rows in zip((attention.w_k, attention.w_v), made[n], strict=True):
                hooks.enter_context(project.register_forward_hook(lambda module, inputs, own, rows=rows: rows))
        yield


def exchanged(translator: Translator, own: str, other: str, layers: Sequence[int]) -> tuple[float, float]:
    """After *Me gustan los*: what a noun of the source gets and what another one gets, of which some layers read.

    Args:
        translator: whose decoder is asked.
        own: one of `NOUNS`; the source has it.
        other: another one; the cross-attentions of `layers` read the same sentence with this noun in its place.
        layers: of the decoder, counted from 0.
    """
    memory, _ = _memory_and_readings(translator, f"I like {NOUNS[other]}.")
    source = f"I like {NOUNS[own]}."
    with inference(translator.model), another_memory(translator.model, memory, layers):
        return tuple(chance_of(translator, source, "Me gustan los", noun) for noun in (own, other))


def exchange_rows(translator: Translator) -> list[tuple[str, str, str]]:
    """A row per set of layers that read of dogs while the others read of cats: the layers, and what each noun gets."""
    rows, n_layers = [], translator.model.config.n_layers
    for layers in chain.from_iterable(combinations(range(n_layers), k) for k in range(n_layers + 1)):
        name = "all" if len(layers) == n_layers else " and ".join(map(str, layers)) or "none"
        rows.append((name, *(f"{p:.3f}" for p in exchanged(translator, "gatos", "perros", layers))))
    return rows


def exchange_numbers(translator: Translator) -> dict[str, float | int]:
    """In how many exchanges the other noun gets more than the noun of the source, by name: of one layer and of two.

    ``layer_2_own`` and ``layer_2_other`` are what *gatos* and *perros* get if layer 2 alone reads of the dogs.
    """
    pairs, layers = list(permutations(NOUNS, 2)), range(translator.model.config.n_layers)
    sets = {name: list(combinations(layers, k)) for name, k in (("one", 1), ("two", 2))}
    cases = {name: [exchanged(translator, *pair, some) for pair in pairs for some in sets[name]] for name in sets}
    won = {f"{name}_won": sum(other > own for own, other in found) for name, found in cases.items()}
    own, other = exchanged(translator, "gatos", "perros", [2])
    return {**won, "exchanges": len(cases["one"]), "layer_2_own": own, "layer_2_other": other}
