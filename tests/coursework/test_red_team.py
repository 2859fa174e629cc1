"""The red team: a class of hostile and honest notebooks, graded in one run, beside one another.

Every attack stands in the answer to one question of an otherwise right notebook: it must earn nothing there, cost the
other questions nothing, and leave a reason that its author can read.
"""

import csv
import io
import json
import os
import socket
import zipfile
from pathlib import Path

import attacks
import pytest
from notebooks import HONEST, cell, honest_but, notebook

from coursework.grading import grade, submissions, write_feedback, write_grades
from coursework.layers import Refused, try_walls
from coursework.marking import Marker
from coursework.questions import load_set

pytestmark = pytest.mark.slow
SET = Path(__file__).with_name("tiny_set.py")
NAIVE = """
def softmax(scores):
    with np.errstate(all="ignore"):
        return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
"""
FULL = {"counts": 2, "softmax": 3, "slope": 3}


def half_right(number):
    """Answers of which some are right, and the points that they are worth: another mixture for every number."""
    answers, points = dict(HONEST), dict(FULL)
    if number & 1:
        answers["counts"], points["counts"] = "def bigrams(words):\n    return {}", 0
    if number & 2:
        answers["softmax"], points["softmax"] = NAIVE, 1
    if number & 4:
        answers["slope"], points["slope"] = "def slope(x):\n    return x", 0
    if number & 8:
        answers["softmax"], points["softmax"] = "def softmax(scores):\n    return scores.nothing", 0
    if number & 16:
        del answers["counts"]
        points["counts"] = 0
    return answers, points


def write_class(folder, outside, port):
    """All submissions, as files."""
    names = f"GRADER, SET, HERE, PORT = {os.getpid()}, {str(SET)!r}, {str(folder)!r}, {port}\n"
    for name, (source, _) in attacks.IN_A_CELL.items():
        (folder / f"attack-{name}.ipynb").write_text(honest_but("softmax", names + source))
    full = notebook(HONEST)
    exits = cell("import os\nHELPERS = [os._exit(0)]")
    files = {
        "full": full,
        "empty": notebook({}),
        "deleted-cell": honest_but("softmax", None),
        "untagged-cell": notebook({q: s for q, s in HONEST.items() if q != "softmax"}, cell(HONEST["softmax"])),
        "duplicated-cell": notebook(
            {"softmax": "def softmax(scores):\n    return 0"} | HONEST, cell(HONEST["softmax"], "softmax")
        ),
        "wrong-duplicate": notebook(HONEST, cell("def softmax(scores):\n    return 0", "softmax")),
        "exits-in-a-helper": notebook(HONEST, exits),
        "needs-another-answer": notebook(
            HONEST | {"slope": "def slope(x):\n    bigrams(['a'])\n    return 1 - torch.tanh(x)**2"}
        ),
        "long-training": notebook(HONEST, cell("while True:\n    pass")),
        "corrupted": full[: len(full) // 2],
        "no-notebook": json.dumps([1, 2, 3]),
        "deep": "[" * 200_000 + "]" * 200_000,
        "strange-cells": json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": {"a": 1}}]}),
        "lone-surrogate": full.replace("My answers", "\\ud800").replace("found = {}", "found = {} # \\ud800"),
        "=cmd()": full,
    }
    for name, text in files.items():
        (folder / f"{name}.ipynb").write_text(text)
    for number in range(20):
        (folder / f"half-{number:02}.ipynb").write_text(notebook(half_right(number)[0]))
    with open(folder / "huge.ipynb", "wb") as file:
        file.truncate(100_000_000)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("full.ipynb", b" " * 20_000_000)
    (folder / "bomb.ipynb").write_bytes(bomb.getvalue())
    (folder / "bomb.zip").write_bytes(bomb.getvalue())
    outside.mkdir()
    (outside / "stolen.ipynb").write_text(full)
    (folder / "link.ipynb").symlink_to(outside / "stolen.ipynb")
    (folder / "linked-folder").symlink_to(outside)
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "in-a-folder").mkdir()
    (folder / "in-a-folder" / "answers.ipynb").write_text(full)
    (folder / "in-a-folder" / "stolen.ipynb").symlink_to(outside / "stolen.ipynb")
    (folder / "nothing-inside").mkdir()


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class, graded: marks by name, the folder of submissions, and the folder with the CSV and the feedback."""
    base = tmp_path_factory.mktemp("red-team")
    folder, out = base / "submissions", base / "grades"
    folder.mkdir()
    out.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        write_class(folder, base / "outside", server.getsockname()[1])
        before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
        problem_set = load_set(SET)
        try:
            walls = try_walls([SET, folder, out])
            walls.require()
        except Refused as error:
            pytest.skip(f"sandbox: {error}")
        marks = list(grade(Marker(problem_set), folder, submissions(folder), walls, quiet=True))
        write_grades(out / "grades.csv", problem_set, marks)
        for mark in marks:
            write_feedback(out, problem_set, mark)
        with pytest.raises(BlockingIOError):
            server.accept()  # nobody came
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before, "a submission was changed"
    return {mark.name: mark for mark in marks}, out


def points(mark):
    """Points by question."""
    return {question.id: question.points for question in mark.questions}


def reasons(mark, question="softmax"):
    """Why a question's tests gave nothing, and the notes."""
    found = next(q for q in mark.questions if q.id == question)
    return [test.reason for test in found.tests if test.reason], found.notes


