"""Wrong answers that tell where they come from: the one place that holds an answer against those a mistake gives."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from .answers import each_answer
from .report import NotYet, Report, agrees, checking, expect_number, first_difference

Mistakes = Mapping[object, object] | Iterable[tuple[object, object]]


def recognise(got: object, mistakes: Mistakes, same: Callable[[object, object], bool] = agrees) -> str | None:
    """Say which known mistake gives this answer.

    Args:
        got: the answer, which is wrong.
        mistakes: wrong answers with the reason for each, tried in their order: as a dictionary from reasons to wrong
            answers, as one from wrong numbers to reasons, or as pairs either way round. The text is the reason.
        same: whether an answer is that wrong answer; for numbers see `near`.

    Returns:
        The reason, or None if no mistake gives this answer.
    """
    for one, other in mistakes.items() if isinstance(mistakes, Mapping) else mistakes:
        reason, wrong = (one, other) if isinstance(one, str) else (other, one)
        if same(got, wrong):
            return reason
    return None


def near(*, rel_tol: float = 0.0, abs_tol: float = 0.0) -> Callable[[float, float], bool]:
    """`math.isclose` with these tolerances, for `recognise`; without any, only the same number is near."""
    return partial(math.isclose, rel_tol=rel_tol, abs_tol=abs_tol)


def diagnose(got: object, right: object, mistakes: Mistakes, tolerance: float = 1e-6) -> None:
    """Recognise an answer that goes wrong in a known way, or name its first wrong number.

    Args:
        got, right: arrays of one shape that differ.
        mistakes: wrong arrays with what is wrong with them, as for `recognise`.
        tolerance: as for `first_difference`.

    Raises:
        NotYet: always.
    """
    reason = recognise(got, mistakes, partial(agrees, tolerance=tolerance))
    raise NotYet(reason or f"A wrong number at {first_difference(got, right, tolerance=tolerance)}.")


def refuse_number(
    where: str,
    got: float,
    right: float,
    mistakes: Mistakes,
    same: Callable[[object, object], bool],
    spec: str = ".4f",
) -> None:
    """Say that a function gives a wrong number, and where it comes from if that is known.

    Args:
        where: for which input, such as "For n = 4".
        got, right: the number that it gives, and the right one.
        mistakes, same: as for `recognise`.
        spec: how both numbers are written.

    Raises:
        NotYet: always.
    """
    reason = recognise(got, mistakes, same) or ""
    raise NotYet(f"{where} it gives {got:{spec}} and not {right:{spec}}. {reason}".rstrip())


def expect_predictions(
    predictions: object,
    table: Mapping[str, tuple[int | float, Mapping[int | float, str]]],
    tolerance: float,
    known_within: float | None = None,
) -> None:
    """Check a number for each letter, and say where a wrong one comes from.

    Args:
        predictions: letter to the number predicted; other letters are passed over.
        table: letter to the right number, and to what other numbers come from.
        tolerance: how far from the right number a prediction may be.
        known_within: how far from a known wrong number one may be and still be taken for it; ``tolerance`` if None.

    Raises:
        NotYet: at the first letter that is open or wrong, or if this is no dictionary.
    """
    if not isinstance(predictions, Mapping):
        raise NotYet(f"Give a dictionary with a number for each of the letters {', '.join(table)}.")
    for letter, (right, mistakes) in table.items():
        if predictions.get(letter, ...) is ...:
            raise NotYet(f"({letter}) is still to be predicted.")
        got = expect_number(predictions[letter], f"({letter})")
        if abs(got - right) < tolerance:
            continue
        reason = recognise(got, mistakes, near(abs_tol=tolerance if known_within is None else known_within))
        raise NotYet(f"({letter}) is not {got:g}" + (f": {reason}." if reason else "."))


def expect_named_numbers(
    answers: object, table: Mapping[str, tuple[int | float, Mapping[int | float, str]]], tolerance: float
) -> None:
    """Check a number for each of some names, and for no others; say where a wrong one comes from.

    Args:
        answers, table, tolerance: as for `expect_predictions`, with names in place of letters.

    Raises:
        NotYet: at the first name that is open or wrong, or if this is no dictionary of these names.
    """
    for name, answer in each_answer(answers, table, "a number for each of", open_name="“{}”", put="a number"):
        got, (right, mistakes) = expect_number(answer, f"“{name}”"), table[name]
        if not math.isclose(got, right, abs_tol=tolerance):
            reason = recognise(got, mistakes, near(abs_tol=tolerance))
            raise NotYet(f"“{name}” is not {got:g}" + (f": {reason}." if reason else "."))


def predictions_check(
    table: Mapping[str, tuple[int | float, Mapping[int | float, str]]], tolerance: float, question: str, praise: str
) -> Callable[[object], Report]:
    """A check that asks for the numbers of a table, and nothing else.

    Args:
        table, tolerance: as for `expect_predictions`.
        question: what the check asks of its argument, which is its docstring.
        praise: what it says to numbers that are right.
    """

    @checking
    def check(predictions: object) -> Report:
        expect_predictions(predictions, table, tolerance)
        return Report(True, praise)

    check.__doc__ = question
    return check
