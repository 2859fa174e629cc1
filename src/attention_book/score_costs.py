"""What a computation costs: the numbers that torch keeps until its gradient is taken, and the processor's time."""

import time
from collections.abc import Callable

import torch
from torch import Tensor


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