class TestAttacks:
    @pytest.mark.parametrize("name", attacks.IN_A_CELL)
    def test_an_attack_earns_nothing_and_costs_the_honest_answers_nothing(self, graded, name):
        mark = graded[0][f"attack-{name}.ipynb"]
        assert points(mark) == FULL | {"softmax": 0}, reasons(mark)
        told, wanted = reasons(mark)[0], attacks.IN_A_CELL[name][1]
        assert wanted in " ".join([*told, *reasons(mark)[1]])
        assert all("\n" not in reason and len(reason) < 600 for reason in told)

    def test_the_grader_is_never_to_blame(self, graded):
        assert [mark.name for mark in graded[0].values() if mark.grader_failed] == []

    def test_nothing_was_written_outside(self, graded):
        places = [Path("/tmp"), Path("/"), Path("/usr"), graded[1], graded[1].parent / "submissions"]
        assert not [place for place in places if (place / "written-by-a-submission").exists()]

    def test_what_a_submission_prints_is_shown_as_its_own(self, graded):
        text = (graded[1] / "attack-prints-a-result.ipynb.md").read_text()
        assert "\n    PASSED softmax: 3 of 3 points" in text and "\n    # 100 points\n    <script>" in text
        assert "**5 of 8 points from the hidden tests.**" in text
        error = (graded[1] / "attack-hostile-error.ipynb.md").read_text()
        assert "\n# 100" not in error and "\x1b" not in error and len(error) < 3000


WHY_NOT = {
    "corrupted.ipynb": "is damaged: it is no JSON",
    "deep.ipynb": "nested too deeply",
    "no-notebook.ipynb": "no notebook of format 4",
    "strange-cells.ipynb": "cell 1 has no text",
    "huge.ipynb": "larger than 5 MB. Clear its outputs",
    "bomb.ipynb": "an archive under another name. It was not unpacked",
    "bomb.zip": "Archives are not unpacked",
    "link.ipynb": "is a link",
    "linked-folder": "is a link",
    "in-a-folder/stolen.ipynb": "is a link",
    "pipe.ipynb": "no ordinary file",
    "nothing-inside": "no notebook (.ipynb) in this folder",
}


class TestFiles:
    @pytest.mark.parametrize("name", WHY_NOT)
    def test_a_file_that_is_no_notebook_earns_nothing_and_says_why(self, graded, name):
        mark = graded[0][name]
        assert WHY_NOT[name] in mark.error and mark.points == 0
        assert mark.error in (graded[1] / f"{name}.md").read_text()


class TestHonest:
    FULL_POINTS = (
        "full",
        "untagged-cell",
        "exits-in-a-helper",
        "needs-another-answer",
        "long-training",
        "lone-surrogate",
    )

    @pytest.mark.parametrize("name", [*FULL_POINTS, "duplicated-cell", "=cmd()", "in-a-folder/answers"])
    def test_right_answers_get_full_points(self, graded, name):
        mark = graded[0][f"{name}.ipynb"]
        assert points(mark) == FULL, [reasons(mark, question) for question in FULL]

    def test_the_empty_notebook_gets_none(self, graded):
        mark = graded[0]["empty.ipynb"]
        assert mark.points == 0 and "was the cell deleted?" in reasons(mark)[0][0]

    def test_a_deleted_cell_costs_its_question_alone(self, graded):
        mark = graded[0]["deleted-cell.ipynb"]
        assert points(mark) == FULL | {"softmax": 0} and "was the cell deleted?" in reasons(mark)[0][0]

    def test_of_duplicated_cells_the_last_counts_and_a_note_says_so(self, graded):
        mark = graded[0]["wrong-duplicate.ipynb"]
        assert points(mark) == FULL | {"softmax": 0}
        assert reasons(mark)[1] == [
            "Cells 4, 6 are all tagged question:softmax; they ran in this order, the last one counts."
        ]

    def test_a_cell_of_no_question_that_ends_the_program_is_left_out(self, graded):
        note = "Cell 6 ended the program or ran too long, and did not run for this question."
        assert note in reasons(graded[0]["exits-in-a-helper.ipynb"])[1]

    @pytest.mark.parametrize("number", range(20))
    def test_half_right_submissions_get_their_share(self, graded, number):
        assert points(graded[0][f"half-{number:02}.ipynb"]) == half_right(number)[1]

    def test_the_table_holds_every_submission_once_with_its_points(self, graded):
        marks, out = graded
        with open(out / "grades.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["submission"].removeprefix("'") for row in rows] == sorted(marks, key=lambda name: name.split("/"))
        assert all(float(row["points"]) == marks[row["submission"].removeprefix("'")].points for row in rows)
        assert "'=cmd().ipynb" in [row["submission"] for row in rows]  # no formula in a spreadsheet
        assert {key for row in rows for key in row} == {"submission", "points", "out of", *FULL, "remark"}
