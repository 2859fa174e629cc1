"""Checks for *How to read and run this book*: does a law notice the functions that break it?"""

from collections.abc import Callable

import torch

from ...attention.probability import softmax
from ..report import NotYet, Report, checking


def _over_rows(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=0)


def _unnormalised(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x - x.amax(dim=-1, keepdim=True))


def _by_plain_sum(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum(dim=-1, keepdim=True)


def _overflowing(x: torch.Tensor) -> torch.Tensor:
    powers = torch.exp(x)
    return powers / powers.sum(dim=-1, keepdim=True)


def _uniform(x: torch.Tensor) -> torch.Tensor:
    return torch.full_like(x, 1.0 / x.shape[-1])


# Functions that are no softmax, and what a law would have to look at to notice.
_FAULTY = {
    _over_rows: "one that normalises over the rows, so that the columns sum to 1",
    _unnormalised: "one that forgets to divide by the sum",
    _by_plain_sum: "one that divides the scores by their sum and gives negative numbers",
    _uniform: "one that gives every score the same share",
    _overflowing: "one that overflows when a score is 1000",
}


@checking
def check_law(law: object) -> Report:
    """Is ``law(fn)`` true for the softmax of this book and false for five functions that are no softmax?

    Args:
        law: takes a function from scores (rows, n) to a tensor of that shape; returns True or False.
    """
    if not callable(law):
        raise NotYet("Pass the function `law` itself, without calling it.")
    if not _verdict(law, softmax, "the right softmax"):
        raise NotYet("It rejects the right softmax: the law asks for something that softmax does not do.")
    missed = [what for fn, what in _FAULTY.items() if _verdict(law, fn, what)]
    if missed:
        rest = f" ({len(_FAULTY) - len(missed)} of {len(_FAULTY)} are noticed)"
        raise NotYet(f"It does not notice {missed[0]}{rest}.")
    return Report(
        True, f"It accepts softmax and notices all {len(_FAULTY)} faults. The book's own tests are such laws."
    )


def _verdict(law: Callable, fn: Callable, what: str) -> bool:
    try:
        verdict = law(fn)
    except NotImplementedError as error:
        raise NotYet("The body is still to be written: it raises NotImplementedError.") from error
    except Exception as error:
        raise NotYet(f"It raises {type(error).__name__} for {what}: {error}") from error
    if isinstance(verdict, torch.Tensor) and verdict.numel() == 1:
        verdict = bool(verdict)
    if not isinstance(verdict, bool):
        raise NotYet(f"It should return True or False; for {what} it returned {verdict!r}.")
    return verdict
