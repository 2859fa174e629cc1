"""A control of *english-hindi*: the table of English pieces is copied from the parent, and no layer.

Every other choice is that of *english-hindi*, so its scores with the same seed stand beside these.
"""

from typing import Any

import torch

from ...training.trainer import keep_freed_memory
from . import english_hindi

QUESTION = "Does Hindi need the layers that read English, or would the table of English pieces do?"
CONFIGURATION = english_hindi.CONFIGURATION | {"starts": {"English table": ["src_embedding"]}}
"""``starts`` as in *english-hindi*."""
SEEDS = [1]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Train from the table; one thread throughout.

    Returns:
        ``tokens`` trained on; ``starts``: what `english_hindi.run_point` gives for the one that there is.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_freed_memory()
    try:
        starts = {name: english_hindi.run_point(seed, name, configuration) for name in configuration["starts"]}
    finally:
        torch.set_num_threads(threads)
    return {"tokens": sum(point["tokens"] for point in starts.values()), "starts": starts}
