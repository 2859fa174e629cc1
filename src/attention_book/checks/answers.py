"""What a reader may have typed in place of an answer: is there one for each name, is it open, can it be compared?"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from .report import NotYet, Report, checking


def each_answer(
    answers: object,
    names: Collection[str],
    wanted: str = "an answer for each of",
    *,
    open_name: str | None = "`{}`",
    put: str | None = None,
) -> Iterator[tuple[str, object]]:
    """Go through a reader's answers in the order of the names.

    An open answer, ``...``, is a fault when its turn comes, so that what was answered before it is judged first. To
    judge none before all are answered, exhaust this with ``dict``.

    Args:
        answers: name to answer, for exactly these names.
        names: what is asked, in order.
        wanted: what a dictionary of answers holds, such as "a number for each of the letters"; the names follow.
        open_name: how an open answer is called, with ``{}`` for its name; None hands open answers on.
        put: what to put in place of each ``...``, said at once if every answer is open; not said if None.

    Yields:
        Name and answer.

    Raises:
        NotYet: if this is no dictionary of these names, or an answer is open.
    """
    if not isinstance(answers, Mapping) or set(answers) != set(names):
        raise NotYet(f"Give a dictionary with {wanted} {', '.join(names)}.")
    if put is not None and all(answer is ... for answer in answers.values()):
        raise NotYet(f"Every answer is still open: put {put} in place of each `...`.")
    for name in names:
        if open_name is not None and answers[name] is ...:
            raise NotYet(f"{open_name.format(name)} is still open.")
        yield name, answers[name]


def judge_statements(
    answers: object, right: Mapping[str, bool], why: Mapping[str, str], yes: str, no: str, put: str | None = None
) -> None:
    """Judge True or False for each statement, in the order of the names.

    Args:
        answers: name to True or False, for exactly the names of ``right``.
        right: what is true.
        why: for each name why it is so, as a clause without its full stop.
        yes, no: what True and False stand for, such as "it leaks" and "it does not".
        put: as for `each_answer`.

    Raises:
        NotYet: at the first that is open, neither True nor False, or wrong.
    """
    for name, said in each_answer(answers, right, open_name=None if put else "`{}`", put=put):
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"Answer {name} with True ({yes}) or False ({no}).")
        if bool(said) != right[name]:
            raise NotYet(f"{name} is {right[name]}: {why[name]}.")


def statements_check(
    table: Mapping[str, tuple[bool, str]], yes: str, no: str, question: str, praise: str
) -> Callable[[object], Report]:
    """A check that asks of each statement of a table whether it is true, and nothing else.

    Args:
        table: name of each statement to whether it is true, and why, as a clause without its full stop.
        yes, no: as for `judge_statements`.
        question: what the check asks of its argument, which is its docstring.
        praise: what it says to answers that are right.
    """
    right, why = ({name: one[part] for name, one in table.items()} for part in (0, 1))

    @checking
    def check(answers: object) -> Report:
        judge_statements(answers, right, why, yes, no)
        return Report(True, praise)

    check.__doc__ = question
    return check


def is_one_of(said: object, choices: Iterable[object]) -> bool:
    """Whether an answer equals one of the choices; what cannot be compared with them, such as an array, does not."""
    try:
        return any(bool(said == choice) for choice in choices)
    except (TypeError, ValueError, RuntimeError):  # of Python, NumPy and torch
        return False


def from_list(values: object) -> object:
    """A list or tuple of numbers as a NumPy array; anything else as it is, for `expect_array` to say what it is."""
    if not isinstance(values, (list, tuple)):
        return values
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, RuntimeError):
        return values


def as_tensor(values: object) -> object:
    """Numbers in a list, in NumPy or in torch as a float64 tensor; anything else as it is."""
    values = from_list(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        values = torch.as_tensor(values)
    return values.double() if isinstance(values, Tensor) else values
