"""The checks as a student runs them: what passes, what does not yet, and clear words about everything else."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.notebooks import UnreadableSubmission, read_cells
from coursework.public_checks import check_notebook

TOOLS = "from attention_book.checks.report import NotYet, Report, checking\n\n"
CHECK = """@checking
def check_double(candidate):
    if candidate(2) != 4:
        raise NotYet("Twice 2 is 4.")
    return Report(True, "Twice 2 is right.")

check_double(double).require()"""


def written(path, *cells):
    """A notebook of (tag, source) pairs."""
    made = [nbformat.v4.new_code_cell(source, metadata={"tags": [tag]} if tag else {}) for tag, source in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def checked(path, answer, *more):
    written(path, ("public:", TOOLS), ("question:double", answer), ("public:double", CHECK), *more)
    return [(found.question, found.passed, found.message) for found in check_notebook(path)]


@pytest.mark.parametrize(
    "answer, passed, message",
    [
        ("def double(x):\n    return x + x", True, "Twice 2 is right."),
        ("def double(x):\n    return x * x * x", False, "Twice 2 is 4."),
        ("%matplotlib inline\ndef double(x):\n    print('here')\n    return 2 * x", True, "Twice 2 is right."),
        ("def double(x):\n    return x +", False, "Cell 2 stopped with SyntaxError"),
        ("def duble(x):\n    return 2 * x", False, "NameError: name 'double' is not defined"),
        ("def double(x):\n    raise SystemExit(3)", False, "SystemExit: 3"),
        ("import sys\nsys.exit(1)", False, "Cell 2 stopped with SystemExit: 1."),
    ],
)
def test_an_answer_passes_or_hears_why_not(tmp_path, capsys, answer, passed, message):
    ((question, got, told),) = checked(tmp_path / "mine.ipynb", answer)
    assert (question, got) == ("double", passed) and message in told
    assert capsys.readouterr().out == ""


def test_a_wrong_answer_stops_no_later_check_and_files_are_read_beside_the_notebook(tmp_path):
    (tmp_path / "number.txt").write_text("2")
    before = os.getcwd()
    later = ("public:later", "assert open('number.txt').read() == '2'")
    found = checked(tmp_path / "mine.ipynb", "def double(x):\n    return 1", later)
    assert [passed for _, passed, _ in found] == [False, True] and os.getcwd() == before


def test_checks_do_not_run_in_the_grader(tmp_path):
    path = written(tmp_path / "a.ipynb", ("public:", TOOLS), ("question:double", "x = 1"), ("public:double", CHECK))
    assert [cell.source for cell in read_cells(path, tmp_path, 10**6)] == ["x = 1"]
    assert [cell.check for cell in read_cells(path, tmp_path, 10**6, checks=True)] == ["", None, "double"]


def test_a_notebook_without_checks_is_refused(tmp_path):
    with pytest.raises(UnreadableSubmission, match="Take a fresh copy of the set"):
        list(check_notebook(written(tmp_path / "mine.ipynb", ("question:double", "x = 1"))))


def test_the_command_says_how_many_pass_and_exits_so(tmp_path):
    path = tmp_path / "mine.ipynb"
    checked(path, "def double(x):\n    return 3")
    wrong = CliRunner().invoke(app, ["check", str(path)])
    assert wrong.exit_code == 1 and "double: Not yet. Twice 2 is 4." in wrong.output
    assert "0 of 1 checks pass. Hidden tests on other inputs give the points." in wrong.output
    checked(path, "def double(x):\n    return 2 * x")
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 0
    path.write_text("{")
    damaged = CliRunner().invoke(app, ["check", str(path)])
    assert damaged.exit_code == 2 and "The notebook is damaged" in damaged.output
    missing = CliRunner().invoke(app, ["check", str(tmp_path / "none.ipynb")])
    assert missing.exit_code == 2 and "cannot be opened" in missing.output


# What Python lacks on Windows and the coursework uses elsewhere; the rest of the machine stays as it is.
AS_ON_WINDOWS = """
import os, platform, select, signal, sys

sys.modules["resource"] = sys.modules["fcntl"] = sys.modules["pwd"] = None  # importing them fails
for module, names in ((os, "fork geteuid getuid killpg O_NOFOLLOW O_NONBLOCK"), (select, "poll"), (signal, "SIGKILL")):
    for name in names.split():
        delattr(module, name)
platform.system = lambda: "Windows"
from coursework.__main__ import app
app()
"""


@pytest.mark.slow
def test_students_on_windows_can_check_and_instructors_there_hear_what_grading_needs(tmp_path):
    path, here = tmp_path / "mine.ipynb", Path(__file__).parent
    checked(path, "def double(x):\n    return 2 * x")

    def run(*arguments):
        command = [sys.executable, "-c", AS_ON_WINDOWS, *map(str, arguments)]
        known = os.pathsep.join([str(here.parents[1]), *filter(None, sys.path)])
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": known})

    done = run("check", path)
    assert done.returncode == 0 and "1 of 1 checks pass" in done.stdout, done.stderr
    refused = run("grade", tmp_path, "--set", here / "tiny_set.py")
    assert refused.returncode == 2 and "needs Linux" in refused.stderr, refused.stderr
