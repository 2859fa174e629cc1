"""A query that may attend to nothing, in every number type and by every way of hiding: what comes out of it?

The ways are those that libraries use. Some write a number in place of the hidden scores, some add a number to them; the
number is −∞, −10⁹, or the smallest that the type has.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from ..attention.probability import softmax
from .mask_conventions import as_added

TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
HIDDEN: Mapping[str, Callable[[torch.dtype], float]] = {
    "−∞": lambda dtype: -math.inf,
    "−10⁹": lambda dtype: -1e9,
    "smallest number": lambda dtype: torch.finfo(dtype).min,
}


def _filled(normalise: Callable) -> Callable:
    def way(scores: Tensor, value: float) -> Tensor:
        return normalise(scores.masked_fill(torch.ones_like(scores, dtype=torch.bool), value), -1)

    return way


def _added(scores: Tensor, value: float) -> Tensor:
    return torch.softmax(scores + torch.full_like(scores, value), -1)


def _added_in_torchs_attention(scores: Tensor, value: float) -> Tensor:
    one = torch.ones(1, 1, 1, dtype=scores.dtype)  # a query of 1 and d_k = 1: the keys are the scores, the values count
    keys, values = scores.T[None], torch.eye(scores.shape[1], dtype=scores.dtype)[None]
    return F.scaled_dot_product_attention(one, keys, values, attn_mask=torch.full_like(scores, value))[0]


WAYS: Mapping[str, Callable[[Tensor, float], Tensor]] = {
    "written in, torch.softmax": _filled(torch.softmax),
    "written in, this book's softmax": _filled(softmax),
    "added, torch.softmax": _added,
    "added, torch's attention": _added_in_torchs_attention,
}


@dataclass(frozen=True)
class EmptyRow:
    """What one way of hiding does to a row of which everything is hidden.

    Attributes:
        weights: "zeros", "NaN", "uniform", "as if unmasked", "other", or the name of the error that was raised.
        gradients: "finite" or "NaN": those of the values, which training carries to W^V; "" after an error.
    """

    weights: str
    gradients: str


def empty_row(way: Callable[[Tensor, float], Tensor], value: float, scores: Float[Tensor, "1 k_len"]) -> EmptyRow:
    """Hide all keys of one query and look.

    Args:
        way: takes scores and a number, and hides every key by it; one of `WAYS`.
        value: the number.
        scores: what the scores were, not all equal; their type is that of the computation.
    """
    try:
        weights = way(scores, value)
    except RuntimeError as error:
        return EmptyRow(type(error).__name__, "")
    values = torch.ones(scores.shape[1], 2, dtype=scores.dtype, requires_grad=True)
    (weights @ values).sum().backward()
    return EmptyRow(_named(weights[0], scores[0]), "finite" if values.grad.isfinite().all() else "NaN")


def _named(weights: Tensor, scores: Tensor) -> str:
    if weights.isnan().any():
        return "NaN"
    known = {
        "zeros": torch.zeros_like(weights),
        "uniform": torch.full_like(weights, 1 / len(weights)),
        "as if unmasked": torch.softmax(scores.double(), -1),
    }
    close = [name for name, wanted in known.items() if torch.allclose(weights.double(), wanted.double(), atol=2e-3)]
    return close[0] if close else "other"


def rows_by_type(scores: Float[Tensor, "1 k_len"]) -> list[tuple[str, ...]]:
    """What each way of hiding makes of an empty row: a row per number and way, a column per type of `TYPES`."""
    rows = []
    for way, fn in WAYS.items():
        for hidden, value in HIDDEN.items():
            outcomes = [empty_row(fn, value(dtype), scores.to(dtype)).weights for dtype in TYPES]
            rows.append((f"{hidden} {way}", *(said.replace("RuntimeError", "error") for said in outcomes)))
    return rows


def same_bits_as_infinity(hidden: float = -1e9, n: int = 20) -> tuple[int, int]:
    """If one of three keys is hidden by a finite number, are the weights those under −∞, bit for bit?

    The scores are ``n`` random rows of deviation 1, 100 and 10 000 in each type but float16; the number is written in
    place of the score, and added to it.

    Returns:
        How many rows of weights are the same, and how many there are.
    """
    allowed, draw = torch.tensor([True, True, False]), torch.Generator().manual_seed(0)
    drawn = [(scale * torch.randn(n, 3, generator=draw)).to(t) for scale in (1, 100, 10_000) for t in TYPES[1:]]
    same = 0
    for scores in drawn:
        wanted = torch.softmax(scores.masked_fill(~allowed, -math.inf), -1)
        written = torch.softmax(scores.masked_fill(~allowed, hidden), -1)
        added = torch.softmax(scores + as_added(allowed, scores.dtype, hidden), -1)
        same += sum(int((weights == wanted).all(-1).sum()) for weights in (written, added))
    return same, 2 * n * len(drawn)
