"""Random inputs for checks, the same for every reader: numbers drawn by a seed, and models that are made by one."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


class Normal:
    """Draws numbers from N(0, 1), in 64 bits: ``normal = Normal(3)``, then ``q, k = normal(2, 4, 8)``.

    Attributes:
        generator: what the numbers come from, for draws of another kind between them.
    """

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw from torch's own generator by a seed, and leave it afterwards as the reader had it."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
