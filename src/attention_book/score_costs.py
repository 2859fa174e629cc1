"""What a computation costs: the numbers that torch keeps until its gradient is taken, and the processor's time."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from .additive import additive_scores, dot_scores, general_scores


def numbers_kept(fn: Callable[..., object], *tensors: Tensor) -> int:
    """How many numbers torch keeps for the backward pass of ``fn(*tensors)``, the inputs that it needs among them.

    Each storage counts once, however many operations need it. An input that is kept is counted whole.

    Pitfall: this is what stays, not the most that is in memory at a time.
    """
    found: dict[int, tuple[Tensor, int]] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        size = storage.nbytes() // tensor.element_size()
        found[storage.data_ptr()] = (tensor, size)  # held, so that no address is used twice
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        result = fn(*tensors)  # held until all has been counted
    kept = sum(size for _, size in found.values())
    del result
    return kept


def processor_ms(fn: Callable[..., object], *tensors: Tensor, repeats: int = 12) -> float:
    """The least processor time of several calls without gradients, in milliseconds: other work counts little in it."""
    times = []
    with torch.no_grad():
        for _ in range(repeats):
            began = time.process_time()
            fn(*tensors)
            times.append(time.process_time() - began)
    return 1000 * min(times)


@dataclass(frozen=True)
class ScoreCosts:
    """What scores of n queries and n keys cost.

    Attributes:
        width: of queries and keys.
        kept: by score, what :func:`numbers_kept` counts for each n.
        spent: by score, what :func:`processor_ms` measures for each n.
        sizes: the numbers n, rising.
    """

    width: int
    kept: Mapping[str, list[int]]
    spent: Mapping[str, list[float]]
    sizes: Sequence[int]

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        both = ("numbers kept", "ms")
        return ["queries, keys", *(f"{kind}: {what}" for what in both for kind in self.kept)]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per n: numbers kept, then milliseconds, of each score."""
        return [
            (
                str(n),
                *(f"{found[place]:,}" for found in self.kept.values()),
                *(f"{found[place]:.2f}" for found in self.spent.values()),
            )
            for place, n in enumerate(self.sizes)
        ]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name; all is of the largest n."""
        n = self.sizes[-1]
        return {
            "cost_width": self.width,
            "cost_n": n,
            "time_ratio": self.spent["additive"][-1] / self.spent["general"][-1],
            "hidden_numbers": n * n * self.width,
        }


def score_costs(sizes: Sequence[int], width: int = 256) -> ScoreCosts:
    """What additive, general and dot scores cost on one thread, between random vectors of double precision.

    Args:
        sizes: numbers of queries, and as many keys, rising.
        width: of queries, keys and the additive score's hidden units.
    """
    kept, spent = ({kind: [] for kind in ("additive", "general", "dot")} for _ in range(2))
    random = partial(torch.randn, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        w_q, w_k = (random(width, width).div_(width**0.5).requires_grad_() for _ in range(2))
        v = random(width).requires_grad_()
        for n in sizes:
            q, k = (random(n, width).requires_grad_() for _ in range(2))
            calls = {
                "additive": (additive_scores, q, k, w_q, w_k, v),
                "general": (general_scores, q, k, w_q),
                "dot": (dot_scores, q, k),
            }
            for kind, call in calls.items():
                kept[kind].append(numbers_kept(*call))
                spent[kind].append(processor_ms(*call))
    finally:
        torch.set_num_threads(threads)
    return ScoreCosts(width, kept, spent, sizes)
