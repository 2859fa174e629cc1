"""How long a translator takes to write 300 tokens of one sentence, and of sixteen side by side."""

import time
from typing import Any

import torch

from ...models.registry import PRESETS, build
from ...models.search_interface import SearchModel

QUESTION = "How much longer does it take to write 16 translations of 300 tokens side by side than to write one?"
CONFIGURATION = {
    "families": {"transformer": "small", "recurrent": "rnn-attention"},
    "rows": 16,
    "steps": 300,
    "src_len": 40,
    "max_len": 320,
    "repeats": 3,
    "threads": 1,
}
SEEDS = [0, 1, 2]


@torch.inference_mode()
def seconds(model: SearchModel, rows: int, steps: int, src_len: int) -> float:
    """Processor time of encoding ``rows`` sources and taking the decoder through ``steps`` tokens of each."""
    first = model.config.eos_id + 2  # an ordinary token
    src = torch.randint(first, model.config.vocab_size, (rows, src_len))
    tokens = torch.randint(first, model.config.vocab_size, (steps, rows))
    began = time.process_time()
    state = model.start(model.encode(src))
    for row in tokens:
        _, state = model.step(row, state)
    return time.process_time() - began


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Time the small model of each family, with random parameters, one sentence and many taking turns.

    Returns:
        For each family ``FAMILY_one`` and ``FAMILY_many``: the least processor time of the repeats, in seconds, so that
        other work on the machine counts little; and ``FAMILY_ratio`` of the two. Nothing is trained.
    """
    rows, steps, src_len = (configuration[name] for name in ("rows", "steps", "src_len"))
    threads = torch.get_num_threads()
    torch.set_num_threads(configuration["threads"])
    metrics: dict[str, Any] = {"tokens": 0}
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            for family, preset in configuration["families"].items():
                model = build(PRESETS[preset](max_len=configuration["max_len"])).eval()
                seconds(model, rows, 5, src_len)  # warms up
                times = [(seconds(model, 1, steps, src_len), seconds(model, rows, steps, src_len))
                         for _ in range(configuration["repeats"])]  # fmt: skip
                one, many = (min(found) for found in zip(*times, strict=True))
                metrics |= {f"{family}_one": round(one, 3), f"{family}_many": round(many, 3)}
                metrics[f"{family}_ratio"] = round(many / one, 3)
    finally:
        torch.set_num_threads(threads)
    return metrics
