"""The command as an instructor runs it, and what it says about bad input."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from notebooks import notebook
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.grading import write_feedback, write_grades
from coursework.layers import MEANINGS, Refused, Walls, try_walls
from coursework.marking import Mark, Marker
from coursework.questions import BadSet, ProblemSet, Question, Test, load_set

BOOK = Path(__file__).parents[2]
SET = Path(__file__).with_name("tiny_set.py")


def run(*arguments):
    """The command in a process of its own, whatever its exit status."""
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(BOOK / "src"), str(BOOK), *sys.path])}
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
    try:
        try_walls([set_file, folder]).require()
    except Refused as error:
        assert run("grade", folder, "--set", set_file).returncode == 2
        pytest.skip(f"sandbox: {error}")
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


def test_a_set_that_is_no_python_file_is_refused(tmp_path):
    (tmp_path / "set.txt").write_text("SET = 1")
    with pytest.raises(BadSet, match="is no Python file"):
        load_set(tmp_path / "set.txt")


SMALL_SET = """
from coursework.questions import ProblemSet, Question, Test
SET = ProblemSet("s", "secret words {}", (Question("a", "A", (Test("x", "f", lambda rng: (1,), lambda x: x),)),))
"""


def test_a_set_is_read_afresh_and_leaves_no_answers_beside_it(tmp_path, monkeypatch):
    """Python would take a file of the same size and second for the same, and keep its byte code in a folder."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "set.py"
    for number in (1, 2):
        path.write_text(SMALL_SET.format(number))
        os.utime(path, (10**9, 10**9))
        assert load_set(path).secret == f"secret words {number}"
    assert list(tmp_path.iterdir()) == [path]


def test_a_set_that_could_not_grade_fairly_is_refused():
    test = Test("x", "f", lambda rng: (1,), lambda x: x)
    question = Question("a", "A", (test,))
    with pytest.raises(BadSet, match="different ids"):
        ProblemSet("s", "secret words", (question, question))
    with pytest.raises(BadSet, match="fewer than 8"):
        ProblemSet("s", "short", (question,))
    with pytest.raises(BadSet, match="needs tests"):
        ProblemSet("s", "secret words", (Question("a", "A", ()),))


@pytest.mark.parametrize(
    "inputs, options, preload, reason",
    [
        (lambda rng: (rng.nothing,), {}, ("numpy",), "its inputs or its reference fail: AttributeError"),
        (lambda rng: (1,), {"compare": lambda *_: "no"}, ("numpy",), "its comparison refuses the reference: no"),
        (lambda rng: (1,), {}, ("no_such_module",), "preloads no_such_module, which is not installed"),
        (lambda rng: (torch.ones(2),), {}, ("numpy",), "must preload torch"),
    ],
)
def test_a_set_whose_tests_fail_by_themselves_is_refused(inputs, options, preload, reason):
    question = Question("a", "A", (Test("x", "f", inputs, lambda x: x, **options),))
    with pytest.raises(BadSet, match=reason):
        Marker(ProblemSet("s", "secret words", (question,), preload))


def test_odd_file_names_lose_no_grade(tmp_path):
    problem_set = load_set(SET)
    names = [os.fsdecode(b"\xff.ipynb"), "=1+1.ipynb", "n" * 249 + ".ipynb", 'a,"b"\n.ipynb']
    marks = [Mark(name, error="It is damaged.") for name in names]
    for mark in marks:
        write_feedback(tmp_path, problem_set, mark)
    write_grades(tmp_path / "grades.csv", problem_set, marks)
    with open(tmp_path / "grades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [row[0] for row in rows[1:]] == ["\\udcff.ipynb", "'=1+1.ipynb", *names[2:]]
    assert all("It is damaged." in path.read_text() for path in tmp_path.glob("*.md"))
    assert len(list(tmp_path.glob("*.md"))) == 4


def test_an_interrupted_run_keeps_what_was_graded(tmp_path, monkeypatch):
    def interrupted(*_):
        yield Mark("ana.ipynb", error="It is damaged.")
        raise KeyboardInterrupt

    monkeypatch.setattr("coursework.__main__.grade_all", interrupted)
    monkeypatch.setattr("coursework.__main__.try_walls", lambda _: Walls([], None, dict.fromkeys(MEANINGS), {}))
    (tmp_path / "class").mkdir()
    done = CliRunner().invoke(app, ["grade", str(tmp_path / "class"), "--set", str(SET)])
    assert done.exit_code == 130 and "1 of 0 are in grades-unfinished.csv" in done.output
    assert "ana.ipynb,0,8" in (tmp_path / "class-grades" / "grades-unfinished.csv").read_text()


def test_inputs_are_the_same_in_every_run_and_others_for_every_secret_question_test_and_draw():
    def first(secret="secret words", question="a", test="x", draw=0):
        asked = Question(question, "A", (Test(test, "f", lambda rng: (1,), lambda x: x),))
        return ProblemSet("s", secret, (asked,)).generator(asked, asked.tests[0], draw).random()

    assert first() == first()
    others = {first(secret="other words"), first(question="b"), first(test="y"), first(draw=1)}
    assert len(others | {first()}) == 5
