"""Checks for *What training needs*: dropout by hand and as a function, batches that disagree, and clipping."""

import numpy as np
import torch
from torch import Tensor

from ..answers import each_answer, from_list
from ..drawn import Normal
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array

ROW, KEEP, P = [10.0, -5.0, 20.0, 5.0], [1, 0, 1, 1], 0.2
"""A row of numbers, which of them dropout keeps, and the probability of dropping one."""
_DROPPED = {"training": [12.5, 0.0, 25.0, 6.25], "inference": ROW, "mean": ROW}
_NAMED = {
    "training": [
        ([10, 0, 20, 5], "what is kept is divided by 1 − p, so that the mean stays"),
        ([50, 0, 100, 25], "divide by 1 − p, the share that is kept, and not by p"),
        ([8, 0, 16, 4], "what is kept is made larger, not smaller: divide by 1 − p"),
        ([0, -25, 0, 0], "1 means that a number is kept"),
        ([0, -6.25, 0, 0], "1 means that a number is kept"),
        ([0, -5, 0, 0], "1 means that a number is kept"),
        (ROW, "that is what inference gives; in training one number is dropped"),
    ],
    "inference": [
        ([8, -4, 16, 4], "the division by 1 − p in training has made up for it: at inference nothing is left to do"),
        ([12.5, 0, 25, 6.25], "at inference nothing is dropped"),
        ([12.5, -6.25, 25, 6.25], "at inference nothing is dropped, so nothing has to be made up for"),
        ([10, 0, 20, 5], "at inference nothing is dropped"),
    ],
    "mean": [
        ([8, -4, 16, 4], "a number is kept in 0.8 of the draws, but then it is divided by 0.8"),
        ([12.5, -6.25, 25, 6.25], "that is each number when it is kept; in 0.2 of the draws it is 0"),
        ([12.5, 0, 25, 6.25], "that is one draw; the mean is over all draws"),
        ([10, 0, 20, 5], "the mean is over all draws, and each of the numbers is kept in most of them"),
    ],
}


@checking
def check_dropped(answers: object) -> Report:
    """Are these the row in training, the row at inference, and the mean over all draws of the mask?"""
    for name, answer in each_answer(answers, _DROPPED, "four numbers for each of", put="four numbers"):
        like = None if isinstance(answer, Tensor) else np.empty(0)
        got = expect_array(from_list(answer), (4,), "four numbers", like=like, name=f"`{name}`")
        if agrees(got, _DROPPED[name], tolerance=1e-3):
            continue
        reason = recognise(got, _NAMED[name], lambda one, other: agrees(one, other, tolerance=1e-3))
        raise NotYet(f"`{name}` is not that" + (f": {reason}." if reason else "."))
    return Report(
        True, "One draw changes every number. The mean over all draws changes none: it is what inference gives."
    )


@checking
def check_dropout(candidate: object) -> Report:
    """Is ``candidate(x, keep, p, training)`` dropout, with the mask ``keep`` given?"""
    normal = Normal(6)
    for shape, p in (((5,), 0.5), ((3, 4), 0.2), ((2, 3, 8), 0.9)):
        x = normal(*shape)
        keep = torch.rand(shape, generator=normal.generator) >= p
        keep.view(-1)[0], keep.view(-1)[1] = True, False
        got = expect_array(
            attempt(candidate, x, keep, p, False), shape, "the shape of x", name="the result at inference"
        )
        if not agrees(got, x):
            mistakes = {
                "At inference nothing is dropped: return x as it is.": x * keep / (1 - p),
                "At inference x comes back as it is: the training has already been made up for.": x * (1 - p),
                "At inference nothing is dropped, and so nothing is to be divided.": x / (1 - p),
                "At inference the mask is not used.": x * keep,
            }
            raise NotYet(recognise(got, mistakes) or "At inference it should return x as it is.")
        got = expect_array(attempt(candidate, x, keep, p, True), shape, "the shape of x", name="the result in training")
        right = x * keep / (1 - p)
        if agrees(got, right):
            continue
        mistakes = {
            "In training nothing was dropped.": x,
            "What is kept has to be divided by 1 − p; otherwise the mean shrinks.": x * keep,
            "Divide by 1 − p, the share that is kept, and not by p.": x * keep / p,
            "It drops what `keep` says to keep.": x * ~keep / (1 - p),
            "What is kept grows: divide by 1 − p instead of multiplying.": x * keep * (1 - p),
            "It divides by the share that this mask kept; p is known, and the mean is over all masks.": (
                x * keep / keep.double().mean()
            ),
            "Every number was divided, and none dropped.": x / (1 - p),
        }
        raise NotYet(recognise(got, mistakes) or "In training, that is not x with the mask applied, divided by 1 − p.")
    return Report(True, "Right in training and at inference, for three shapes and three probabilities.")


