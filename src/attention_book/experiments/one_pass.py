"""Three ways to score a target that is known: one pass over it, a pass over each of its prefixes, or cached steps."""

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ..config import TransformerConfig
from ..transformer import Memory, Transformer

QUESTION = "How much faster is one forward pass over a target of T tokens than T passes over its prefixes?"
CONFIGURATION = {"preset": "small", "src_len": 12, "lengths": [4, 8, 16, 32, 64, 128], "repeats": 5, "threads": 1}
SEEDS = [0, 1, 2, 3, 4]

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


WAYS: dict[str, Callable[[Transformer, Memory, Tensor], Tensor]] = {
    "one_pass": one_pass,
    "prefix_passes": prefix_passes,
    "cached_steps": cached_steps,
}


@torch.inference_mode()
def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Time the three ways on a model with random weights, the ways taking turns.

    Returns:
        For each way ``WAY_ms``: one list of processor times in milliseconds for each length, so that other work on the
        machine counts little; and ``WAY_difference``: for each length the largest difference of its log-probabilities
        from those of one pass. Nothing is trained.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(configuration["threads"])
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            model = Transformer(getattr(TransformerConfig, configuration["preset"])()).eval()
            vocabulary = torch.arange(3, model.config.vocab_size)
            memory = model.encode(vocabulary[torch.randint(len(vocabulary), (1, configuration["src_len"]))])
            targets = [vocabulary[torch.randint(len(vocabulary), (1, n))] for n in configuration["lengths"]]
        times = {way: [[] for _ in targets] for way in WAYS}
        differences = {way: [] for way in WAYS}
        for place, tgt in enumerate(targets):
            expected = one_pass(model, memory, tgt)
            for way, score in WAYS.items():  # also warms up
                differences[way].append((score(model, memory, tgt) - expected).abs().max().item())
            for _ in range(configuration["repeats"]):
                for way, score in WAYS.items():
                    began = time.process_time()
                    score(model, memory, tgt)
                    times[way][place].append(round(1000 * (time.process_time() - began), 3))
    finally:
        torch.set_num_threads(threads)
    return {
        "tokens": 0,
        **{f"{way}_ms": rows for way, rows in times.items()},
        **{f"{way}_difference": found for way, found in differences.items()},
    }
