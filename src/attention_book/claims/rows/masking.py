"""F rows about masks: recipes for hiding a key, the number that stands for −∞, and the diagonal."""

import math
from typing import Any

import torch

from ...attention.masks import causal_mask
from ...attention.probability import softmax
from ...examples.mask_recipes import RECIPES, tightness
from ..claim import Claim, Verdict
from ..drawn import normal
from ..printed import in_tens

ROUNDING = 1e-12
LENGTH, DRAWS = 5, 3


def _tight(recipe: str) -> dict[str, float | str]:
    """What shows through a recipe for hiding a key; an outcome that is no number is named."""
    it = tightness(RECIPES[recipe], causal_mask(LENGTH), DRAWS)
    found = {"hidden_weight": it.hidden_weight, "row_sum": it.row_sum, "leak": it.leak}
    return {name: number if math.isfinite(number) else "NaN" for name, number in found.items()}


def multiplied_masks() -> dict[str, Any]:
    """F04: three readings of softmax(S · M), and their smallest case: two equal scores of 1, one of them hidden."""
    readings = {
        "cells_one_or_zero": "S · M cell by cell, M of 1 and 0",
        "cells_zero_or_infinity": "S · M cell by cell, M of 0 and −∞",
        "matrix_product": "S M as a matrix product",
    }
    smallest = RECIPES[readings["cells_one_or_zero"]](torch.ones(2, 2, dtype=torch.float64), causal_mask(2))
    return {"smallest_case": float(smallest[0, 1]), **{name: _tight(recipe) for name, recipe in readings.items()}}


