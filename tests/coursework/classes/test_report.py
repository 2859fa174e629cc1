"""Difficulty and discrimination, by hand and against NumPy's correlation, and tables that are none."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.classes.report import items, read_grades, report
from coursework.grading import write_grades
from coursework.marking import Mark, QuestionMark, TestMark
from coursework.questions import BadSet, load_set

SET_FILE = Path(__file__).parents[1] / "tiny_set.py"  # counts 2 points, softmax 3, slope 3
SET = load_set(SET_FILE)
POINTS = np.array([[2, 3, 3], [2, 1, 3], [0, 1, 3], [0, 0, 3]], float)


def written(path, rows, failed=0):
    marks = [
        Mark(f"s{n}.ipynb", [QuestionMark(q.id, q.title, [TestMark("t", p, q.points)]) for q, p in
                             zip(SET.questions, row, strict=True)])
        for n, row in enumerate(rows)
    ]  # fmt: skip
    marks += [Mark(f"x{n}.ipynb", error="The notebook is damaged.", grader_failed=bool(n)) for n in range(failed)]
    write_grades(path, SET, marks)
    return path


def test_difficulty_and_discrimination_by_hand():
    counts, softmax, slope = items(POINTS, SET)
    assert (counts.difficulty, counts.full, counts.none) == (0.5, 0.5, 0.5)
    assert softmax.difficulty == pytest.approx(5 / 12) and softmax.full == softmax.none == 0.25
    assert counts.discrimination == pytest.approx(3 / np.sqrt(19))  # shares 1, 1, 0, 0; the rest 6, 4, 4, 3 of 6
    assert slope.difficulty == 1 and slope.discrimination is None


def test_the_discrimination_is_the_correlation_with_the_rest():
    points = np.random.default_rng(3).integers(0, 3, size=(40, 3)).astype(float)
    for column, item in enumerate(items(points, SET)):
        rest = points.sum(axis=1) - points[:, column]
        assert item.discrimination == pytest.approx(np.corrcoef(points[:, column], rest)[0, 1])


def test_the_table_of_grades_is_read_without_what_could_not_be_graded(tmp_path):
    points, left_out = read_grades(written(tmp_path / "grades.csv", POINTS, failed=2), SET)
    assert (points == POINTS).all() and left_out == 2


def test_the_report_says_what_to_look_at():
    text = report(POINTS, 2, SET)
    assert "# A tiny set: 4 submissions" in text and "2 more could not be graded" in text
    assert "With fewer than 10 submissions a discrimination is mostly chance." in text
    assert "| slope | 1.00 | 100% | 0% | not defined |  |" in text
    turned = np.array([[2, 0, 0], [2, 0, 0], [0, 3, 3], [0, 3, 3]], float)
    assert "| counts | 0.50 | 50% | 50% | -1.00 | hardly tells strong from weak |" in report(turned, 0, SET)


def test_the_command_reports_and_refuses_other_tables(tmp_path):
    path = written(tmp_path / "grades.csv", POINTS)
    done = CliRunner().invoke(app, ["report", str(path), "--set", str(SET_FILE)])
    assert done.exit_code == 0 and "| softmax | 0.42 |" in done.output
    path.write_text("submission,points\na,1\n")
    with pytest.raises(BadSet, match="is no table of grades of A tiny set"):
        read_grades(path, SET)
    path.write_text("submission,counts,softmax,slope,remark\na,many,1,1,\n")
    with pytest.raises(BadSet, match="something else than points"):
        read_grades(path, SET)
    with pytest.raises(BadSet, match="cannot be read"):
        read_grades(tmp_path / "none.csv", SET)
    written(path, POINTS[:0], failed=1)
    empty = CliRunner().invoke(app, ["report", str(path), "--set", str(SET_FILE)])
    assert empty.exit_code == 2 and "holds no graded submission" in empty.output
