"""The checks that came with a set, run for a student: what passes, what does not yet, and why. They give no points."""

import ast
import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

from coursework.notebooks import UnreadableSubmission, read_cells

MOST_BYTES = 50_000_000  # with outputs


@dataclass(frozen=True)
class Checked:
    """What the check of one question said."""

    question: str
    passed: bool
    message: str


def check_notebook(path):
    """Run the notebook's cells in order, in this process, as Jupyter would; yield what each check says.

    It is the student's own code on the student's own machine: nothing is walled off here.

    Raises:
        UnreadableSubmission: this is no notebook, or it has no checks.
    """
    path = Path(path).resolve()
    cells = read_cells(path, path.parent, MOST_BYTES, checks=True)
    if not any(cell.check for cell in cells):
        raise UnreadableSubmission("No cell of this notebook is a check. Take a fresh copy of the set.")
    names, stopped = {"__name__": "__main__"}, {}
    with contextlib.chdir(path.parent):
        for cell in cells:
            value, error = _run(cell, names)
            if not cell.check:  # an answer, or what all checks use
                if error:
                    stopped[cell.question] = f"Cell {cell.number} stopped with {error}."
            elif error:
                yield Checked(cell.check, False, stopped.get(cell.check, error))
            else:
                yield Checked(cell.check, True, str(getattr(value, "message", "")))


def _run(cell, names):
    """Run a cell; returns the value of its last expression and None, or None and what it stopped with."""
    try:
        tree = ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", cell.source, flags=re.M))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, f"<cell {cell.number}>", "exec"), names)
            value = last and eval(compile(ast.Expression(last.value), f"<cell {cell.number}>", "eval"), names)
        return value, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit among them
        own = type(error).__name__ == "WrongAnswer"
        return None, str(error) if own else f"{type(error).__name__}: {error}"
