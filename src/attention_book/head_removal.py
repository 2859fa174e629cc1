"""Taking heads out of a trained Transformer: their outputs become zero before W^O, and nothing else changes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from torch import Tensor

from .multi_head import MultiHeadAttention
from .transformer import Transformer

KINDS = ("encoder_self", "decoder_self", "cross")


class Head(NamedTuple):
    """Where a head is: which of the three attentions, which layer, which head of it, counted from 0."""

    kind: str
    layer: int
    head: int


def attentions(model: Transformer) -> dict[tuple[str, int], MultiHeadAttention]:
    """Every attention of a model by its kind, one of `KINDS`, and its layer."""
    found = {("encoder_self", n): layer.self_attention for n, layer in enumerate(model.encoder.layers)}
    found |= {("decoder_self", n): layer.self_attention for n, layer in enumerate(model.decoder.layers)}
    return found | {("cross", n): layer.cross_attention for n, layer in enumerate(model.decoder.layers)}


def heads_of(model: Transformer) -> list[Head]:
    """Every head of a model."""
    return [Head(*place, head) for place, attention in attentions(model).items() for head in range(attention.n_heads)]


@contextmanager
def without_heads(model: Transformer, heads: Iterable[Head]) -> Iterator[None]:
    r"""Silence heads while the context lasts.

    The output of attention is :math:`\sum_i \text{head}_i W_i^O + b`, where :math:`W_i^O` holds d_v rows of W^O. A
    removed head contributes 0 to the sum; the bias stays, and the other heads' weights are those they would have had.

    Args:
        model: it is changed back at the end, whatever happens.
        heads: which to silence.

    Raises:
        ValueError: if there is no such head.

    Pitfall: nobody has retrained the model, so what is measured is how much it relies on a head, and not how well a
    model could do that never had it.
    """
    places, removed = attentions(model), {}
    for head in heads:
        place = (head.kind, head.layer)
        if place not in places or not 0 <= head.head < places[place].n_heads:
            raise ValueError(f"there is no {head}")
        removed.setdefault(place, set()).add(head.head)
    hooks = []
    try:
        for place, indices in removed.items():
            hooks.append(places[place].w_o.register_forward_pre_hook(_silencer(indices, places[place].d_v)))
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _silencer(heads: set[int], d_v: int):
    def silence(module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        joined = inputs[0].clone()  # (batch, length, h·d_v)
        for head in heads:
            joined[..., head * d_v : (head + 1) * d_v] = 0
        return (joined, *inputs[1:])

    return silence
