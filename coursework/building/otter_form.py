"""The checks of a set in otter-grader's form, for a course that already runs otter.

Our own student notebook needs no otter: a check is a cell of it. In otter's form a check is a file in `tests/`, which
`grader.check("ID")` runs. Otter never decides a grade here: it runs checks in the student's own process.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path

import nbformat

from coursework.building.student_notebook import assembled, code

TEST = """from otter.test_files import test_case

OK_FORMAT = False

name = {id!r}
points = 0

CHECK = {source!r}


@test_case(points=0, hidden=False)
def test_public(env):
    exec(CHECK, dict(env))
"""
SET_UP = "import otter\n\ngrader = otter.Notebook(tests_dir='tests')"


class NoOtter(RuntimeError):
    """otter-grader is not installed, or it does not take what was written."""


def write_otter_form(folder):
    """Write `student-otter/` beside `student/`, and let otter run every check on the full submission.

    Raises:
        NoOtter: otter is missing, or a check fails there on the full submission.
    """
    try:
        import otter
    except ImportError:
        raise NoOtter(
            "--otter needs otter-grader, which is not installed here: python -m pip install otter-grader==7.0.0, or "
            "python -m pip install -r requirements-course.txt. Without --otter nothing needs it."
        ) from None
    folder = Path(folder).resolve()
    (path,) = (folder / "student").glob("*.ipynb")
    to = folder / "student-otter"
    shutil.rmtree(to, ignore_errors=True)
    (to / "tests").mkdir(parents=True)
    cells = [code(SET_UP)]
    for cell in nbformat.read(path, as_version=4).cells:
        role, _, id_ = (cell.metadata.get("tags") or [""])[0].partition(":")
        if role == "public" and id_:
            (to / "tests" / f"{_name(id_)}.py").write_text(TEST.format(id=_name(id_), source=cell.source))
            cell = code(f'grader.check("{_name(id_)}")', cell.metadata | {"jupyter": {}})
        cells.append(cell)
    nbformat.write(assembled(cells), to / path.name)
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):  # otter keeps a log where it runs
        _run_there(otter, to / "tests", folder / "instructor" / "full-submission.ipynb")


def _name(id_):
    return id_.replace("-", "_")


def _run_there(otter, tests, submission):
    names = {}
    for cell in nbformat.read(submission, as_version=4).cells:
        role, _, id_ = (cell.metadata.get("tags") or [""])[0].partition(":")
        if cell.cell_type == "code" and not (role == "public" and id_):
            exec(cell.source, names)
        elif role == "public":
            found = otter.Notebook(tests_dir=str(tests)).check(_name(id_), global_env=names)
            if not all(result.passed for result in found.test_case_results):
                raise NoOtter(f"The check {id_} fails in otter on the full submission: {found}.")
