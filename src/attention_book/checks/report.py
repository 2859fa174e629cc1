"""What a check answers, and the questions that every check asks: does it run, is it the right thing, is it finite?

A check is a function ``check_NAME(candidate) -> Report`` decorated with `checking`. Inside, it raises `NotYet` with a
diagnosis at the first thing that is wrong, and returns a passed `Report` at its end. Rows, columns and other positions
are counted from 0, as in Python, so that a reader can look at ``weights[2, 3]``.
"""

import copy
import functools
import html
import inspect
import math
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import torch

_ARRAYS = (torch.Tensor, np.ndarray)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of a check: true if it passed, and it says why, as text and as HTML.

    Attributes:
        passed: whether the candidate did what the exercise asks.
        message: one or two sentences of diagnosis; `code` in backticks, *words* in asterisks.
    """

    passed: bool
    message: str

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"{self._verdict} {self.message}"

    def require(self) -> "Report":
        """Fail on a wrong answer, as a grader's cell must: ``_ = check_causal_mask(my_causal_mask).require()``.

        A cell that ends in the bare report runs to its end whether the answer is right or wrong, so a system that gives
        points for a cell without an error gives them to every answer. ``_ =`` keeps the output of the cell empty, as
        grading systems expect: some read an output as points.

        Returns:
            The report itself.

        Raises:
            WrongAnswer: if the check was not passed, with its diagnosis.
        """
        if not self.passed:
            raise WrongAnswer(self.message)
        return self

    def _repr_html_(self) -> str:
        parts = re.split(r"`([^`]+)`", html.escape(self.message, quote=False))
        parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
        parts[::2] = [re.sub(r"(?<!\w)\*(\w(?:[^*]*\w)?)\*(?!\w)", r"<em>\1</em>", text) for text in parts[::2]]
        return f'<p class="check-report" role="status"><strong>{self._verdict}</strong> {"".join(parts)}</p>'

    @property
    def _verdict(self) -> str:
        return "Passed." if self.passed else "Not yet."


class WrongAnswer(AssertionError):
    """Raised by `Report.require`: the answer is wrong, and the message says why. A notebook shows that line alone."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this before it makes a traceback of its own
        return [f"{type(self).__name__}: {self}"]


class NotYet(Exception):
    """Raised inside a check with the diagnosis; `checking` turns it into a report."""


def checking(check: Callable) -> Callable:
    """Let a check raise `NotYet` wherever it finds a fault, and answer with a report all the same."""

    @functools.wraps(check)
    def reporting(*args, **kwargs) -> Report:
        try:
            return check(*args, **kwargs)
        except NotYet as fault:
            return Report(False, str(fault))

    return reporting


def attempt(fn: object, *args, **kwargs) -> object:
    """Run a reader's function on copies of the inputs, and name what goes wrong in plain words.

    Copies of torch tensors stay connected to the originals, so gradients taken of the result reach ``args``.

    Args:
        fn: the reader's function; anything else is a fault of its own.
        args, kwargs: what it is called with.

    Returns:
        Whatever it returned, if that is not None.

    Raises:
        NotYet: if ``fn`` cannot be called, raises, returns None, or changes an input in place.
    """
    if not callable(fn):
        raise NotYet(f"Expected a function, got {_described(fn)}. Pass the function itself, without calling it.")
    copies, named_copies = [_copied(value) for value in args], {name: _copied(kwargs[name]) for name in kwargs}
    try:
        got = fn(*copies, **named_copies)
    except NotImplementedError as error:
        raise NotYet("The body is still to be written: it raises NotImplementedError.") from error
    except Exception as error:
        raise NotYet(_accident(fn, error)) from error
    names = [*_parameter_names(fn, len(args)), *(f"`{name}`" for name in kwargs)]
    after = [*copies, *named_copies.values()]
    for name, old, new in zip(names, [*args, *kwargs.values()], after, strict=True):
        if not _same(old, new):
            raise NotYet(f"It changes {name} in place. Whoever calls it still needs the old values: work on a copy.")
    if got is None or got is ...:
        raise NotYet(f"It returned {got}. Is the `return` missing?")
    return got


