"""The command as an instructor runs it, and what it says about bad input."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from notebooks import notebook
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.questions import BadSet, ProblemSet, Question, Test, load_set

BOOK = Path(__file__).parents[2]
SET = Path(__file__).with_name("tiny_set.py")


def run(*arguments):
    """The command in a process of its own, whatever its exit status."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [BOOK / "src", BOOK]))}
    command = [sys.executable, "-m", "coursework", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=BOOK, env=here)


ONE_QUESTION = """
from coursework.questions import ProblemSet, Question, Test

test = Test("a few numbers", "double", lambda rng: (rng.normal(size=3),), lambda x: 2 * x, points=4)
SET = ProblemSet("One question", "of this test alone", (Question("double", "Twice", (test,)),))
"""


@pytest.mark.slow
def test_a_class_is_graded_the_same_twice_and_in_slices(tmp_path):
    folder, set_file, out = tmp_path / "class", tmp_path / "one_question.py", tmp_path / "class-grades"
    folder.mkdir()
    set_file.write_text(ONE_QUESTION)
    (folder / "ana.ipynb").write_text(notebook({"double": "def double(x):\n    return x + x"}))
    chance = "def double(x):\n    return 2 * x + (np.random.random() > 0.5) + (hash('a') % 2)"
    (folder / "ben.ipynb").write_text(notebook({"double": chance}))
    (folder / "cem.ipynb").write_text("{")
    first = run("grade", folder, "--set", set_file)
    assert first.returncode == 0, first.stderr
    assert "3 submissions, 0 of them not graded" in first.stdout and "3/3" in first.stderr
    written = {path: path.read_bytes() for path in out.rglob("*.*") if path.name != "walls.md"}
    assert sorted(path.name for path in written) == ["ana.ipynb.md", "ben.ipynb.md", "cem.ipynb.md", "grades.csv"]
    rows = list(csv.reader((out / "grades.csv").read_text().splitlines()))
    assert [rows[1][:4], rows[3][:4]] == [["ana.ipynb", "4", "4", "4"], ["cem.ipynb", "0", "4", "0"]]
    assert "tested: holds" in (out / "walls.md").read_text()
    second = run("grade", folder, "--set", set_file, "--workers", 1)
    assert second.returncode == 0, second.stderr
    assert {path: path.read_bytes() for path in written} == written
    sliced = CliRunner().invoke(app, ["grade", str(folder), "--set", str(set_file), "--part", "2/3"])
    assert sliced.exit_code == 0, sliced.output
    assert (out / "grades-2-of-3.csv").read_text().splitlines()[1:] == [",".join(rows[2])]
    assert (out / "grades.csv").read_bytes() == written[out / "grades.csv"]


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["nowhere", "--set", SET], "no folder of submissions at nowhere"),
        ([".", "--set", "nowhere.py"], "no problem set at nowhere.py"),
        ([".", "--set", SET, "--part", "4/3"], "--part takes a number and a count"),
        ([".", "--set", SET, "--secret-file", "nowhere"], "No such file"),
    ],
)
def test_bad_input_is_refused_with_the_reason(arguments, reason):
    done = CliRunner().invoke(app, ["grade", *map(str, arguments)])
    assert done.exit_code == 2 and reason in done.output


@pytest.mark.parametrize(
    "text, reason",
    [("SET = 1", "defines no SET"), ("1 / 0", "ZeroDivisionError"), ("def (", "does not run: SyntaxError")],
)
def test_a_bad_set_is_refused_with_the_reason(tmp_path, text, reason):
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(BadSet, match=reason):
        load_set(tmp_path / "bad.py")


def test_a_set_that_could_not_grade_fairly_is_refused():
    test = Test("x", "f", lambda rng: (1,), lambda x: x)
    question = Question("a", "A", (test,))
    with pytest.raises(BadSet, match="different ids"):
        ProblemSet("s", "secret words", (question, question))
    with pytest.raises(BadSet, match="fewer than 8"):
        ProblemSet("s", "short", (question,))
    with pytest.raises(BadSet, match="needs tests"):
        ProblemSet("s", "secret words", (Question("a", "A", ()),))


def test_inputs_are_the_same_in_every_run_and_others_for_every_secret_question_test_and_draw():
    def first(secret="secret words", question="a", test="x", draw=0):
        asked = Question(question, "A", (Test(test, "f", lambda rng: (1,), lambda x: x),))
        return ProblemSet("s", secret, (asked,)).generator(asked, asked.tests[0], draw).random()

    assert first() == first()
    others = {first(secret="other words"), first(question="b"), first(test="y"), first(draw=1)}
    assert len(others | {first()}) == 5
