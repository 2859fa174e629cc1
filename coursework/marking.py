"""From a notebook to points: what the submission's process claims is compared here, where it cannot reach."""

import difflib
import importlib.util
from dataclasses import dataclass, field

from coursework.notebooks import UnreadableSubmission, read_cells
from coursework.questions import BadSet
from coursework.runner.exchange import decode, encode

MOST_RETRIES = 3  # cells of other questions that may be left out because they end the process


@dataclass(frozen=True)
class TestMark:
    """One hidden test of one submission. `reason` says why it gave no points."""

    __test__ = False

    name: str
    points: float
    out_of: float
    reason: str | None = None


@dataclass
class QuestionMark:
    """One question of one submission, with remarks on how its cells were read and how its code ended."""

    id: str
    title: str
    tests: list[TestMark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    printed: str = ""

    @property
    def points(self):
        """What the tests gave."""
        return sum(test.points for test in self.tests)


@dataclass
class Mark:
    """One submission. `error` says why nothing of it could be graded; `grader_failed` that this was not its fault."""

    name: str
    questions: list[QuestionMark] = field(default_factory=list)
    error: str | None = None
    grader_failed: bool = False

    @property
    def points(self):
        """What the questions gave."""
        return sum(question.points for question in self.questions)


class Marker:
    """Marks submissions of one set. The inputs and the expected answers are computed once, here, in the grader.

    Raises:
        BadSet: a test of the set fails by itself.
    """

    def __init__(self, problem_set):
        self.set = problem_set
        for name in problem_set.preload:
            if importlib.util.find_spec(name.split(".")[0]) is None:
                raise BadSet(f"{problem_set.name}: it preloads {name}, which is not installed")
        self._draws = {question.id: list(self._drawn(question)) for question in problem_set.questions}

    def _drawn(self, question):
        for index, test in enumerate(question.tests):
            where = f"{self.set.name}, {question.id}, {test.name}"
            for draw in range(test.draws):
                try:
                    arguments = [encode(a) for a in test.inputs(self.set.generator(question, test, draw))]
                    expected = decode(encode(test.reference(*(decode(a, tensors=True) for a in arguments))))
                    refused = test.compare(expected, expected, test.tolerance)
                except Exception as error:
                    raise BadSet(f"{where}: its inputs or its reference fail: {error!r}") from error
                if refused:
                    raise BadSet(f"{where}: its comparison refuses the reference: {refused}")
                if "tensor" in {kind for a in arguments if isinstance(a, dict) for kind in a}:
                    self._needs_torch(where)
                yield index, [test.function, arguments], expected

    def _needs_torch(self, where):
        if "torch" not in self.set.preload:
            raise BadSet(f"{where}: its inputs are tensors, so the set must preload torch")

    def mark(self, name, path, folder, runner):
        """The mark of the notebook `path`. Whatever the submission does ends up in the mark, not in an exception.

        Raises:
            RunnerFailed: the grader's own machinery broke.
        """
        mark = Mark(name)
        try:
            cells = read_cells(path, folder, self.set.limits.notebook_bytes)
        except UnreadableSubmission as error:
            mark.error = str(error)
            return mark
        blamed = set()
        for question in self.set.questions:
            mark.questions.append(self._mark_question(question, cells, blamed, runner))
        return mark

    def _mark_question(self, question, cells, blamed, runner):
        mark = QuestionMark(question.id, question.title)
        own = {cell.number for cell in cells if cell.question == question.id}
        if len(own) > 1:
            mark.notes.append(
                f"{_listed(own)} are all tagged question:{question.id}; they ran in this order, the last one counts."
            )
        for _ in range(1 + MOST_RETRIES):
            order = sorted(
                (c.number in own, c.number, c.source) for c in cells if c.number in own or c.number not in blamed
            )
            sent = [(number, is_own, source) for is_own, number, source in order]
            outcome = runner.run(sent, [call for _, call, _ in self._draws[question.id]], self.set.limits.sent())
            begun = [line["cell"] for line in outcome.lines if type(line.get("cell")) is int]
            reached = any("defined" in line for line in outcome.lines)
            if reached or not begun or begun[-1] in own or begun[-1] in blamed:
                break
            blamed.add(begun[-1])
        left_out = blamed - own
        if left_out:
            mark.notes.append(
                f"{_listed(left_out)} ended the program or ran too long, and did not run for this question."
            )
        mark.printed = outcome.printed
        self._read_claims(question, mark, outcome, own)
        return mark

    def _read_claims(self, question, mark, outcome, own):
        claims, defined = {}, []
        for line in outcome.lines:
            if type(line.get("call")) is int:
                claims.setdefault(line["call"], line)
            elif isinstance(line.get("defined"), list):
                defined = defined or [name for name in line["defined"] if isinstance(name, str)]
            elif line.get("cell") in own and isinstance(line.get("error"), str):
                mark.notes.append(f"Cell {line['cell']} stopped with {_plain(line['error'])}.")
        wrong = {}
        for place, (index, (function, _), expected) in enumerate(self._draws[question.id]):
            test = question.tests[index]
            reason = _judged(test, claims.get(place), expected)
            if reason and place not in claims:
                reason = _ending(outcome, self.set.limits)
            elif reason and function not in defined:
                reason = _not_found(function, defined, own, question.id)
            if reason:
                wrong.setdefault(index, reason)
        for index, test in enumerate(question.tests):
            mark.tests.append(TestMark(test.name, 0 if index in wrong else test.points, test.points, wrong.get(index)))


def _judged(test, claim, expected):
    """Why a claim does not earn its points; None if it does."""
    if claim is None or "value" not in claim:
        error = (claim or {}).get("error")
        return f"`{test.function}` stopped with {_plain(error)}." if isinstance(error, str) else "No answer came back."
    try:
        complaint = test.compare(expected, decode(claim["value"]), test.tolerance)
    except (ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        return f"What came back is no answer: {_plain(str(error))}."
    return complaint and f"What `{test.function}` returns is wrong: {complaint}."


def _ending(outcome, limits):
    return {
        "cpu": f"The code took more than {limits.cpu_seconds:g} seconds of computing. Is there a loop without an end?",
        "wall": f"The code took more than {limits.wall_seconds:g} seconds. Does it wait for something?",
        "result": f"The answers are larger than {limits.result_bytes / 1e6:.1f} MB. Do they have the right shape?",
        "printed": f"The code printed more than {limits.printed_bytes / 1e6:.1f} MB. Take out the print.",
    }.get(
        outcome.why,
        f"The code ended the program (exit status {outcome.status}) before this answer. Take out `exit` and the like.",
    )


def _not_found(function, defined, own, id_):
    near = difflib.get_close_matches(function, defined, n=1, cutoff=0.6)
    if near:
        return f"No function is called `{function}`, but one is called `{_plain(near[0])}`. Give it its name back."
    where = (
        "" if own else f" No cell is tagged question:{id_}: was the cell deleted? Take it from a fresh copy of the set."
    )
    return f"No function is called `{function}`.{where}"


def _listed(numbers):
    return "Cells " + ", ".join(map(str, sorted(numbers))) if len(numbers) > 1 else f"Cell {next(iter(numbers))}"


def _plain(text):
    """A student's text on one short line, safe inside a sentence of the grader's."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:400]).replace("`", "'").split()).rstrip(".")
