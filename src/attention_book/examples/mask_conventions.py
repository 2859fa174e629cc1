"""How others write a mask, and how to find out which way a layer reads it without trusting its documentation.

In this book a mask is boolean and True means "may attend". Elsewhere True may mean the opposite, or a mask is a table
of numbers that is added to the scores.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..analysis.information_flow import leak_matrix


def as_added(
    mask: Bool[Tensor, "*shape"], dtype: torch.dtype = torch.float32, hidden: float = -math.inf
) -> Float[Tensor, "*shape"]:
    """A mask as numbers to be added to the scores: 0 where a query may attend, ``hidden`` where it may not.

    Args:
        mask: True where a query may attend to a key.
        dtype: type of the numbers, that of the queries.
        hidden: what a forbidden score is lowered by; −∞, or some libraries' large finite number.

    Raises:
        RuntimeError: if ``dtype`` has no number as large as ``hidden``, as float16 for −10⁹.

    Pitfall: a row in which everything is lowered by the same finite number is a row in which nothing is hidden.
    """
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, hidden)


def stripes(length: int) -> Bool[Tensor, "length length"]:
    """A mask for asking questions: True where query and key are an even distance apart.

    From a length of 4 on, every row has a True and a False beside the diagonal, so no row is empty in either reading.
    """
    place = torch.arange(length)
    return (place[:, None] - place[None, :]) % 2 == 0


@dataclass(frozen=True)
class Flow:
    """What comes through a mask: the largest derivatives of an output with respect to another position's input.

    Attributes:
        marked_true: over the cells where the mask is True.
        marked_false: over the cells where it is False.
    """

    marked_true: float
    marked_false: float

    @property
    def true_means(self) -> str:
        """What True meant: "keep", "drop", or "nothing" if both kinds of cells let something through, or neither."""
        if (self.marked_true > 0) == (self.marked_false > 0):
            return "nothing"
        return "keep" if self.marked_true > 0 else "drop"


def flow_through(
    attend: Callable[[Tensor, Tensor], Tensor], mask: Bool[Tensor, "length length"], width: int = 8, seed: int = 0
) -> Flow:
    """Hand a mask to somebody's self-attention and measure what comes through its cells.

    Args:
        attend: takes a sequence (length, width) and a boolean mask (length, length), returns a sequence; whatever else
            its library wants (a batch axis, numbers for booleans) it must do itself.
        mask: the mask; :func:`stripes` leaves no row empty.
        width: numbers in the vector of a position.
        seed: of the random input, in double precision.

    Returns:
        The largest derivatives in either kind of cell. The diagonal is left out: every output feels its own input,
        from which its query is made.
    """
    x = torch.randn(len(mask), width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    matrix = leak_matrix(lambda x: attend(x, mask), x)
    other = ~torch.eye(len(mask), dtype=torch.bool)
    return Flow(float(matrix[mask & other].max()), float(matrix[~mask & other].max()))
