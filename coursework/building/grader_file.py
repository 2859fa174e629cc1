"""The grader's side of a set, as one Python file: solutions, which are the references, and hidden tests.

`python -m coursework grade FOLDER --set set.py` takes it. The secret of its inputs stands in a file beside it.
"""

import secrets

from coursework.building.markers import solved

HEADER = '''"""{title}: hidden tests and their references. For instructors alone; `coursework build` wrote it."""

# ruff: noqa
from pathlib import Path

from coursework.questions import Limits, ProblemSet, Question, Test, Written

_QUESTIONS, TESTS = {{}}, None
'''
KEEP = """
_QUESTIONS[{id!r}], TESTS = Question({id!r}, {title!r}, tuple(TESTS)), None
"""
FOOTER = """
SET = ProblemSet(
    name={title!r},
    secret=Path(__file__).with_name("secret.txt").read_text(encoding="utf-8").strip(),
    questions=tuple(_QUESTIONS[id_] for id_ in {order!r}),
    preload={preload!r},
    limits=Limits(**{limits!r}),
    written=tuple(Written(**fields) for fields in {written!r}),
)
"""


def grader_file(master):
    """The text of `set.py`: the set's own code, solutions and hidden tests, in the order of the master."""
    chunks = [HEADER.format(title=master.title)]
    for part in master.parts:
        if part.role in ("code", "question"):
            chunks.append(f"\n{solved(part.source)}\n")
        elif part.role == "hidden":
            chunks.append(f"\n{part.source.strip()}\n")
            if part.question:
                chunks.append(KEEP.format(id=part.question, title=_title(master, part.question)))
    order = [asked.id for asked in master.questions if not asked.written]
    chunks.append(
        FOOTER.format(
            title=master.title, order=order, preload=master.preload, limits=master.limits, written=_written(master)
        )
    )
    return "\n".join(chunks)


def write_grader_file(master, folder):
    """Write `set.py`, and a secret beside it unless one is there: a set that is built again draws the same inputs."""
    secret, path = folder / "secret.txt", folder / "set.py"
    if not secret.exists():
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_hex(16) + "\n", encoding="utf-8")
    path.touch(mode=0o600)
    path.write_text(grader_file(master), encoding="utf-8")
    return path


def _written(master):
    """The fields of each written question."""
    return [
        {
            "id": asked.id,
            "title": asked.title,
            "points": asked.points,
            "statement": "\n\n".join(part.source for part in master.of("statement", asked.id)),
            "rubric": master.of("rubric", asked.id)[0].source,
            "model": master.of("model", asked.id)[0].source,
        }
        for asked in master.questions
        if asked.written
    ]


def _title(master, id_):
    return next(asked.title for asked in master.questions if asked.id == id_)
