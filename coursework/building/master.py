"""A problem set's master: one MyST notebook that holds statements, starters, solutions, checks, hidden tests, rubrics.

What a cell is for stands in its tag, `ROLE` or `ROLE:QUESTION`; coursework/README.md lists the roles. The table of
questions, in the front matter, gives their order and what is told about each.
"""

import ast
import re
from dataclasses import dataclass, replace
from pathlib import Path

import jupytext

from coursework.building.markers import check_markers
from coursework.questions import BadSet

CODE_ROLES = ("question", "public", "hidden", "variants")
TEXT_ROLES = ("statement", "rubric", "model")
LONE_ROLES = ("public", "hidden", "variants")  # these may belong to the whole set
SET_FIELDS = {"number", "title", "hours", "prerequisites", "questions", "preload", "limits"}
FIELDS = {"title", "minutes", "difficulty", "section", "goal"}


@dataclass(frozen=True)
class Part:
    """A cell of the master: its role ("text" or "code" if it has no tag), its question, if any, and its text."""

    role: str
    question: str | None
    source: str

    @property
    def is_code(self):
        """Whether it is a code cell."""
        return self.role == "code" or self.role in CODE_ROLES


@dataclass(frozen=True)
class Asked:
    """What the front matter says of a question; `points` only if it is a written one, which people grade."""

    id: str
    title: str
    minutes: int
    difficulty: int
    section: str
    goal: str
    points: float | None = None

    @property
    def written(self):
        """Whether the answer is text."""
        return self.points is not None


@dataclass(frozen=True)
class Master:
    """A set as its author wrote it, read and checked. `name` is its folder's."""

    name: str
    title: str
    hours: str
    prerequisites: tuple[str, ...]
    questions: tuple[Asked, ...]
    preload: tuple[str, ...]
    limits: dict
    parts: tuple[Part, ...]

    def of(self, role, question=None):
        """The cells of this role and question, in order."""
        return [part for part in self.parts if part.role == role and part.question == question]

    def with_sources(self, change):
        """The master with `change(part)` in place of each cell's text."""
        return replace(self, parts=tuple(replace(part, source=change(part)) for part in self.parts))


def read_master(path):
    """Read the master `path`, and check that nothing in it is missing, unknown or in the wrong place.

    Raises:
        BadSet: with the first thing that is wrong, and where.
    """
    path = Path(path)
    if not path.is_file():
        raise BadSet(f"There is no master at {path}.")
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    about = notebook.metadata.get("coursework")
    if not isinstance(about, dict):
        raise BadSet(f"{path} has no `coursework:` in its front matter.")
    _require_fields(f"{path.parent.name}, front matter", about, SET_FIELDS - {"preload", "limits"}, SET_FIELDS)
    master = Master(
        name=path.parent.name,
        title=about["title"],
        hours=str(about["hours"]),
        prerequisites=tuple(about["prerequisites"]),
        questions=tuple(_asked(path.parent.name, id_, fields) for id_, fields in about["questions"].items()),
        preload=tuple(about.get("preload", ("numpy",))),
        limits=dict(about.get("limits", {})),
        parts=tuple(_part(path.parent.name, number, cell) for number, cell in enumerate(notebook.cells, 1)),
    )
    _check_questions(master)
    _check_names(master)
    return master


def _require_fields(where, given, needed, allowed):
    missing, unknown = sorted(needed - given.keys()), sorted(given.keys() - allowed)
    if missing or unknown:
        wrong = f"it lacks {', '.join(missing)}" if missing else f"it has {', '.join(unknown)}, which nothing reads"
        raise BadSet(f"{where}: {wrong}.")


def _asked(name, id_, fields):
    where = f"{name}, question {id_}"
    if not re.fullmatch("[a-z][a-z0-9-]*", id_):
        raise BadSet(f"{where}: an id has small letters, digits and hyphens alone.")
    _require_fields(where, fields, FIELDS, FIELDS | {"points"})
    if fields["difficulty"] not in (1, 2, 3):
        raise BadSet(f"{where}: its difficulty is 1, 2 or 3, not {fields['difficulty']!r}.")
    if not fields.get("points", 1) > 0:
        raise BadSet(f"{where}: a written question is worth more than {fields['points']} points.")
    return Asked(id=id_, **fields)


def _part(name, number, cell):
    where, found = f"{name}, cell {number}", []
    for tag in cell.metadata.get("tags", ()):
        role, colon, question = tag.partition(":")
        if role not in CODE_ROLES + TEXT_ROLES or not (colon or role in LONE_ROLES):
            raise BadSet(f"{where}: nothing is known of the tag {tag!r}; the README lists the roles of cells.")
        found.append((role, question or None))
    if len(found) > 1:
        raise BadSet(f"{where}: a cell has one role, not {len(found)}.")
    is_code = cell.cell_type == "code"
    role, question = found[0] if found else ("code" if is_code else "text", None)
    part = Part(role, question, cell.source)
    if part.is_code != is_code:
        raise BadSet(f"{where}: a {role} is {'code' if part.is_code else 'text'}.")
    if is_code:
        _check_code(where, part)
    return part


def _check_code(where, part):
    try:
        ast.parse(part.source)
    except SyntaxError as error:
        raise BadSet(f"{where}: line {error.lineno} is no Python: {error.msg}.") from None
    check_markers(where, part.source, part.role == "question")


def _check_questions(master):
    known = {asked.id for asked in master.questions}
    for part in master.parts:
        if part.question is not None and part.question not in known:
            raise BadSet(f"{master.name}: {part.role}:{part.question} names no question of the front matter.")
    for asked in master.questions:
        needed = ("statement", "rubric", "model") if asked.written else ("statement", "question", "public", "hidden")
        for role in (*CODE_ROLES[:3], *TEXT_ROLES):
            count = len(master.of(role, asked.id))
            if (count == 0) == (role in needed) or (count > 1 and role not in ("statement", "question")):
                wanted = "needs one" if role in needed else "has no use for any"
                raise BadSet(
                    f"{master.name}, question {asked.id}: it has {count} cells {role}:{asked.id}, and {wanted}."
                )
        if asked.written:
            _check_rubric(master, asked)
    order = list(dict.fromkeys(part.question for part in master.parts if part.role == "statement"))
    if order != [asked.id for asked in master.questions]:
        raise BadSet(f"{master.name}: the statements come in the order {order}, and not in that of the front matter.")


def _check_names(master):
    """A name that two cells define would mean the later one in a hidden test of the earlier one."""
    places = {}
    for part in master.parts:
        if part.role in ("code", "question", "hidden"):
            for node in ast.parse(part.source).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    places.setdefault(node.name, []).append(f"{part.role}:{part.question or ''}".rstrip(":"))
    for name, found in places.items():
        if len(found) > 1:
            raise BadSet(f"{master.name}: {name} is defined in {' and in '.join(found)}; give each a name of its own.")


def _check_rubric(master, asked):
    (rubric,) = master.of("rubric", asked.id)
    given = sum(float(points) for points in re.findall(r"^- ([0-9.]+) points?: ", rubric.source, re.M))
    if given != asked.points:
        raise BadSet(
            f"{master.name}, question {asked.id}: the lines '- N points: ...' of its rubric give {given:g} points, "
            f"and the question {asked.points:g}."
        )
