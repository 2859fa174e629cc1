"""Decoding with and without a cache: processor time over the length of the target and over the batch."""

import os
import time
from typing import Any

import torch

from ...translation.forced_decoding import steps_keeping
from ...translation.translator import Translator

QUESTION = "How much processor time does each kind of cache save, over the length of the target and over the batch?"
CONFIGURATION = {
    "translator": "en-es",
    "src_len": 12,
    "lengths": [4, 8, 16, 32, 64],
    "batches": [1, 16],
    "ways": {"nothing": [False, False], "source": [False, True], "own": [True, False], "both": [True, True]},
    "repeats": 2,
    "threads": 1,
}
"""``ways`` says what each keeps: the keys and values of the target so far, and those of the source."""
SEEDS = [0, 1, 2]


@torch.inference_mode()
def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Feed the same random tokens in every way, the ways taking turns.

    Returns:
        For each batch and way ``BATCH/WAY_ms``: a list of processor times in milliseconds for each length; and
        ``BATCH/WAY_difference``: for each length the largest difference of its log-probabilities from those of the
        way that keeps nothing. ``load`` is the machine's, before and after. Nothing is trained.
    """
    c = configuration
    model = Translator.from_pretrained(c["translator"]).model.eval()
    generator = torch.Generator().manual_seed(seed)
    found: dict[str, Any] = {"tokens": 0, "load": [os.getloadavg()[0]]}
    threads = torch.get_num_threads()
    torch.set_num_threads(c["threads"])

    def drawn(batch: int, length: int) -> torch.Tensor:
        return torch.randint(3, model.config.vocab_size, (batch, length), generator=generator)

    try:
        for batch in c["batches"]:
            memory = model.encode(drawn(batch, c["src_len"]))
            for length in c["lengths"]:
                tgt = drawn(batch, length)
                expected = steps_keeping(model, memory, tgt, own=False, source=False)
                for way, (own, source) in c["ways"].items():  # also warms up
                    scores = steps_keeping(model, memory, tgt, own=own, source=source)
                    difference = (scores - expected).abs().max().item()
                    found.setdefault(f"{batch}/{way}_difference", []).append(difference)
                    found.setdefault(f"{batch}/{way}_ms", []).append([])
                for _ in range(c["repeats"]):
                    for way, (own, source) in c["ways"].items():
                        began = time.process_time()
                        steps_keeping(model, memory, tgt, own=own, source=source)
                        spent = 1000 * (time.process_time() - began)
                        found[f"{batch}/{way}_ms"][-1].append(round(spent, 3))
    finally:
        torch.set_num_threads(threads)
    found["load"].append(os.getloadavg()[0])
    return found
