"""Three ways to score a target that is known: one pass over it, a pass over each prefix, or cached steps."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

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
