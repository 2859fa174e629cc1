"""Written answers from untrusted notebooks: what the pages show, and how points come back into a table of grades."""

import csv
import json
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.classes.written import MOST_CHARACTERS, collect, merge
from coursework.grading import submissions, write_grades
from coursework.marking import Mark, QuestionMark, TestMark
from coursework.questions import BadSet, ProblemSet, Question, Test, Written

ASKED = (
    Written("why", "Why & how", 4, "Why is *a < b*?", "- 4 points: says that it is.", "Since it is."),
    Written("show", "Show it", 2.5, "Show it.", "- 2.5 points: shows it.", "Here."),
)
ONE = Question("one", "One", (Test("a", "f", lambda rng: (1,), lambda x: x, points=3),))
SET = ProblemSet("Two texts", "of this test alone", (ONE,), written=ASKED)
FIXED = {"deletable": False, "editable": False}


def text(source, tags=(), **more):
    return {"cell_type": "markdown", "metadata": {**({"tags": list(tags)} if tags else {}), **more}, "source": source}


def code(source, outputs=(), tags=()):
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": list(outputs)}


def saved(path, *cells):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}))


@pytest.fixture
def handed_in(tmp_path):
    """A class of four: a full answer with an example, an empty one, a deleted cell, and no notebook at all."""
    folder = tmp_path / "class"
    example = code("print(1 < 2)", [{"output_type": "stream", "text": ["True\n"]}, {"data": {"image/png": "x"}}])
    statement = text("## 2. Show it", **FIXED)
    saved(
        folder / "ana.ipynb",
        text("## 1. Why", **FIXED),
        text(["<script>alert(1)</script> b\u202eackwards ", "क्\u200dष"], ["written:why"]), example,
        statement, text("*Your answer.*\n\nBy hand.", ["written:show"]),
        code("def f(x):\n    return x", tags=["question:one"]), text("A remark of my own."),
    )  # fmt: skip
    saved(
        folder / "ben.ipynb", text("*Your answer.*", ["written:why"]), statement,
        text("x" * (MOST_CHARACTERS + 7), ["written:show"]),
    )  # fmt: skip
    saved(folder / "cem.ipynb", text("Everything in one text.", ["other"]))
    (folder / "dan.ipynb").write_text("{")
    return folder


def pages(folder, out):
    out.mkdir(exist_ok=True)
    collect(SET, folder, submissions(folder), out)
    return {asked.id: (out / f"{asked.id}.html").read_text(encoding="utf-8") for asked in ASKED}


def table(path):
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


class Tags(HTMLParser):
    """Which elements a page has, and its text."""

    def __init__(self, page):
        super().__init__()
        self.names, self.text = set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]

    def handle_data(self, data):
        self.text += data


def test_a_page_shows_all_answers_to_one_question_as_text(handed_in, tmp_path):
    made = pages(handed_in, tmp_path / "out")
    shown = Tags(made["why"])
    assert not shown.names & {"script", "iframe", "img", "link", "a", "form", "object", "svg"}
    for part in ("Why is *a < b*?", "- 4 points", "Since it is.", "<script>alert(1)</script>", "print(1 < 2)", "True"):
        assert part in shown.text
    assert "b\ufffdackwards" in shown.text and "क्\u200dष" in shown.text and "A picture" in shown.text
    assert "A remark of my own." not in shown.text and "By hand." not in shown.text
    places = [made["why"].index(f"<h2>{name}.ipynb</h2>") for name in ("ana", "ben", "cem", "dan")]
    assert places == sorted(places)
    assert made["why"].count("No answer.") == 1 and "has no cell for this answer" in made["why"]
    assert "The notebook is damaged" in made["why"] and "By hand." in made["show"]
    assert "7 more characters are left out" in made["show"] and made["show"].count("x" * 100) == MOST_CHARACTERS // 100


def test_the_table_waits_for_points_and_is_never_written_over(handed_in, tmp_path):
    pages(handed_in, tmp_path / "out")
    path = tmp_path / "out" / "points.csv"
    assert table(path) == [["submission", "why", "show"], ["ana.ipynb", "", ""], ["ben.ipynb", "0", ""],
                           ["cem.ipynb", "", ""], ["dan.ipynb", "", ""]]  # fmt: skip
    path.write_text("somebody's work")
    pages(handed_in, tmp_path / "out")
    assert path.read_text() == "somebody's work"


def test_a_name_that_a_spreadsheet_would_compute_is_text(tmp_path):
    saved(tmp_path / "class" / "=1+1.ipynb", text("An answer.", ["written:why"]))
    pages(tmp_path / "class", tmp_path / "out")
    assert table(tmp_path / "out" / "points.csv")[1][0] == "'=1+1.ipynb"


