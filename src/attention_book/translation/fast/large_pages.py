"""Numbers where a processor reads them soonest: side by side in large pages.

Memory comes in pages, mostly of 4 kB. Whoever reads a matrix of 8 MB from end to end meets two thousand of them, and a
processor has to look up where each lies. Linux gives pages of 2 MB if it is asked to; elsewhere nothing changes here.
"""

import contextlib
import mmap

import torch
from jaxtyping import Float

PAGE = 2 << 20
"""Bytes in a large page."""
_LINE = 16  # numbers in a line of a processor's cache: each tensor begins with one


def in_large_pages(tensors: list[Float[torch.Tensor, "..."]]) -> list[Float[torch.Tensor, "..."]]:
    """Copies of these tensors of float32, one behind the other in one block of memory, in large pages where there are.

    The block lives as long as one of the copies.
    """
    starts, numbers = [], 0
    for tensor in tensors:
        starts.append(numbers)
        numbers += -(-tensor.numel() // _LINE) * _LINE
    if hasattr(mmap, "MADV_HUGEPAGE"):
        block = mmap.mmap(-1, 4 * numbers + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with contextlib.suppress(OSError):  # a kernel without large pages
            block.madvise(mmap.MADV_HUGEPAGE)
        memory = torch.frombuffer(block, dtype=torch.float32)
    else:
        memory = torch.empty(numbers + PAGE // 4, dtype=torch.float32)
    first = -memory.data_ptr() % PAGE // 4
    copies = []
    for tensor, start in zip(tensors, starts, strict=True):
        place = memory[first + start : first + start + tensor.numel()]
        copies.append(place.view(tensor.shape).copy_(tensor))
    return copies
