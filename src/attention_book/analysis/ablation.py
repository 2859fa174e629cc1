"""What a trained Transformer loses without a part: heads taken out, or weights of attention fixed beforehand."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import NamedTuple

import torch
from torch import Tensor

from ..attention.multi_head import MultiHeadAttention
from ..models.transformer import Transformer
from .recording import Call, recording

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
    with ExitStack() as hooks:
        for place, indices in removed.items():
            silence = _silencer(indices, places[place].d_v)
            hooks.enter_context(places[place].w_o.register_forward_pre_hook(silence))
        yield


def _silencer(heads: set[int], d_v: int):
    def silence(module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        joined = inputs[0].clone()  # (batch, length, h·d_v)
        for head in heads:
            joined[..., head * d_v : (head + 1) * d_v] = 0
        return (joined, *inputs[1:])

    return silence


WAYS = ("chosen", "even", "itself", "silent")


def _attentions_of(model: Transformer, use: str) -> list[MultiHeadAttention]:
    if use not in KINDS:
        raise ValueError(f"there is no use of attention called {use!r}; there are {', '.join(KINDS)}")
    return [attention for (kind, _), attention in attentions(model).items() if kind == use]


@contextmanager
def even_weights(model: Transformer, use: str) -> Iterator[None]:
    r"""Give every key that a query may attend to the same weight while the context lasts, in all layers and heads.

    The queries become 0. Then every score is 0, and softmax gives each of the :math:`n_i` allowed keys :math:`1/n_i`.

    Args:
        model: it is changed back at the end, whatever happens.
        use: one of `ablation.KINDS`: ``encoder_self``, ``decoder_self`` or ``cross``.

    Raises:
        ValueError: if there is no such use.

    Pitfall: values still arrive, averaged. To take away what attention brings, use `ablation.without_heads`.
    """
    with ExitStack() as hooks:
        for attention in _attentions_of(model, use):
            zeros = attention.w_q.register_forward_hook(lambda module, inputs, queries: torch.zeros_like(queries))
            hooks.enter_context(zeros)
        yield


@contextmanager
def own_weights(model: Transformer, use: str) -> Iterator[None]:
    """Let every position attend to itself alone while the context lasts: the weights are the identity matrix.

    Each head's output is then the position's own value, so the joined heads are what ``w_v`` gave.

    Args:
        model: it is changed back at the end, whatever happens.
        use: ``encoder_self`` or ``decoder_self``.

    Raises:
        ValueError: for ``cross``, whose queries are not among its keys, or an unknown use.
    """
    if use == "cross":
        raise ValueError("in cross-attention the queries are not among the keys: no position can attend to itself")
    attentions = _attentions_of(model, use)
    with recording(*(attention.w_v for attention in attentions)) as calls, ExitStack() as hooks:
        for attention in attentions:
            hooks.enter_context(attention.w_o.register_forward_pre_hook(_giving(calls[attention.w_v])))
        yield


def _giving(values: list[Call]) -> Callable:
    def give(module, inputs: tuple[Tensor, ...]) -> tuple[Tensor]:
        return (values.pop().output,)  # (batch, length, h·d_v), of this pass; taken away, so that a record stays short

    return give


def fixed(model: Transformer, use: str, way: str):
    """One of the four `WAYS` as a context: ``chosen`` (nothing changes), ``even``, ``itself``, ``silent``.

    Silent means that all heads are removed: the attention adds its bias and nothing else.

    Raises:
        ValueError: if there is no such use or way.
    """
    _attentions_of(model, use)
    if way not in WAYS:
        raise ValueError(f"there is no way called {way!r}; there are {', '.join(WAYS)}")
    if way == "silent":
        return without_heads(model, [head for head in heads_of(model) if head.kind == use])
    if way == "chosen":
        return nullcontext()
    return {"even": even_weights, "itself": own_weights}[way](model, use)
