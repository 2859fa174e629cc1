"""Attention that no longer chooses: in a trained Transformer, one use of attention gets weights fixed beforehand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch

from .head_removal import KINDS, attentions, heads_of, without_heads
from .multi_head import MultiHeadAttention
from .transformer import Transformer

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
        use: one of `head_removal.KINDS`: ``encoder_self``, ``decoder_self`` or ``cross``.

    Raises:
        ValueError: if there is no such use.

    Pitfall: values still arrive, averaged. To take away what attention brings, use `head_removal.without_heads`.
    """
    hooks = [
        attention.w_q.register_forward_hook(
            lambda module, inputs, queries: torch.zeros_like(queries),
        )
        for attention in _attentions_of(model, use)
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


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
    hooks = []
    try:
        for attention in _attentions_of(model, use):
            values: dict = {}
            hooks.append(attention.w_v.register_forward_hook(_keeping(values)))
            hooks.append(attention.w_o.register_forward_pre_hook(_given(values)))
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _keeping(kept: dict) -> Callable:
    def keep(module, inputs, output):
        kept["values"] = output  # (batch, length, h·d_v)

    return keep


def _given(kept: dict) -> Callable:
    def give(module, inputs):
        return (kept["values"],)

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