_WANDERING = {
    "after": (
        -13 / 27,
        {
            5 / 9: "that is after two steps",
            13 / 27: "the third batch wants −1, so the parameter ends below 0",
            -1 / 3: "that is after the first step",
            23 / 27: "the batches take turns: −1, 1, −1",
            -25 / 27: "the batches take turns: −1, 1, −1",
        },
    ),
    "size": (
        0.5,
        {
            1 / 3: "that is the size at the rate ½",
            1.0: "it never reaches what a batch wants",
            0.0: "it never comes to rest: solve x = (2/3) · 1 − x/3",
            2 / 3: "part of the last place is left: solve x = (2/3) · 1 − x/3",
            -0.5: "give the distance from 0",
        },
    ),
    "mean": (
        0.0,
        {
            0.5: "the two places lie on both sides of 0",
            0.25: "the two places lie on both sides of 0, equally far away",
        },
    ),
}


@checking
def check_wandering(predictions: object) -> Report:
    """Are these the place after three steps at the rate 2/3, how far from 0 it ends, and the mean of its two places?"""
    answers = dict(each_answer(predictions, _WANDERING, "a number for each of", open_name=None))
    expect_predictions(answers, _WANDERING, tolerance=6e-3)
    return Report(True, "A higher rate wanders further, and the mean of the two places is where it ought to be.")


@checking
def check_clipped(candidate: object) -> Report:
    """Does ``candidate(gradients, limit)`` scale all gradients together, so that their norm is at most ``limit``?"""
    normal = Normal(8)
    cases = [
        ([torch.tensor([2.0, -2.0]).double(), torch.tensor([[1.0], [4.0]]).double()], 1.0),
        ([normal(2, 3), normal(4), 30 * normal(1)], 2.0),
        ([0.1 * normal(2, 2), 0.1 * normal(3)], 5.0),
        ([torch.zeros(2).double(), torch.zeros(1).double()], 1.0),
    ]
    for gradients, limit in cases:
        got = attempt(candidate, gradients, limit)
        if not isinstance(got, (list, tuple)) or len(got) != len(gradients):
            raise NotYet("Return a list with as many gradients as were given.")
        for number, (one, given) in enumerate(zip(got, gradients, strict=True)):
            expect_array(one, given.shape, name=f"gradient {number}")
        flat = torch.cat([torch.as_tensor(one).reshape(-1) for one in got]).double()
        norm = torch.cat([one.reshape(-1) for one in gradients]).norm()
        if agrees(flat, _flat([one * min(1.0, limit / norm.item()) if norm else one for one in gradients])):
            continue
        mistakes = {
            "Each gradient was scaled by its own norm; that turns the whole gradient. Take one norm of all.": _flat(
                [one * torch.clamp(limit / one.norm(), max=1.0) for one in gradients]
            ),
            "Single numbers were cut off; that turns the gradient. Scale all of them by one factor.": _flat(
                [one.clamp(-limit, limit) for one in gradients]
            ),
            "A gradient that is short enough stays as it is; only longer ones are scaled.": _flat(
                [one * limit / norm for one in gradients]
            ),
            "The norm is the root of the sum of squares, and not the sum of squares.": _flat(
                [one * min(1.0, limit / norm.item() ** 2) for one in gradients] if norm else gradients
            ),
            "The norm of all is the root of the sum of the squared norms, not the sum of the norms.": _flat(
                [one * min(1.0, limit / max(1e-30, sum(g.norm().item() for g in gradients))) for one in gradients]
            ),
            "The largest number is no norm; take the root of the sum of squares.": _flat(
                [one * min(1.0, limit / max(1e-30, max(g.abs().max().item() for g in gradients))) for one in gradients]
            ),
            "Nothing was scaled.": _flat(gradients),
        }
        told = recognise(flat, mistakes)
        raise NotYet(told or f"With a norm of {norm:.4g} and the limit {limit:g} these are not the clipped gradients.")
    return Report(True, "Long gradients come to the limit, short ones stay, and none is turned.")


def _flat(gradients: list[Tensor]) -> Tensor:
    """All numbers of all gradients in one row."""
    return torch.cat([one.reshape(-1) for one in gradients]).double()
