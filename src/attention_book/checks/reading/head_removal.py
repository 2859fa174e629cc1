"""Checks for *What is a head worth?*: costs of a pair, a head taken out, heads that cancel.

The oracle of the second is W^O with a head's rows set to zero.
"""

import math

import torch
from torch import Tensor

from ...examples.two_heads_by_hand import steps
from ..answers import each_answer, from_list
from ..drawn import Normal
from ..known_mistakes import near, recognise
from ..report import (
    NotYet,
    Report,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    first_difference,
)

_WRITTEN = {"a": (1.0, 0.5), "b": (0.5, 0.5), "c": (1.5, -0.5)}


def _lack(total: float) -> float:
    """The loss of the example by hand: what the total lacks to 1."""
    return max(0.0, 1 - total)


def _surplus(first: float, second: float) -> tuple[float, list[tuple[float, str]]]:
    """The surplus of a pair, and what is wrong with other numbers that it could be taken for."""
    singly, both = _lack(first) + _lack(second), _lack(0.0)
    unclipped = (1 - first) + (1 - second)
    mistakes = [
        (singly - both, "subtract the single costs from the cost of both, not the other way round"),
        (both - unclipped, "a total above 1 lacks nothing, so its loss is 0 and never negative"),
        (singly, "that is the sum of the single costs: subtract it from the cost of removing both"),
        (both, "that is the cost of removing both: subtract the single costs"),
    ]
    return both - singly, mistakes


@checking
def check_pairs(answers: object) -> Report:
    """Are these the surpluses of the exercise's three pairs: the cost of removing both, less the single costs?"""
    for pair, answer in each_answer(answers, _WRITTEN, "a number for each of", open_name="Pair {}", put="a number"):
        got, (right, mistakes) = expect_number(answer, f"pair {pair}"), _surplus(*_WRITTEN[pair])
        if not math.isclose(got, right, abs_tol=5e-3):
            hint = recognise(got, mistakes, near(abs_tol=5e-3))
            raise NotYet(f"Pair {pair} is not {got:g}" + (f": {hint}." if hint else "."))
    return Report(True, "Above 0 heads stand in for one another, at 0 each has work of its own, below 0 they oppose.")


@checking
def check_removed(candidate: object) -> Report:
    """Does ``candidate(joined, w_o, bias, n_heads, head)`` give the output of attention without one head?

    ``joined`` is (length, h·d_v), the heads side by side; ``w_o`` is (h·d_v, d_model); ``bias`` is (d_model,).
    """
    normal = Normal(6)
    for length, n_heads, d_v, d_model, head in ((3, 4, 5, 7, 0), (2, 3, 3, 9, 2), (4, 2, 4, 8, 1)):
        joined, w_o, bias = normal(length, n_heads * d_v), normal(n_heads * d_v, d_model), normal(d_model)
        got = attempt(candidate, joined, w_o, bias, n_heads, head)
        got = expect_array(got, (length, d_model), "one row per position, d_model wide", like=got, name="the output")
        rows = slice(head * d_v, (head + 1) * d_v)
        kept, alone = w_o.clone(), torch.zeros_like(w_o)
        kept[rows], alone[rows] = 0, w_o[rows]
        right = joined @ kept + bias
        if agrees(got, right):
            continue
        every = torch.zeros_like(w_o)
        every[head::n_heads] = w_o[head::n_heads]
        before, after = (w_o.clone() for _ in range(2))
        before[((head - 1) % n_heads) * d_v :][:d_v] = 0
        after[((head + 1) % n_heads) * d_v :][:d_v] = 0
        known = {
            "Nothing is removed: this is the output with all heads.": joined @ w_o + bias,
            "This is what the head contributes: asked is what is left without it.": joined @ alone,
            "All other heads were removed: this one should be.": joined @ alone + bias,
            "The bias went with the head: it belongs to none and stays.": joined @ kept,
            "A slice of the output was set to 0: after W^O the heads are mixed, so remove before it.": (
                _zeroed(joined @ w_o + bias, head * d_model // n_heads, (head + 1) * d_model // n_heads)
            ),
            f"Every {n_heads}th number was removed: head {head} is a run of d_v = {d_v} numbers.": (
                joined @ (w_o - every) + bias
            ),
            "The other heads were enlarged to make up for it, as dropout does: leave them as they are.": (
                joined @ kept * n_heads / (n_heads - 1) + bias
            ),
            f"The head before head {head} was removed: heads are counted from 0.": joined @ before + bias,
            f"The head after head {head} was removed: heads are counted from 0.": joined @ after + bias,
        }
        fault = recognise(got, known)
        raise NotYet(fault or f"Wrong number at {first_difference(got, right, axes=('position', 'coordinate'))}.")
    return Report(True, "Zero before W^O removes one term of the sum and leaves the others alone.")


def _zeroed(x: Tensor, start: int, end: int) -> Tensor:
    x = x.clone()
    x[:, start:end] = 0
    return x


@checking
def check_cancelling(w_o: object) -> Report:
    """Do removals of either head of *like* change its output by 1 or more, and of both together by next to nothing?

    ``w_o`` is an (8, 8) array or tensor, in place of the matrix of the two-head example.
    """
    meaning = "a row for each number of the joined heads"
    w_o = from_list(w_o)
    w_o = torch.as_tensor(expect_array(w_o, (8, 8), meaning, like=w_o, name="the matrix")).double()
    joined = torch.from_numpy(steps()["joined"][1])
    parts = joined[:4] @ w_o[:4], joined[4:] @ w_o[4:]
    for n, part in enumerate(parts):
        if part.norm() < 1:
            raise NotYet(f"Removing head {n} changes the output of `like` by {part.norm():.2f} only.")
    both = (parts[0] + parts[1]).norm()
    if both > 0.05:
        raise NotYet(f"Removing both changes the output of `like` by {both:.2f}: what the heads add must cancel.")
    return Report(
        True,
        f"Either removal costs {parts[0].norm():.2f}, both together {both:.2f}: costs of single heads do not add up.",
    )
