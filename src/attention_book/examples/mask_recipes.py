"""Ways to hide keys from queries that explanations of attention give, and how well each of them hides.

Every recipe takes scores and a boolean mask and returns weights. Most of them do not do what a mask is for; they are
here to be measured. The package itself masks in `dot_product`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..analysis.seed_statistics import MINUS, NARROW, number
from ..attention.masks import leak
from ..attention.probability import softmax

Scores = Float[Tensor, "q_len k_len"]
Mask = Bool[Tensor, "q_len k_len"]


def times_one_or_zero(s: Scores, may: Mask) -> Scores:
    """softmax(S · M) cell by cell, M holding 1 and 0: a hidden score becomes 0, and e⁰ = 1."""
    return softmax(s * may)


def times_zero_or_infinity(s: Scores, may: Mask) -> Scores:
    """softmax(S · M) cell by cell, M holding 0 and −∞: allowed scores are lost, hidden ones become ±∞ or NaN."""
    return softmax(s * torch.zeros_like(s).masked_fill(~may, -math.inf))


def matrix_product(s: Scores, may: Mask) -> Scores:
    """softmax(S M) with a matrix product: sums of columns, of which none is hidden."""
    return softmax(s @ may.to(s.dtype))


def zero_weights(s: Scores, may: Mask) -> Scores:
    """Forbidden weights set to 0: the hidden scores stay in the denominator."""
    return softmax(s) * may


def zero_weights_and_divide(s: Scores, may: Mask) -> Scores:
    """The same, each row divided by what is left of its sum: the denominator cancels."""
    weights = softmax(s) * may
    return weights / weights.sum(dim=-1, keepdim=True)


def fill_with_minus_1e9(s: Scores, may: Mask) -> Scores:
    """−10⁹ in place of a hidden score."""
    return softmax(s.masked_fill(~may, -1e9))


def fill_with_minus_infinity(s: Scores, may: Mask) -> Scores:
    """−∞ in place of a hidden score (Vaswani et al. 2017, §3.2.3)."""
    return softmax(s.masked_fill(~may, -math.inf))


RECIPES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
    "no mask": lambda s, may: softmax(s),
    "S · M cell by cell, M of 1 and 0": times_one_or_zero,
    "S · M cell by cell, M of 0 and −∞": times_zero_or_infinity,
    "S M as a matrix product": matrix_product,
    "weights set to 0": zero_weights,
    "weights set to 0, rows divided by their sums": zero_weights_and_divide,
    "−10⁹ for the score": fill_with_minus_1e9,
    "−∞ for the score": fill_with_minus_infinity,
}
USUAL = [name for name in RECIPES if RECIPES[name] not in (times_zero_or_infinity, matrix_product)]
"""Their names, without two other readings of the product S M."""
NUMBERS = ("", "1. ", "2. ", "2. ", "3. ", "4. ")
"""The recipe that each of them is on the page; the division is an addition to the second."""
ROUNDING = 1e-12


@dataclass(frozen=True)
class Tightness:
    """The worst that a recipe did over several draws.

    Attributes:
        hidden_weight: the largest weight on a hidden key.
        row_sum: the smallest sum of a row of weights.
        leak: the largest derivative of an output with respect to a later input.
    """

    hidden_weight: float
    row_sum: float
    leak: float


def tightness(recipe: Callable[[Tensor, Tensor], Tensor], may: Mask, draws: int = 20, d_k: int = 8) -> Tightness:
    """Put a recipe into a self-attention with random inputs and projections, and see what shows through.

    Args:
        recipe: a function of scores and mask.
        may: the mask, square, True where a query may attend; causal, if the leak is to mean anything.
        draws: how many inputs and projections are drawn, always the same ones.
        d_k: width of inputs, queries, keys and values.

    Returns:
        The worst of all draws; NaN where any of them was NaN.
    """
    found = []
    for draw in range(draws):
        random = torch.Generator().manual_seed(draw)
        x = torch.randn(len(may), d_k, generator=random, dtype=torch.float64)
        w_q, w_k, w_v = torch.randn(3, d_k, d_k, generator=random, dtype=torch.float64) / math.sqrt(d_k)

        def weights(x, w_q=w_q, w_k=w_k):
            return recipe((x @ w_q) @ (x @ w_k).T / math.sqrt(d_k), may)

        now = weights(x)
        flow = leak(lambda x, weights=weights, w_v=w_v: weights(x) @ (x @ w_v), x)
        found.append([now[~may].max(), -now.sum(dim=-1).min(), torch.tensor(flow)])
    hidden, negative_sum, most = torch.tensor(found, dtype=torch.float64).amax(dim=0).tolist()
    return Tightness(hidden, -negative_sum, most)


def weights_rows(
    scores: Sequence[int | float], may: Sequence[bool], leaks: Mapping[str, float]
) -> list[tuple[str, ...]]:
    """A row per recipe of `USUAL`: its number and name, the weights that it gives one query, their sum, and its leak.

    Args:
        scores: of the query with each key.
        may: True where the query may attend.
        leaks: the leak of each recipe, by its name, as :func:`tightness` finds it.
    """
    rows = []
    for number_of, name in zip(NUMBERS, USUAL, strict=True):
        weights = RECIPES[name](torch.tensor([scores], dtype=torch.float64), torch.tensor([may]))[0].tolist()
        leaked = _short(leaks[name]) + " (rounding)" * (0 < leaks[name] < ROUNDING)
        rows.append((number_of + name, *map(_short, weights), _short(sum(weights)), leaked))
    return rows


def _short(value: float) -> str:
    """Two decimals, or one digit and a power of ten if nothing would be left."""
    if math.isnan(value):
        return "NaN"
    if value == 0 or abs(value) >= 0.005:
        return number(value, ".2f") if value else "0"
    digits, power = f"{value:.0e}".split("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits.replace('-', MINUS)}{NARROW}·{NARROW}10{raised}"
