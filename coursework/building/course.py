"""Builds sets: for each a folder with a student's side, which is searched for leaks, and an instructor's side."""

import os
import re
import shutil
from pathlib import Path

import nbformat

from coursework.building.grader_file import write_grader_file
from coursework.building.instructor_side import full_submission, rubric, solution_notebook
from coursework.building.leaks import leaks
from coursework.building.master import read_master
from coursework.building.student_notebook import student_notebook
from coursework.building.variants import with_variant
from coursework.gradescope.archive import write_gradescope_zip
from coursework.marking import Marker
from coursework.questions import BadSet, load_set

SETS = Path(__file__).resolve().parents[1] / "sets"
PUBLISHED = "published"  # the seed of the numbers that everybody gets, if no variant is asked for


def known_sets(sets=SETS):
    """The names of all sets, in alphabetical order."""
    return sorted(path.parent.name for path in Path(sets).glob("*/master.md"))


def build_set(name, to, variant=None, sets=SETS):
    """Build one set into `to/NAME`, or `to/NAME-VARIANT`, and return that folder.

    Its `student/` is what students get. Its `instructor/` has the solutions, the rubric, the grader's `set.py` with a
    secret of its own (kept when the set is built again), and the zip for Gradescope.

    Raises:
        BadSet: the master is faulty, a hidden test fails on its own reference, or something leaks to students.
    """
    if name not in known_sets(sets):
        raise BadSet(f"There is no set {name!r}; there are: {', '.join(known_sets(sets)) or 'none'}.")
    if variant is not None and not re.fullmatch(r"[\w.@-]{1,60}", variant):
        raise BadSet(f"A variant is a word of letters, digits and . @ - _, not {variant!r}.")
    master = with_variant(read_master(Path(sets) / name / "master.md"), variant or PUBLISHED)
    folder = Path(to) / (f"{name}-{variant}" if variant else name)
    student, instructor = folder / "student", folder / "instructor"
    shutil.rmtree(student, ignore_errors=True)
    student.mkdir(parents=True)
    instructor.mkdir(mode=0o700, exist_ok=True)
    set_file = write_grader_file(master, instructor)
    problem_set = load_set(set_file)
    _check_functions(master, problem_set)
    Marker(problem_set)  # draws every hidden test once, and compares each reference with itself
    points = {asked.id: asked.points for asked in master.questions}
    points |= {question.id: question.points for question in problem_set.questions}
    _write(student / f"{name}.ipynb", student_notebook(master, points))
    _write(instructor / "full-submission.ipynb", full_submission(master, points))
    _write(instructor / "solution.ipynb", solution_notebook(master, points))
    (instructor / "rubric.md").write_text(rubric(master, points), encoding="utf-8")
    write_gradescope_zip(master, instructor)
    if found := leaks(master, student, (problem_set.secret, variant or "")):
        shutil.rmtree(student)
        raise BadSet(f"{name}: nothing was handed out, because this leaks:\n" + "\n".join(found))
    return folder


def _check_functions(master, problem_set):
    for question in problem_set.questions:
        source = "\n".join(part.source for part in master.of("question", question.id))
        missing = [name for name in question.functions if f"def {name}(" not in source]
        if missing:
            raise BadSet(
                f"{master.name}, question {question.id}: its tests call {missing[0]}, which it does not ask for."
            )


def _write(path, notebook):
    nbformat.validate(notebook)
    temporary = path.with_suffix(".part")
    nbformat.write(notebook, temporary)
    os.replace(temporary, path)
