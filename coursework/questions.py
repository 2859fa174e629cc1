"""What a problem set says to the grader: questions, their hidden tests, and the limits under which answers run."""

import hashlib
import hmac
import importlib.util
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import numpy as np

from coursework.comparison import difference


class BadSet(ValueError):
    """The problem set cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class Limits:
    """What one question of one submission may use. Memory counts beyond what the set's own imports take."""

    cpu_seconds: int = 20
    wall_seconds: float = 60
    memory_bytes: int = 1 << 30
    file_bytes: int = 1 << 20
    scratch_bytes: int = 1 << 24
    result_bytes: int = 1 << 22
    printed_bytes: int = 1 << 20
    shown_bytes: int = 1000
    notebook_bytes: int = 5_000_000

    def sent(self):
        """As the runner wants them."""
        return asdict(self)


@dataclass(frozen=True)
class Test:
    """One hidden test: a student's function, called on fresh inputs, must give what the reference gives.

    Attributes:
        name: what is tested, in words that the student may read, such as "a batch of two".
        function: the name of the student's function that is called.
        inputs: makes the arguments, a tuple, from a generator of random numbers; a torch tensor arrives as a tensor.
        reference: the right answer from the same arguments.
        points: given if every draw is right.
        draws: how many fresh inputs are tried.
        tolerance: how far a number may be off, relative to its size and absolutely.
        compare: what is wrong with an answer, as one sentence, or None; `difference` unless the set has its own. It is
            called as compare(expected, answer, tolerance), with plain values: arrays, never tensors.
    """

    __test__ = False  # pytest takes classes of this name for its own

    name: str
    function: str
    inputs: Callable[[np.random.Generator], tuple]
    reference: Callable[..., Any]
    points: float = 1
    draws: int = 3
    tolerance: float = 1e-5
    compare: Callable[[Any, Any, float], str | None] = difference


@dataclass(frozen=True)
class Question:
    """A question that the runner grades. `id` is what the tag `question:ID` of its cells names."""

    id: str
    title: str
    tests: tuple[Test, ...]

    @property
    def functions(self):
        """The names of the functions that the student writes, in the order of the tests."""
        return tuple(dict.fromkeys(test.function for test in self.tests))

    @property
    def points(self):
        """What the question is worth."""
        return sum(test.points for test in self.tests)


@dataclass(frozen=True)
class Written:
    """A question that people mark: its texts, as Markdown, and the points of its rubric."""

    id: str
    title: str
    points: float
    statement: str
    rubric: str
    model: str


@dataclass(frozen=True)
class ProblemSet:
    """A problem set as the grader sees it.

    Attributes:
        name: its title.
        secret: what the seeds of the inputs are drawn from; with it a student could foresee the inputs.
        questions: at least one, with different ids.
        preload: modules that are imported once, before any submission, and so cost no submission time.
        limits: what one question may use.
        written: the questions that the grader leaves to people.
    """

    name: str
    secret: str
    questions: tuple[Question, ...]
    preload: tuple[str, ...] = ("numpy",)
    limits: Limits = field(default_factory=Limits)
    written: tuple[Written, ...] = ()

    def __post_init__(self):
        ids = [question.id for question in self.questions]
        if not ids or len(set(ids)) < len(ids):
            raise BadSet(f"{self.name}: a set needs questions with different ids, not {ids}")
        if len(self.secret) < 8:
            raise BadSet(
                f"{self.name}: its secret has fewer than 8 characters; take a longer one, and keep it out of git"
            )
        for question in self.questions:
            if not question.tests or any(test.points <= 0 or test.draws < 1 for test in question.tests):
                raise BadSet(
                    f"{self.name}, {question.id}: it needs tests, each worth points and with at least one draw"
                )

    @property
    def points(self):
        """What the set is worth."""
        return sum(question.points for question in self.questions)

    def generator(self, question, test, draw):
        """The random numbers of one draw of one test: the same in every run, unknown without the secret."""
        place = "\0".join((self.name, question.id, test.name, str(draw)))
        digest = hmac.new(self.secret.encode(), place.encode(), hashlib.sha256).digest()
        return np.random.default_rng(int.from_bytes(digest[:16], "big"))


class Afresh(SourceFileLoader):
    """Neither reads byte code nor leaves any: it holds the answers, and may be that of a set of a second ago."""

    def get_code(self, fullname):
        return self.source_to_code(self.get_data(self.path), self.path)


def load_set(path):
    """The problem set that the Python file `path` defines as `SET`. The file is run: it must be the instructor's own.

    Raises:
        BadSet: there is no such file, it does not run, or it defines no `SET`.
    """
    path = Path(path)
    if not path.is_file():
        raise BadSet(f"There is no problem set at {path}.")
    if path.suffix != ".py":
        raise BadSet(f"{path} is no Python file; --set takes the file that defines SET.")
    name = f"problem_set_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=Afresh(name, str(path)))
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadSet(f"{path} does not run: {type(error).__name__}: {error}") from error
    if not isinstance(found := getattr(module, "SET", None), ProblemSet):
        raise BadSet(f"{path} defines no SET = ProblemSet(...).")
    return found
