"""Checks for *Is attention an explanation?*: hidden directions, distances, another row, conclusions."""

import numpy as np
import torch
from torch import Tensor

from ...studies.reading.same_output import hidden_changes
from ..answers import each_answer, from_list, judge_statements
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions, refuse_number
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number


def four_values() -> dict[str, str]:
    """What the first exercise asks about: how many keys there are, and which values they have."""
    return {
        "a": "4 keys with the values 1, 2, 3 and 5 (d_v = 1)",
        "b": "4 keys, all with the value (2, 7)",
        "c": "10 keys with values of 3 numbers that were drawn at random",
        "d": "10 keys with values of 64 numbers that were drawn at random",
    }


def _directions() -> dict[str, int]:
    normal = Normal(8)
    values = {
        "a": torch.tensor([[1.0], [2.0], [3.0], [5.0]]),
        "b": torch.tensor([[2.0, 7.0]]).repeat(4, 1),
        "c": normal(10, 3),
        "d": normal(10, 64),
    }
    return {name: len(hidden_changes(rows)) for name, rows in values.items()}


_DIRECTIONS_WHY = {
    "a": {3: "the sum of the weights must stay 1 as well, which takes one more direction away",
          1: "the rank of [V, 1] is 2, whatever the number of keys"},
    "b": {4: "the sum of the weights must stay 1", 2: "equal values add one to the rank, not two",
          1: "equal values hide every change that keeps the sum"},
    "c": {7: "the column of ones raises the rank to 4",
          3: "count the directions that are left, not those that are taken"},
    "d": {1: "64 numbers tell ten weights apart with room to spare", 9: "the output shows every change",
          -55: "there are not fewer than no directions: the rank is at most the number of keys"},
}  # fmt: skip


@checking
def check_directions(predictions: object) -> Report:
    """Is it said rightly how many hidden directions each of `four_values` leaves?"""
    right = _directions()
    answers = dict(each_answer(predictions, right, "a number for each of", open_name=None))
    expect_predictions(answers, {name: (float(right[name]), _DIRECTIONS_WHY[name]) for name in right}, tolerance=1e-6)
    return Report(True, "Keys beyond the rank of [V, 1]: each leaves one direction that no output shows.")


def _rows(normal: Normal, n: int) -> Tensor:
    return torch.softmax(2 * normal(n), dim=0)


@checking
def check_distance(candidate: object) -> Report:
    """Does ``candidate(a, b)`` give the total variation distance of two rows of weights?"""
    normal = Normal(9)
    cases = [(_rows(normal, 5), _rows(normal, 5)), (torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))]
    cases += [(row := _rows(normal, 4), row.clone()), (_rows(normal, 7), _rows(normal, 7))]
    for a, b in cases:
        a, b = a.double(), b.double()
        got = expect_number(attempt(candidate, a, b), "the distance")
        difference = (a - b).abs()
        right = float(difference.sum() / 2)
        if agrees(got, right):
            continue
        told = ["(" + ", ".join(f"{weight:.3f}" for weight in row.tolist()) + ")" for row in (a, b)]
        mistakes = {
            "Every weight that moves is counted twice, where it leaves and where it arrives.": 2 * right,
            "That is the overlap: the weight that need not move.": 1 - right,
            "The differences cancel: take their absolute values.": float((a - b).sum()),
            "Take absolute values, not squares.": float((a - b).square().sum()),
            "That is the straight-line distance of two points.": float((a - b).square().sum().sqrt()),
            "That is the largest single difference.": float(difference.max()),
            "That is the mean difference per key.": float(difference.mean()),
        }
        refuse_number(f"For {told[0]} and {told[1]}", got, right, mistakes, agrees)
    return Report(True, "The share of the weight that has to be moved to make one row of the other.")


@checking
def check_another_row(candidate: object) -> Report:
    """Does ``candidate(weights, values)`` give a row with the same output, one of whose weights is 0?

    All weights that it is given are positive, and there are more keys than ``d_v + 1``.
    """
    normal = Normal(10)
    for n, d_v in ((3, 1), (5, 2), (6, 4)):
        values, weights = normal(n, d_v), _rows(normal, n)
        got = from_list(attempt(candidate, weights, values))
        if isinstance(got, np.ndarray) and got.dtype.kind in "biuf":
            got = torch.as_tensor(got)
        if isinstance(got, Tensor) and got.is_floating_point():
            got = got.detach().double()
        got = expect_array(got, (n,), "a weight per key")
        if not isinstance(got, Tensor):
            got = torch.as_tensor(got).double()
        if agrees(got, weights):
            raise NotYet("That is the row that was given. Move it along a hidden change.")
        if abs(float(got.sum()) - 1) > 1e-6:
            raise NotYet(f"The row sums to {float(got.sum()):.4f}. A hidden change sums to 0.")
        output, right = got @ values, weights @ values
        if not agrees(output, right, tolerance=1e-6):
            diagnose(output, right, {"The new output is not the old one: the change is not hidden.": output})
        if float(got.min()) < -1e-6:
            raise NotYet(f"A weight became {float(got.min()):.4f}. Stop when the first weight reaches 0.")
        if float(got.min()) > 1e-6:
            raise NotYet(f"The smallest weight is still {float(got.min()):.4f}. Go on until one is 0.")
    return Report(True, "A token without any weight, and the same output: the weights could not say that it matters.")


_CONCLUDED = {"a": False, "b": True, "c": True, "d": False, "e": True}
_CONCLUDED_WHY = {
    "a": "two rows with more than half of their weight on one place have more than half in common",
    "b": "the encoder may have put what both decoders need at several places",
    "c": "the encoder may have put the noun into the vectors of other places",
    "d": "nothing that the decoder reads has changed: the other vectors and their scores are the same",
    "e": "the change from one row to the other may be hidden, as in the example by hand",
}


@checking
def check_concluded(answers: object) -> Report:
    """Is it said rightly what is possible if two translators write the same sentence from rows without overlap?"""
    judge_statements(answers, _CONCLUDED, _CONCLUDED_WHY, "it is possible", "it is not possible")
    return Report(
        True, "Weights belong to the vectors that they mix; on their own they name neither source nor reason."
    )