def expect_array(
    got: object,
    shape: Sequence[int] | None = None,
    meaning: str = "",
    *,
    like: object = None,
    name: str = "the result",
    boolean: bool = False,
) -> torch.Tensor | np.ndarray:
    """Check that something is an array of the right library, shape and kind, without NaN.

    Args:
        got: what a reader's function returned.
        shape: the shape it must have; any if None.
        meaning: what the axes are, such as "one row per query, one column per key".
        like: an array of the library that is expected, torch if None.
        name: what to call it in the diagnosis, such as "the weights".
        boolean: whether True and False are expected rather than numbers.

    Returns:
        ``got`` itself.

    Raises:
        NotYet: with the first thing that is wrong.
    """
    title = f"The {name[4:]}" if name.startswith("the ") else name  # a name from the code keeps its letters
    has, holds = ("have", "hold") if re.fullmatch("the .*[^aius]s", name) else ("has", "holds")
    wanted = type(like) if isinstance(like, np.ndarray) else torch.Tensor
    if not isinstance(got, wanted):
        raise NotYet(f"Expected {name} to be {_described(wanted)}, got {_described(got)}.")
    explained = f": {meaning}" if meaning else ""
    if shape is not None and tuple(got.shape) != tuple(shape):
        hint = _shape_hint(tuple(got.shape), tuple(shape))
        raise NotYet(f"{title} {has} the wrong shape: expected {tuple(shape)}{explained}; got {tuple(got.shape)}{hint}")
    if isinstance(got, np.ndarray) and got.dtype.kind not in "biuf":
        raise NotYet(f"Expected {name} to hold {'True and False' if boolean else 'numbers'}, got {got.dtype}.")
    is_boolean = _is_boolean(got)
    if is_boolean != boolean:
        kinds = ("True and False", f"numbers of type {str(got.dtype).removeprefix('torch.')}")
        raise NotYet(f"Expected {name} to hold {kinds[0] if boolean else 'numbers'}, got {kinds[not is_boolean]}.")
    place = _first(np.isnan(_numbers(got)))
    if place is not None:
        raise NotYet(f"{title} {holds} NaN, first at {_place(place)}.")
    return got


def expect_parts(got: object, names: Sequence[str]) -> tuple:
    """Check that a function returned as many things as the exercise asks for, in a tuple.

    Args:
        got: what it returned.
        names: what the parts are called, such as ("output", "weights").

    Raises:
        NotYet: if it is no tuple of that length.
    """
    if not isinstance(got, (tuple, list)) or len(got) != len(names):
        count = f"{len(got)} values" if isinstance(got, (tuple, list)) else _described(got)
        raise NotYet(f"Expected {len(names)} values, ({', '.join(names)}); got {count}.")
    return tuple(got)


def expect_number(got: object, name: str = "the result") -> float:
    """Check that something is one finite number; arrays of a single element count.

    Raises:
        NotYet: if it is not.
    """
    if isinstance(got, _ARRAYS) and _numbers(got).size == 1 and not _is_boolean(got):
        got = _numbers(got).item()
    if isinstance(got, bool) or not isinstance(got, Real):  # a Fraction is one
        raise NotYet(f"Expected {name} to be one number, got {_described(got)}.")
    if not math.isfinite(got):
        raise NotYet(f"Expected {name} to be a finite number, got {got}.")
    return float(got)


def first_difference(
    got: object, wanted: object, *, axes: Sequence[str] | None = None, tolerance: float = 1e-6
) -> str | None:
    """Name the first place where two arrays of one shape differ, with both numbers.

    Args:
        got, wanted: arrays or tensors of one shape; infinities equal themselves, NaN equals NaN.
        axes: a name for each axis, such as ("batch", "query", "key"); row and column for the last two if left out.
        tolerance: differences up to this, plus this share of the wanted number, do not count.

    Returns:
        Such as "row 2, column 3 (counted from 0): got 0.25, expected 0.5", or None if nothing differs.

    Raises:
        ValueError: if the shapes differ; check them first with `expect_array`.
    """
    got, wanted = _numbers(got), _numbers(wanted)
    if got.shape != wanted.shape:
        raise ValueError(f"only arrays of one shape can be compared, got {got.shape} and {wanted.shape}")
    place = _first(~np.isclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True))
    if place is None:
        return None
    return f"{_place(place, axes)}: got {_short(got[place])}, expected {_short(wanted[place])}"


