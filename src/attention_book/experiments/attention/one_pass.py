"""Three ways to score a target that is known: one pass over it, a pass over each of its prefixes, or cached steps."""

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...models.config import TransformerConfig
from ...models.transformer import Memory, Transformer
from ...translation.forced_decoding import cached_steps, one_pass, prefix_passes

QUESTION = "How much faster is one forward pass over a target of T tokens than T passes over its prefixes?"
CONFIGURATION = {"preset": "small", "src_len": 12, "lengths": [4, 8, 16, 32, 64, 128], "repeats": 5, "threads": 1}
SEEDS = [0, 1, 2, 3, 4]


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
