"""Attention with a table and attention by tiles, beside torch's own: processor time and memory over the length."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch.nn.functional import scaled_dot_product_attention as attention_of_torch

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...attention.tiles import tiled_attention
from ...provenance.peak_memory import numpy_peak, torch_peak

QUESTION = (
    "How much time and memory does attention take by tiles, with its whole table, and in torch, over n positions?"
)
CONFIGURATION = {
    "lengths": [128, 256, 512, 1024, 2048, 4096, 8192],
    "width": 64,
    "tiles": [64, 256],
    "arms": ["all", "causal"],
    "repeats": 2,
    "threads": 1,
}
SEEDS = [0, 1, 2]
Drawn = Float[np.ndarray, "3 length width"]


def ways(drawn: Drawn, causal: bool, tiles: list[int]) -> dict[str, Callable[[], Float[np.ndarray, "length width"]]]:
    """The ways to compute one output from the same queries, keys and values, by name.

    ``table`` is this book's function, on NumPy arrays; ``tiles_64`` and so on is tiled attention with square tiles of
    that side; ``torch`` is torch's own function.
    """
    q, k, v = drawn

    def table():
        mask = causal_mask(len(q)) if causal else None
        return scaled_dot_product_attention(q, k, v, mask)[0]

    def by_torch():
        tensors = (torch.from_numpy(x)[None, None] for x in (q, k, v))
        return attention_of_torch(*tensors, is_causal=causal)[0, 0].numpy()

    by_tiles = {f"tiles_{n}": partial(tiled_attention, q, k, v, causal=causal, tile=(n, n)) for n in tiles}
    return {"table": table, **by_tiles, "torch": by_torch}


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Time all ways for each length, the ways taking turns, and measure the memory of each once.

    Returns:
        By arm and way: ``ARM_WAY_ms``, a list of processor times in milliseconds for each length;
        ``ARM_WAY_bytes``, the most memory held at one time, its output included; and ``ARM_WAY_difference``, the
        largest difference of its output from that of ``table``. Nothing is trained.
    """
    generator, found = np.random.default_rng(seed), {"tokens": 0}
    threads = torch.get_num_threads()
    torch.set_num_threads(configuration["threads"])
    try:
        for length in configuration["lengths"]:
            drawn = generator.standard_normal((3, length, configuration["width"])).astype(np.float32)
            for arm in configuration["arms"]:
                _measure(found, arm, ways(drawn, arm == "causal", configuration["tiles"]), configuration["repeats"])
    finally:
        torch.set_num_threads(threads)
    return found


def _measure(found: dict[str, Any], arm: str, calls: dict[str, Callable], repeats: int) -> None:
    """Add what one length and arm gave to what was found."""
    expected = calls["table"]()
    for way, call in calls.items():  # also warms up
        found.setdefault(f"{arm}_{way}_difference", []).append(float(np.abs(call() - expected).max()))
        found.setdefault(f"{arm}_{way}_bytes", []).append((torch_peak if way == "torch" else numpy_peak)(call))
        found.setdefault(f"{arm}_{way}_ms", []).append([])
    for _ in range(repeats):
        for way, call in calls.items():
            began = time.process_time()
            call()
            found[f"{arm}_{way}_ms"][-1].append(round(1000 * (time.process_time() - began), 3))
