"""What 32 heads of one number lack: each arm widens their keys alone, or their values alone, or neither.

The tables, the questions, the training and the measurement are those of `two_lookups`, for one row of numbers. The arm
that widens neither is the layer with 32 heads of that experiment.
"""

from typing import Any

import torch

from ...attention.multi_head import MultiHeadAttention
from . import two_lookups

QUESTION = "Which is too narrow in 32 heads that are one number wide, the key or the value?"
CONFIGURATION = {
    **{name: two_lookups.CONFIGURATION[name] for name in ("rows", "content", "d_model", "batch", "held_out")},
    "arms": {"both": [1, 1], "wider_values": [1, 4], "wider_keys": [4, 1]},
    "kind": "numbers",
    "lookups": 1,
    "heads": 32,
    "steps": 1000,
    "learning_rate": 1e-2,
}
SEEDS = two_lookups.SEEDS


def lookup_of(d_k: int, d_v: int, seed: int, configuration: dict[str, Any]) -> two_lookups.Lookup:
    """The model of `two_lookups` with queries and keys that are ``d_k`` wide in each head, and values of ``d_v``."""
    width, n_heads = configuration["d_model"], configuration["heads"]
    sizes = {name: configuration[name] for name in ("rows", "content", "d_model", "lookups")}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = two_lookups.Lookup(**sizes, n_heads=n_heads)
        if (d_k, d_v) != (width // n_heads, width // n_heads):
            model.attention = MultiHeadAttention(width, n_heads, d_k, d_v)
    return model


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train every arm and measure it on tables that are new to it.

    Returns:
        ``ARM/loss``, the share of the variance that is left over, and ``ARM/parameters`` of the attention.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    metrics, tokens = {}, 0
    try:
        for arm, (d_k, d_v) in configuration["arms"].items():
            model = lookup_of(d_k, d_v, seed, configuration)
            tokens += two_lookups.train(model, seed + 1_000, configuration)
            metrics[f"{arm}/loss"] = two_lookups.examine(model, seed + 2_000, configuration)["loss"]
            metrics[f"{arm}/parameters"] = sum(p.numel() for p in model.attention.parameters())
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