def agrees(got: object, wanted: object, tolerance: float = 1e-6) -> bool:
    """Whether two arrays have one shape and differ nowhere: to recognise an answer that goes wrong in a known way.

    Args:
        got, wanted, tolerance: as for `first_difference`.
    """
    return np.shape(_numbers(got)) == np.shape(_numbers(wanted)) and (
        first_difference(got, wanted, tolerance=tolerance) is None
    )


def _short(number) -> str:
    return str(bool(number)) if isinstance(number, np.bool_) else f"{number:.6g}"


def _first(places: np.ndarray | np.bool_) -> tuple[int, ...] | None:
    found = np.argwhere(np.asarray(places))
    return tuple(int(index) for index in found[0]) if len(found) else None


def _place(index: tuple[int, ...], axes: Sequence[str] | None = None) -> str:
    if not index:
        return "its only number"
    if axes is None:
        axes = ["element"] if len(index) == 1 else [f"axis {n} at" for n in range(len(index) - 2)] + ["row", "column"]
    return ", ".join(f"{axis} {number}" for axis, number in zip(axes, index, strict=True)) + " (counted from 0)"


def _is_boolean(array) -> bool:
    return array.dtype == (torch.bool if isinstance(array, torch.Tensor) else bool)


def _numbers(values) -> np.ndarray:
    array = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)
    return array if array.dtype == bool else array.astype(float)


def _copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return copy.deepcopy(value) if isinstance(value, (np.ndarray, list, dict)) else value


def _same(before, after) -> bool:
    if isinstance(before, _ARRAYS):
        return before.shape == after.shape and np.array_equal(_numbers(before), _numbers(after), equal_nan=True)
    if isinstance(before, list):
        return len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_same(before[name], after[name]) for name in before)
    return before == after if isinstance(before, (int, float, str)) else True


def _parameter_names(fn, count: int) -> list[str]:
    """What to call the positional arguments: by the reader's own names where the function tells them."""
    try:
        names = [f"`{p.name}`" for p in inspect.signature(fn).parameters.values() if p.kind < p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return [names[n] if n < len(names) else f"its {_ordinal(n)} argument" for n in range(count)]


def _ordinal(n: int) -> str:
    return _ORDINALS[n] if n < len(_ORDINALS) else f"{n + 1}th"


def _described(value) -> str:
    """A value, or a type, in words a reader meets in this book."""
    kind = value if isinstance(value, type) else type(value)
    known = {
        torch.Tensor: "a torch tensor",
        np.ndarray: "a NumPy array",
        list: "a list",
        dict: "a dictionary",
        str: "a string",
        bool: "True or False",
        type(None): "None",
    }
    if isinstance(value, (tuple, list)):
        return f"a {kind.__name__} of {len(value)}"
    if isinstance(value, (int, float)):
        return f"the {'value' if isinstance(value, bool) else 'number'} {value}"
    return known.get(kind, f"an object of type {kind.__name__}")


def _shape_hint(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if len(got) >= 2 and got != wanted and (*got[:-2], got[-1], got[-2]) == wanted:
        return ": is it transposed?"
    if len(got) < len(wanted) and got == tuple(n for n in wanted if n != 1):
        return ": an axis of length 1 is missing (`keepdim=True` keeps it)."
    if sorted(got) == sorted(wanted):
        return ": the axes are in another order."
    return "."


def _accident(fn, error: Exception) -> str:
    """An exception in one line, with the line of the reader's own code that it came from."""
    file = getattr(getattr(fn, "__code__", None), "co_filename", None)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file and frame.line]
    where = f", in the line `{frames[-1].line.strip()}`" if frames else ""
    said = str(error).strip().split("\n")[0].rstrip(".")
    return f"It raises {type(error).__name__}{where}" + (f": {said}." if said else ".")