def decide_multiplied_masks(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F04: no reading hides anything and keeps the scores."""
    ones, infinities, product = (value[name] for name in list(value)[1:])
    if any(reading["leak"] == 0 for reading in (ones, infinities, product)):
        return "right", "One of the readings hides the keys: its leak is 0."
    why = (
        "With M of 1 and 0 a hidden score becomes 0, and e⁰ = 1: of two equal scores of 1 the hidden one keeps "
        f"{value['smallest_case']:.3f} of the weight, and the leak is {ones['leak']:.2f}. A matrix product S M leaks "
        f"{product['leak']:.2f}, and cells of 0 and −∞ give {infinities['leak']}. The mask is added, as 0 and −∞."
    )
    return "wrong", why


def zeroed_weights() -> dict[str, Any]:
    """F05: weights set to 0 after the softmax, with and without dividing the rows by what is left."""
    scores = normal(LENGTH, LENGTH)
    divided, masked = (
        RECIPES[name](scores, causal_mask(LENGTH))
        for name in ("weights set to 0, rows divided by their sums", "−∞ for the score")
    )
    return {
        "zeroed": _tight("weights set to 0"),
        "no_mask": _tight("no mask"),
        "divided": _tight("weights set to 0, rows divided by their sums"),
        "divided_minus_masked": float((divided - masked).abs().max()),
    }


def decide_zeroed_weights(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F05: half of a recipe; the division is missing."""
    zeroed = value["zeroed"]
    if zeroed["leak"] == 0:
        return "right", "Weights set to 0 after the softmax leak nothing."
    repaired = value["divided_minus_masked"] < ROUNDING
    why = (
        f"The hidden scores stay in the denominator: rows then sum to as little as {zeroed['row_sum']:.2f}, and the "
        f"leak is {zeroed['leak']:.2f} (no mask at all: {value['no_mask']['leak']:.2f}). Divide the rows by their "
        f"sums, and the weights {'are' if repaired else 'are still not'} those of a mask, up to "
        f"{in_tens(value['divided_minus_masked'], 1)}."
    )
    return ("misleading" if repaired else "wrong"), why


def large_and_infinite() -> dict[str, Any]:
    """F06: −10⁹ against −∞ on ordinary rows, on a row with nothing to attend to, and in half precision."""
    scores = normal(LENGTH, LENGTH)
    billion, infinity = (RECIPES[name] for name in ("−10⁹ for the score", "−∞ for the score"))
    nobody = torch.zeros(1, 3, dtype=torch.bool)
    row = torch.tensor([[0.3, 1.2, -0.5]], dtype=torch.float64)
    try:
        row.half().masked_fill(~nobody, -1e9)
        fits = True
    except RuntimeError:
        fits = False
    differences = [
        float((billion(s, causal_mask(LENGTH)) - infinity(s, causal_mask(LENGTH))).abs().max())
        for s in (scores, scores.float())
    ]
    return {
        "largest_difference": max(differences),
        "empty_row_by_billion": billion(row, nobody)[0].tolist(),
        "empty_row_by_infinity": infinity(row, nobody)[0].tolist(),
        "nan_in_a_bare_softmax": int(torch.softmax(row.masked_fill(~nobody, -math.inf), dim=-1).isnan().sum()),
        "fits_float16": fits,
    }


def decide_large_and_infinite(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F06: as good, as long as a row has a key left and the numbers are wide enough."""
    if value["largest_difference"]:
        return "wrong", f"The weights differ by up to {value['largest_difference']:.2g}."
    empty = value["empty_row_by_billion"]
    if value["fits_float16"] and not any(empty):
        return "right", "The weights are equal, those of an empty row too."
    why = (
        "While a row has a key left the weights are equal to the last digit, in single and double precision. If all "
        f"{len(empty)} keys are hidden, −10⁹ gives each of them {empty[0]:.3f}, where −∞ gives NaN "
        f"({value['nan_in_a_bare_softmax']} of {len(empty)}) or, with this book's softmax, "
        f"{value['empty_row_by_infinity'][0]:.0f}; and float16 {'can' if value['fits_float16'] else 'cannot'} hold "
        "−10⁹."
    )
    return "misleading", why


def diagonals() -> dict[str, Any]:
    """F14: the causal mask's diagonal, and the first row with and without it."""
    may = causal_mask(LENGTH)
    strict = may.tril(diagonal=-1)
    row = torch.zeros(LENGTH).masked_fill(~strict[0], -math.inf)
    return {
        "positions": LENGTH,
        "may_attend_to_themselves": int(may.diagonal().sum()),
        "keys_of_the_first": int(may[0].sum()),
        "keys_of_the_first_without_the_diagonal": int(strict[0].sum()),
        "nan_in_its_bare_softmax": int(torch.softmax(row, dim=-1).isnan().sum()),
        "weight_in_this_books_softmax": int(softmax(row).sum()),
    }


def decide_diagonals(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F14: up to and including itself."""
    if not value["may_attend_to_themselves"]:
        return "right", "No position attends to itself."
    why = (
        f"{value['may_attend_to_themselves']} of {value['positions']} positions may attend to themselves: j ≤ i, as "
        "the paper has it (Vaswani et al. 2017, §3.2.3). Without the diagonal the first has "
        f"{value['keys_of_the_first_without_the_diagonal']} keys, and a bare softmax makes its "
        f"{value['nan_in_its_bare_softmax']} weights NaN. Nothing is given away: its own input is the token before the "
        "one it is asked for."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "F04",
        "A mask is multiplied with the scaled scores before the softmax.",
        multiplied_masks,
        decide_multiplied_masks,
        "attention/masks#masks-recipes",
    ),
    Claim(
        "F05",
        "To mask is to set the weights of forbidden keys to zero after the softmax.",
        zeroed_weights,
        decide_zeroed_weights,
        "attention/masks#masks-recipes",
    ),
    Claim(
        "F06",
        "Filling forbidden scores with −10⁹ does as well as filling them with −∞.",
        large_and_infinite,
        decide_large_and_infinite,
        "attention/masks#masks-empty-row",
    ),
    Claim(
        "F14",
        "In masked self-attention a position sees the positions before it and not itself.",
        diagonals,
        decide_diagonals,
        "attention/masks#masks-diagonal",
    ),
)
