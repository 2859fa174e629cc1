"""Ways to score a target that is known: one pass over it, a pass over each prefix, or steps that keep keys and values.

:func:`one_pass` and :func:`prefix_passes` score every position they compute; :func:`steps_keeping` scores each next
token once, as a search does, and keeps what it is told to keep.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ..attention.cache import DecoderCache
from ..attention.masks import causal_mask
from ..models.transformer import Memory, Transformer

Target = Int[Tensor, "batch length"]
Scores = Float[Tensor, "batch length vocab_size"]


def one_pass(model: Transformer, memory: Memory, tgt: Target) -> Scores:
    """Score every next token at once, as training does."""
    return F.log_softmax(model.decode(tgt, memory), dim=-1)


def prefix_passes(model: Transformer, memory: Memory, tgt: Target) -> Scores:
    """Score the next token after each prefix, one prefix after the other."""
    last = [model.decode(tgt[:, : i + 1], memory)[:, -1] for i in range(tgt.shape[1])]
    return F.log_softmax(torch.stack(last, dim=1), dim=-1)


def cached_steps(model: Transformer, memory: Memory, tgt: Target) -> Scores:
    """Feed one token after the other and keep the keys and values of those before, as a search does."""
    state, rows = model.start(memory), []
    for tokens in tgt.T:
        log_probs, state = model.step(tokens, state)
        rows.append(log_probs)
    return torch.stack(rows, dim=1)


def steps_keeping(model: Transformer, memory: Memory, tgt: Target, own: bool, source: bool) -> Scores:
    """Feed one token after the other, and keep keys and values from step to step or compute them anew.

    Args:
        model: in evaluation mode.
        memory: of the sources.
        tgt: ids without padding, starting with ``<s>``.
        own: keep those of the target so far. Otherwise every step computes all positions of the prefix.
        source: keep those of the memory. Otherwise every step computes them from the memory.
    """
    n_layers, rows = model.config.n_layers, []
    kept = DecoderCache.empty(n_layers)
    for last in range(tgt.shape[1]):
        fresh = DecoderCache.empty(n_layers)
        cache = DecoderCache(
            kept.self_attention if own else fresh.self_attention,
            kept.cross_attention if source else fresh.cross_attention,
        )
        first = last if own else 0
        x = model._embed(model.tgt_embedding, tgt[:, first : last + 1], first)
        mask = causal_mask(last + 1 - first, last + 1)
        states, _ = model.decoder(x, memory.states, mask, memory.mask, cache)
        rows.append(F.log_softmax(model.output(states[:, -1]), dim=-1))
    return torch.stack(rows, dim=1)
