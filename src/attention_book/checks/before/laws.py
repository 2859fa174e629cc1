"""Checks for *How to read and run this book*: what is a check like, and does a law notice what breaks it?"""

from collections.abc import Callable

import numpy as np
import torch

from ...attention.probability import softmax
from ..answers import judge_statements
from ..drawn import Normal
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, first_difference
from ..torch_calls import TorchCalls


@checking
def check_row_means(candidate: object) -> Report:
    """Does ``candidate(x)`` give the mean of each row? The page's example of a check, and no exercise."""
    normal = Normal(5)
    for rows, columns in ((2, 3), (4, 4), (5, 1)):
        x = normal(rows, columns)
        got, right = attempt(candidate, x), x.mean(dim=1)
        given = f"For x of shape {tuple(x.shape)}"
        if isinstance(got, torch.Tensor) and agrees(got, x.mean(dim=0)):
            raise NotYet(f"{given} it gives the means of the columns: the axis that is to go is the last one.")
        expect_array(got, right.shape, "one number per row", name="the means")
        if agrees(got, x.sum(dim=1)) and columns > 1:
            raise NotYet(f"{given} it gives the sums: divide by the length of a row.")
        if difference := first_difference(got, right):
            raise NotYet(f"{given} it is wrong at {difference}.")
    return Report(True, "One mean per row, for three shapes.")


_STALE = {"a": False, "b": True, "c": False, "d": True, "e": False}
_WHY_STALE = {
    "a": "Python passes over comments, and so does the fingerprint",
    "b": "the run reads this constant",
    "c": "the fingerprint covers what the run uses, and not what stands beside it in the same file",
    "d": "the run draws sentences by this grammar; a changed definition counts even if the words stay the same",
    "e": "the loss is torch's own, so the run never reaches the package's softmax",
}


@checking
def check_stale(answers: object) -> Report:
    """Which changes make a fingerprint differ? ``answers`` holds True or False for each letter."""
    judge_statements(answers, _STALE, _WHY_STALE, "the fingerprint differs", "it stays", put="True or False")
    return Report(True, "Only what the run uses counts, and of that only what Python executes.")


def _over_rows(x: torch.Tensor) -> torch.Tensor:
    return softmax(x, axis=0)


def _unnormalised(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x - x.amax(dim=-1, keepdim=True))


def _by_plain_sum(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum(dim=-1, keepdim=True)


def _overflowing(x: torch.Tensor) -> torch.Tensor:
    powers = torch.exp(x)
    return powers / powers.sum(dim=-1, keepdim=True)


def _uniform(x: torch.Tensor) -> torch.Tensor:
    return torch.full_like(x, 1.0 / x.shape[-1])


def _twice(x: torch.Tensor) -> torch.Tensor:
    return softmax(2 * x)


def _eighth(x: torch.Tensor) -> torch.Tensor:
    return softmax(x / 8)


def _squares(x: torch.Tensor) -> torch.Tensor:
    powers = (1 + x - x.amin(dim=-1, keepdim=True)) ** 2
    return powers / powers.sum(dim=-1, keepdim=True)


def _largest_only(x: torch.Tensor) -> torch.Tensor:
    return (torch.arange(x.shape[-1]) == x.argmax(dim=-1, keepdim=True)).to(x.dtype)


# Functions that are no softmax, and what a law would have to look at to notice.
_FAULTY = {
    _over_rows: "one that normalises over the rows, so that the columns sum to 1",
    _unnormalised: "one that forgets to divide by the sum",
    _by_plain_sum: "one that divides the scores by their sum and gives negative numbers",
    _uniform: "one that gives every score the same share",
    _overflowing: "one that overflows when a score is 1000",
    _largest_only: "one that gives everything to the largest score",
    _squares: "one with squares in place of exponentials: its shares sum to 1 and are in the right order",
    _twice: "one that doubles the scores first: its shares are as far apart as those of scores twice as far apart",
    _eighth: "one that divides the scores by 8 first: its shares are too alike",
}


@checking
def check_law(law: object) -> Report:
    """Is ``law(fn)`` true for the softmax of this book and false for nine functions that are no softmax?

    Args:
        law: takes a function from scores (rows, n) to a tensor of that shape; returns True or False.
    """
    if not callable(law):
        raise NotYet("Pass the function `law` itself, without calling it.")
    with TorchCalls() as calls:
        accepted = _verdict(law, softmax, "the right softmax")
    if any(name.endswith("softmax") for name in calls.names):
        raise NotYet("It calls a softmax of torch. Ask for properties of the shares, without another softmax.")
    if not accepted:
        raise NotYet("It rejects the right softmax: the law asks for something that softmax does not do.")
    missed = [what for fn, what in _FAULTY.items() if _verdict(law, fn, what)]
    if missed:
        rest = f" ({len(_FAULTY) - len(missed)} of {len(_FAULTY)} are noticed)"
        raise NotYet(f"It does not notice {missed[0]}{rest}.")
    return Report(
        True, f"It accepts softmax and notices all {len(_FAULTY)} faults. The book's own tests are such laws."
    )


def _verdict(law: Callable, fn: Callable, what: str) -> bool:
    def on_either(scores: object) -> object:
        """The function, for torch tensors and for NumPy arrays alike."""
        if isinstance(scores, np.ndarray):
            return fn(torch.from_numpy(scores.astype(float))).numpy()
        return fn(scores)

    try:
        verdict = law(on_either)
    except NotImplementedError as error:
        raise NotYet("The body is still to be written: it raises NotImplementedError.") from error
    except Exception as error:
        raise NotYet(f"It raises {type(error).__name__} for {what}: {error}") from error
    if isinstance(verdict, torch.Tensor):
        verdict = verdict.numpy()
    if isinstance(verdict, (np.bool_, np.ndarray)) and verdict.size == 1:
        verdict = bool(verdict)
    if not isinstance(verdict, bool):
        raise NotYet(f"It should return True or False; for {what} it returned {verdict!r}.")
    return verdict