@pytest.fixture
def graded(tmp_path):
    """Grades of three: 3 points, none since unreadable, and a fault of the grader."""
    full = QuestionMark("one", "One", [TestMark("a", 3, 3)])
    marks = [
        Mark("ana.ipynb", [full]),
        Mark("dan.ipynb", error="Damaged."),
        Mark("eve.ipynb", error="Ours.", grader_failed=True),
    ]
    write_grades(tmp_path / "grades.csv", SET, marks)
    return tmp_path / "grades.csv"


FILLED = "submission,why,show\nana.ipynb,3,2.5\ndan.ipynb,,\neve.ipynb,1,2\n"


def test_points_come_back_as_columns_and_in_the_sums(graded, tmp_path):
    wanted = [
        ["submission", "points", "out of", "one", "why", "show", "remark"],
        ["ana.ipynb", "8.5", "9.5", "3", "3", "2.5", ""],
        ["dan.ipynb", "0", "9.5", "0", "0", "0", "Damaged."],
        ["eve.ipynb", "", "9.5", "", "1", "2", "Ours."],
    ]
    path = tmp_path / "points.csv"
    for filled in (
        FILLED,
        "\ufeff" + FILLED,
        FILLED.replace(",", ";").replace("2.5", "2,5"),
        FILLED.replace("\n", "\r\n"),
    ):
        path.write_text(filled, encoding="utf-8", newline="")
        assert merge(graded, path, SET) == wanted


@pytest.mark.parametrize(
    "old, new, reason",
    [
        ("ana.ipynb,3", "ana.ipynb,", "no points yet for ana.ipynb (why); 0 is a number too"),
        ("ana.ipynb,3,2.5\n", "", "no points yet for ana.ipynb (show), ana.ipynb (why)"),
        ("ana.ipynb,3", "ana.ipynb,5", "why has 0 to 4 points, not 5"),
        ("ana.ipynb,3", "ana.ipynb,-1", "why has 0 to 4 points, not -1"),
        ("ana.ipynb,3", "ana.ipynb,nan", "'nan' is no number"),
        ("ana.ipynb,3", "ana.ipynb,good", "'good' is no number"),
        ("ana.ipynb", "anna.ipynb", "has rows that"),
        ("dan.ipynb", "ana.ipynb", "more than one row for ana.ipynb"),
        ("why,show", "why,shown", "lacks one of the columns submission, why, show"),
        ("3,2.5", "3,2.5,1", "a row that is longer or shorter"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_the_reason(graded, tmp_path, old, new, reason):
    path = tmp_path / "points.csv"
    path.write_text(FILLED.replace(old, new, 1))
    with pytest.raises(BadSet) as error:
        merge(graded, path, SET)
    assert reason in str(error.value)


def test_a_merged_table_is_not_merged_again_and_other_files_are_refused(graded, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(FILLED)
    graded.write_text("\n".join(",".join(row) for row in merge(graded, path, SET)) + "\n")
    with pytest.raises(BadSet, match="has the written points already"):
        merge(graded, path, SET)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadSet, match=r"cannot be read.*UTF-8"):
        merge(graded, path, SET)
    with pytest.raises(BadSet, match="has no written questions"):
        merge(graded, path, ProblemSet("None", "of this test alone", (ONE,)))


SET_FILE = """
from coursework.questions import ProblemSet, Question, Test, Written
test = Test("a", "f", lambda rng: (1,), lambda x: x, points=3)
asked = Written("why", "Why", 4, "Why?", "- 4 points: says so.", "So.")
SET = ProblemSet("One text", "of this test alone", (Question("one", "One", (test,)),), written=(asked,))
"""


def test_the_commands_write_pages_and_tables_and_say_what_is_wrong(handed_in, tmp_path):
    set_file, runner = tmp_path / "set.py", CliRunner()
    set_file.write_text(SET_FILE)
    done = runner.invoke(app, ["written", str(handed_in), "--set", str(set_file)])
    out = tmp_path / "class-written"
    assert done.exit_code == 0 and "1 questions, 4 submissions" in done.output and "dan.ipynb" in done.output
    assert (out / "why.html").is_file() and out.stat().st_mode & 0o077 == 0
    assert "left as it is" in runner.invoke(app, ["written", str(handed_in), "--set", str(set_file)]).output
    assert runner.invoke(app, ["written", str(tmp_path / "none"), "--set", str(set_file)]).exit_code == 2
    grades = tmp_path / "grades.csv"
    grades.write_text("submission,points,out of,one,remark\nana.ipynb,3,3,3,\n")
    arguments = ["merge", str(grades), "--set", str(set_file), "--written", str(out / "points.csv")]
    assert runner.invoke(app, arguments).exit_code == 2
    (out / "points.csv").write_text("submission,why\nana.ipynb,4\n")
    assert runner.invoke(app, arguments).exit_code == 0
    assert table(tmp_path / "grades-with-written.csv")[1] == ["ana.ipynb", "7", "7", "3", "4", ""]
