"""Which number ends up in which head, and in which row: reshapes with and without their transpose, by name."""

import torch
from torch import Tensor

from ...attention.multi_head import merge_heads, split_heads
from ...examples.two_heads_by_hand import TOKENS
from ...examples.wrong_heads import merge_without_transpose, split_without_transpose

NAMES = tuple(f"{word}.{column}" for word in TOKENS for column in (0, 1))
"""Three words of two columns, in the order in which they lie."""
SPLIT_HEADER = ("", "split, then transpose", "view only")
MERGE_HEADER = ("", "transpose, then reshape", "reshape only")
Rows = list[tuple[str, str, str]]


def called(places: Tensor) -> str:
    """The names of some numbers, in their order."""
    return ", ".join(NAMES[int(i)] for i in places.flatten())


def _places() -> Tensor:
    return torch.arange(len(NAMES), dtype=torch.float64).reshape(1, len(TOKENS), 2)


def split_rows() -> Rows:
    """What each of two heads holds, for :data:`SPLIT_HEADER`."""
    right, wrong = split_heads(_places(), 2)[0], split_without_transpose(_places(), 2)[0]
    return [(f"head {i} holds", called(right[i]), called(wrong[i])) for i in (0, 1)]


def merge_rows() -> Rows:
    """What each row holds after the heads were cut rightly, for :data:`MERGE_HEADER`."""
    heads = split_heads(_places(), 2)
    right, wrong = merge_heads(heads)[0], merge_without_transpose(heads)[0]
    return [(f"the row of {word}", called(right[i]), called(wrong[i])) for i, word in enumerate(TOKENS)]
