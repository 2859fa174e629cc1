"""Checks for *Where the norm stands*: lengths by pencil, lengths followed through a stack, and the paths of a change.

The oracles are Pythagoras and the two orders written out.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from ..answers import each_answer
from ..drawn import Normal
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_number


def _expect_numbers(
    answers: object,
    table: Mapping[str, tuple[float, str]],
    mistaken: Mapping[str, Mapping[float, str]],
    tolerance: float,
) -> None:
    """Check a number for each name; of a wrong one that no known mistake gives, recall what the right one rests on."""
    for name, answer in each_answer(answers, table, "one number for each of", put="a number"):
        got, (right, reason) = expect_number(answer, f"`{name}`"), table[name]
        if abs(got - right) > tolerance:
            why = recognise(got, mistaken[name], near(abs_tol=tolerance)) or f"Recall: {reason}."
            raise NotYet(f"`{name}` is not {got:g}. {why}")


_LENGTHS = {
    "first": (10.0, "at right angles the squares of the lengths add, 64 + 36"),
    "second": (26.0, "at right angles the squares of the lengths add, 100 + 576"),
    "quotient": (2.4, "the second addition, divided by the stream that it is added to"),
    "post": (4.0, "16 numbers with mean 0 and variance 1, so the sum of their squares is known"),
}
_MISTAKEN = {
    "first": {
        14.0: "That is the sum of the lengths, which would need one direction.",
        100.0: "That is the square of the length.",
        6.0: "That is the length of what is added.",
        2.0: "That is a difference of lengths: the two vectors would point against each other.",
    },
    "second": {
        34.0: "That adds the lengths; at right angles the squares add.",
        38.0: "That adds all three lengths; at right angles the squares add.",
        676.0: "That is the square of the length.",
        24.0: "That is the length of what is added.",
    },
    "quotient": {
        4.0: "That divides by the first addition, not by the stream.",
        3.0: "That divides by the stream before the first addition.",
        24 / 26: "That divides by the stream after the addition.",
        10 / 24: "That is the quotient upside down.",
        2.6: "That is how much the stream grows. The addition itself is asked.",
    },
    "post": {
        1.0: "Each number has variance 1; there are 16 of them.",
        16.0: "That is the square of the length.",
        8.0: "That is the length of what came in. The norm sets another one.",
        26.0: "That is the stream without a norm. A post-norm sublayer ends with one.",
        10.0: "That is the stream without a norm. A post-norm sublayer ends with one.",
        0.0: "The mean of the numbers is 0. Their squares are not.",
    },
}


@checking
def check_lengths(answers: object) -> Report:
    """Are these the lengths of a vector of 16 numbers in both orders?

    Args:
        answers: a number for each of ``first``, ``second``, ``quotient`` and ``post``.
    """
    _expect_numbers(answers, _LENGTHS, _MISTAKEN, 1e-3)
    return Report(True, "The stream grows by its additions; behind a norm the length is the root of the width.")


_HALF, _FIFTH = 0.5**0.5, 0.2**0.5
_PATHS = {
    "fixed": (_HALF, "only x carries the change, and the sum has the variance 2"),
    "mixed": (1.0, "the change and what W makes of it are at right angles, and so are x and xW"),
    "copied": (1.0, "the sum is 2x, and the norm undoes any factor"),
    "longer": (_FIFTH, "only x carries the change, and the sum has the variance 1 + 4"),
}
_FORGOTTEN = "f hands the change on, too: it reaches the sum on two paths."
_NO_NORM = "That is the change of the sum. The norm divides it by the standard deviation of the sum."
_MISTAKEN_PATHS = {
    "fixed": {
        1.0: "The norm divides by the standard deviation of the sum, and that is not 1.",
        0.5: "The norm divides by the standard deviation, not by the variance.",
        2**0.5: "f gives the same vector whatever x is, so it hands no change on; and the norm shortens.",
    },
    "mixed": {
        _HALF: _FORGOTTEN,
        0.5: _FORGOTTEN,
        2**0.5: _NO_NORM,
        2.0: "At right angles lengths do not add; and the norm is still to come.",
    },
    "copied": {
        _HALF: _FORGOTTEN,
        0.5: _FORGOTTEN,
        2.0: _NO_NORM,
        2**0.5: "x and f(x) point the same way, so the sum is 2x: its standard deviation is 2, not √2.",
    },
    "longer": {
        _HALF: "That is the answer for `fixed`. Here f(x) has the variance 4.",
        1.0: "The norm divides by the standard deviation of the sum, and that is not 1.",
        1 / 3: "That adds lengths, 1 + 2. At right angles the squares add.",
        3**-0.5: "Twice a vector has four times the variance, not twice.",
        0.2: "The norm divides by the standard deviation, not by the variance.",
        0.5: "The sum contains x, too: its variance is 1 + 4.",
    },
}


@checking
def check_paths(answers: object) -> Report:
    """Are these the factors of a change of x behind LayerNorm(x + f(x)), for four functions f?

    Args:
        answers: a number for each of ``fixed``, ``mixed``, ``copied`` and ``longer``.
    """
    _expect_numbers(answers, _PATHS, _MISTAKEN_PATHS, 6e-3)
    return Report(True, "A norm shortens a change only where f does not hand it on.")


Step = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]


def _followed(x: Tensor, sublayers: Sequence[Callable[[Tensor], Tensor]], step: Step) -> Tensor:
    """The length of the vector that leaves each sublayer, if ``step`` gives what leaves it."""
    found = []
    for sublayer in sublayers:
        x = step(x, sublayer)
        found.append(x.norm())
    return torch.stack(found)


def _orders(norm: Callable[[Tensor], Tensor]) -> dict[bool, Step]:
    """What leaves a sublayer in pre-norm, under True, and in post-norm, under False."""
    return {True: lambda h, f: h + f(norm(h)), False: lambda h, f: norm(h + f(h))}


def _mistaken(x: Tensor, sublayers: list, norm: Callable[[Tensor], Tensor], pre: bool) -> dict[str, Tensor]:
    """The lengths that known mistakes give, by what is wrong with them."""
    step, right = _orders(norm)[pre], _followed(x, sublayers, _orders(norm)[pre])
    kind, other = ("pre-norm", "post-norm") if pre else ("post-norm", "pre-norm")
    before = torch.cat([x.norm()[None], right[:-1]])
    bare: dict[bool, Step] = {True: lambda h, f: f(norm(h)), False: lambda h, f: norm(f(h))}
    return {
        f"With pre={pre} it computes {other}: {kind} is asked for.": _followed(x, sublayers, _orders(norm)[not pre]),
        "These are squares: take the root of the sum.": right**2,
        "These are roots of means: take the root of the sum of the squares.": right / len(x) ** 0.5,
        "These are the lengths before each sublayer; those behind it are asked.": before,
        "Every sublayer reads the first x. What leaves one sublayer enters the next.": torch.stack(
            [step(x, f).norm() for f in sublayers]
        ),
        "The residual is missing: x itself must be added.": _followed(x, sublayers, bare[pre]),
        "The norm is missing.": _followed(x, sublayers, lambda h, f: h + f(h)),
        "In pre-norm the stream itself is not normalised; the sublayer reads a copy that is.": _followed(
            x, sublayers, lambda h, f: norm(h) + f(norm(h))
        ),
    }


@checking
def check_follow(candidate: object) -> Report:
    """Does ``candidate(x, sublayers, norm, pre)`` give the length of the vector behind each sublayer?"""
    normal = Normal(17)
    for pre in (True, False):
        x, matrices, gain = normal(6) + 1, normal(4, 6, 6), 1 + normal(6) / 4
        sublayers, norm = [partial(_sublayer, matrix=matrix) for matrix in matrices], partial(_normed, gain=gain)
        got = attempt(candidate, x, sublayers, norm, pre)
        if (count := _count(got)) != len(sublayers):
            told = f"a {type(got).__name__}" if count is None else count
            raise NotYet(f"A list of {len(sublayers)} lengths is wanted, one per sublayer; got {told}.")
        lengths = torch.tensor([expect_number(one, f"length {n}") for n, one in enumerate(got)], dtype=torch.float64)
        if agrees(lengths, _followed(x, sublayers, _orders(norm)[pre]), 1e-6):
            continue
        known = _mistaken(x, sublayers, norm, pre)
        reason = recognise(lengths, known, lambda one, wrong: agrees(one, wrong, 1e-6))
        raise NotYet(reason or f"With pre={pre}: the lengths are not those of {'pre' if pre else 'post'}-norm.")
    return Report(True, "Both orders, through four sublayers.")


def _sublayer(h: Tensor, matrix: Tensor) -> Tensor:
    return torch.tanh(h @ matrix)


def _normed(h: Tensor, gain: Tensor) -> Tensor:
    return F.layer_norm(h, (len(h),), gain, None)


def _count(got: object) -> int | None:
    """How many things an answer holds; None for one that holds none, such as a number."""
    try:
        return len(got)
    except TypeError:
        return None
