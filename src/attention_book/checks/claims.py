"""Checks for *Circulating claims*: guesses before looking, and a claim of the reader's own.

The oracle of the first is the appendix itself, which decides by computing. That of the second is a law: a claim must be
able to lose. So the check changes what was computed and sees whether the verdict can change.
"""

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

import numpy as np
from torch import Tensor

from ..attention.probability import softmax
from ..claims import Claim, all_claims, decided
from ..claims.claim import Verdict
from ..pages.sections import section
from .answers import is_one_of
from .known_mistakes import near, recognise
from .report import NotYet, Report, attempt, checking

VERDICTS = get_args(Verdict)


@checking
def check_guesses(guesses: object) -> Report:
    """Are the verdicts guessed rightly?

    Args:
        guesses: id of a claim to the verdict expected, such as ``{"N02": "wrong"}``.
    """
    if not isinstance(guesses, Mapping) or not guesses:
        raise NotYet('Give a dictionary from ids to verdicts, such as `{"N02": "wrong"}`.')
    known = [claim.id for claim in all_claims()]
    for name, guess in guesses.items():
        if name not in known:
            raise NotYet(f"There is no claim {name}. Ids go from {known[0]} to {known[-1]}.")
        if guess is ...:
            raise NotYet(f"{name} is still open. Answer with one of {', '.join(VERDICTS)}.")
        if not is_one_of(guess, VERDICTS):
            raise NotYet(f"Answer {name} with one of {', '.join(VERDICTS)}; got {guess!r}.")
    answers = decided(guesses)
    missed = {name: answer for name, answer in answers.items() if answer["verdict"] != guesses[name]}
    if missed:
        told = " ".join(f"{name} is {answer['verdict']}: {answer['why']}" for name, answer in missed.items())
        raise NotYet(f"{len(answers) - len(missed)} of {len(answers)} as computed. {told}")
    return Report(True, f"All {len(answers)} verdicts are those that the computation gives.")


@checking
def check_claim(claim: object) -> Report:
    """Is this a claim as the book understands it: computed, JSON-ready, repeatable, and able to lose?"""
    if not isinstance(claim, Claim):
        raise NotYet(f"Expected a `Claim`, got {type(claim).__name__}.")
    if claim.id in {known.id for known in all_claims()}:
        raise NotYet(f"The id {claim.id} is taken. Choose another, such as X01.")
    if not claim.claim.strip().endswith("."):
        raise NotYet("Write the claim as a sentence, with a full stop at its end.")
    value = attempt(claim.compute)
    if fault := next(_unfit(value), None):
        raise NotYet(fault)
    if (again := attempt(claim.compute)) != value:
        raise NotYet(f"Computed twice it gives two values, {_short(value)} and {_short(again)}. Fix the seed.")
    verdict, _ = _decision(claim, value)
    others = [_verdict_or_none(claim, changed) for changed in _changes(value)]
    if all(other is None for other in others):
        raise NotYet("`decide` breaks on every other value. It must give a verdict on any value of this shape.")
    if {other for other in others if other} <= {verdict}:
        raise NotYet(
            f"`decide` says {verdict} to every value that the check tries in place of {_short(value)}. What would have "
            "refuted the claim? Compare the value with what is claimed."
        )
    try:
        where = section(claim.chapter)
    except LookupError as error:
        raise NotYet(f"{error.args[0]}.") from error
    return Report(True, f"The claim is {verdict}, it could have come out otherwise, and is settled in “{where}”.")


@checking
def check_largest_weight(claim: object) -> Report:
    """Is this claim about the largest of 64 weights, on average, computed as it says and decided as it comes out?

    The value must hold the mean of the largest weight, alone or among other numbers. The mean is drawn here once more,
    from other draws.
    """
    report = check_claim(claim)
    if not report:
        return report
    value = attempt(claim.compute)
    found, right = list(_numbers(value)), _mean_largest()
    if not any(abs(number - right) < 0.0025 for number in found):
        known = {
            "That is the mean of all weights, which is 1/64 whatever the scores: take the largest of each row.": 1 / 64,
            "Those are rows of 640 weights: the claim is about 64.": _mean_largest(keys=640),
            "The scores are multiplied by 8: N(0, 1) has standard deviation 1.": _mean_largest(scale=8.0),
            "That is the quarter of the claim. Compute what the weights do.": 0.25,
        }
        reasons = (recognise(number, known, near(abs_tol=0.003)) for number in found)
        hint = "Is it the mean, over many rows, of the largest of 64 weights? A few rows leave it to chance."
        raise NotYet(f"No number in {_short(value)} is that mean. {next(filter(None, reasons), hint)}")
    verdict, _ = _decision(claim, value)
    if verdict != "wrong":
        raise NotYet(f"The mean in {_short(value)} is below a quarter, and `decide` says {verdict}. What is claimed?")
    return report


@cache
def _mean_largest(keys: int = 64, scale: float = 1.0) -> float:
    """The mean of the largest weight over many rows of random scores."""
    scores = scale * np.random.default_rng(20).normal(size=(40_000, keys))
    return float(softmax(scores).max(axis=1).mean())


def _numbers(value: Any) -> Iterator[int | float]:
    """All numbers in a value that JSON can hold."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def _decision(claim: Claim, value: Any) -> tuple[str, str]:
    answer = attempt(claim.decide, value)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise NotYet(f"`decide` returns a verdict and a reason, two things; got {_short(answer)}.")
    verdict, why = answer
    if verdict not in VERDICTS:
        raise NotYet(f"The verdict is one of {', '.join(VERDICTS)}; `decide` says {verdict!r}.")
    if not isinstance(why, str) or not why.strip():
        raise NotYet("`decide` gives no reason. Say in a sentence why the verdict is what it is.")
    return verdict, why


def _verdict_or_none(claim: Claim, value: Any) -> str | None:
    try:
        return _decision(claim, value)[0]
    except NotYet:
        return None


def _unfit(value: Any, where: str = "the value") -> Iterator[str]:
    """What in a value JSON cannot hold, or could hold but would not give back as it was."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                yield f"A key of {where} is {key!r}. JSON knows texts as keys only: write {str(key)!r}."
            yield from _unfit(item, f"{where}[{key!r}]")
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _unfit(item, f"{where}[{n}]")
    elif isinstance(value, (Tensor, np.ndarray)):
        yield f"{where} is an array. Return `.tolist()`, which JSON can hold."
    elif isinstance(value, np.generic):
        yield f"{where} is a NumPy number. Return `.item()`, which JSON can hold."
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{where} is {value}, which JSON does not know. Count such outcomes or name them."
    elif not (value is None or isinstance(value, (bool, int, float, str))):
        yield f"{where} is a {type(value).__name__}, which comes back from JSON as something else. Use lists."


def _changes(value: Any) -> Iterator[Any]:
    """Other values of the same shape: every number scaled, moved, negated or 0, every truth turned round."""
    for change in (
        lambda x: 2 * x,
        lambda x: x / 2,
        lambda x: x + 1,
        lambda x: x - 1,
        lambda x: -x,
        lambda x: 0 * x,
        lambda x: 1.01 * x,
        lambda x: 1000 * x,
    ):
        yield _changed(value, change)


def _changed(value: Any, change) -> Any:
    if isinstance(value, Mapping):
        return {key: _changed(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return round(change(value))
    return change(value) if isinstance(value, float) else f"another {value}"


def _short(value: Any) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
