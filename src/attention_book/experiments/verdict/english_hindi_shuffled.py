"""A control of *english-hindi*: all layers copied from a parent whose numbers are out of place.

Every other choice is that of *english-hindi*, so its scores with the same seed stand beside these.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

from ...training.trainer import keep_freed_memory
from ...translation.translator import Translator
from . import english_hindi

QUESTION = "Does Hindi need what the layers learnt, or would numbers of the same size do?"
CONFIGURATION = english_hindi.CONFIGURATION | {
    "starts": {"shuffled": english_hindi.CONFIGURATION["starts"]["all layers"]},
}
"""``starts`` as in *english-hindi*; the parent's numbers are shuffled within each of its matrices and vectors."""
SEEDS = [1]


@torch.no_grad()
def shuffle_(model: nn.Module, seed: int) -> None:
    """Put the numbers of each parameter in an order that the seed draws, in place; a shared one is shuffled once."""
    draw = torch.Generator().manual_seed(random.Random(f"out of place, {seed}").getrandbits(31))
    for parameter in model.parameters():
        values = parameter.flatten()
        parameter.copy_(values[torch.randperm(values.numel(), generator=draw)].view_as(parameter))


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train from the shuffled parent; one thread throughout.

    Returns:
        ``tokens`` trained on; ``starts``: what `english_hindi.run_point` gives for the one that there is.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        with TemporaryDirectory() as folder:
            parent = Translator.from_pretrained(c["parent"]["model"])
            shuffle_(parent.model, seed)
            parent.save(Path(folder))
            changed = c | {"parent": c["parent"] | {"model": folder}}
            starts = {name: english_hindi.run_point(seed, name, changed) for name in c["starts"]}
    finally:
        torch.set_num_threads(threads)
    return {"tokens": sum(point["tokens"] for point in starts.values()), "starts": starts}
