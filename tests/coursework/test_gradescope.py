"""The zip for Gradescope, unpacked and run as its scripts do: the same points, and no grade where there is none."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from coursework.building.course import build_set
from coursework.gradescope.archive import requirements
from coursework.gradescope.autograder import results, the_one
from coursework.layers import Refused, try_walls
from coursework.marking import Mark, QuestionMark, TestMark
from coursework.questions import load_set

MASTER = Path(__file__).parent / "building" / "tiny_master.md"


@pytest.fixture(scope="module")
def autograder(tmp_path_factory):
    """The tiny set's folder, and a folder laid out as Gradescope lays it out."""
    base = tmp_path_factory.mktemp("gradescope")
    (base / "sets" / "tiny").mkdir(parents=True)
    shutil.copy(MASTER, base / "sets" / "tiny" / "master.md")
    built, place = build_set("tiny", base, sets=base / "sets"), base / "autograder"
    for name in ("source", "submission", "results"):
        (place / name).mkdir(parents=True)
    with zipfile.ZipFile(built / "instructor" / "gradescope.zip") as archive:
        archive.extractall(place / "source")
    return built, place


def run(place):
    """The autograder on what lies in `submission`: no other code of ours is on its path."""
    shutil.rmtree(place / "results")
    (place / "results").mkdir()
    arguments = ["set.py", str(place / "submission"), str(place / "results")]
    return subprocess.run(
        [sys.executable, "-m", "coursework.gradescope.autograder", *arguments],
        cwd=place / "source", env={"PATH": os.environ["PATH"], "PYTHONPATH": str(place / "source")},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_a_submission_gets_its_points_and_a_folder_without_one_the_reason(autograder):
    built, place = autograder
    try:
        try_walls([place / "source" / "set.py", place / "submission"]).require()
    except Refused as error:
        pytest.skip(f"sandbox: {error}")
    none = run(place)
    assert none.returncode == 0, none.stderr
    told = json.loads((place / "results" / "results.json").read_text())
    assert told["score"] == 0 and told["output"] == "Hand in one notebook (.ipynb); there are 0: none."
    shutil.copy(built / "instructor" / "full-submission.ipynb", place / "submission" / "ana.ipynb")
    full = run(place)
    assert full.returncode == 0, full.stderr
    told = json.loads((place / "results" / "results.json").read_text())
    assert told["score"] == 4 and "4 of 4 points. People grade the written answers." in told["output"]
    assert [(test["score"], test["max_score"]) for test in told["tests"]] == [(3, 3), (1, 1)]
    (place / "source" / "set.py").write_text("1 / 0")
    broken = run(place)
    assert broken.returncode == 1 and "ZeroDivisionError" in broken.stderr
    assert not (place / "results" / "results.json").exists()


def test_results_hold_each_test_with_its_reason(autograder):
    problem_set = load_set(autograder[0] / "instructor" / "set.py")
    tests = [TestMark("a", 2, 2), TestMark("b", 0, 1, "It is wrong.")]
    told = results(problem_set, Mark("x", [QuestionMark("q", "Q", tests, ["A note."])]))
    assert told["score"] == 2
    assert [(test["name"], test["score"], test["output"]) for test in told["tests"]] == [
        ("q: a", 2, "A note."),
        ("q: b", 0, "It is wrong.\nA note."),
    ]
    assert results(problem_set, Mark("x", error="No notebook."))["output"] == "No notebook."


def test_of_two_notebooks_none_is_chosen(tmp_path):
    for name in ("a.ipynb", "b.ipynb"):
        (tmp_path / name).write_text("{}")
    entry, mark = the_one(tmp_path)
    assert entry is None and mark.error == "Hand in one notebook (.ipynb); there are 2: a.ipynb, b.ipynb."


def test_the_packages_are_pinned_and_only_those_that_a_set_needs():
    assert [line.split("==")[0] for line in requirements(("numpy", "torch"))] == ["numpy", "torch", "tqdm"]
    with_the_book = [line.split("==")[0] for line in requirements(("numpy", "attention_book.checks.report"))]
    assert {"jaxtyping", "scipy", "torch", "typer"} <= set(with_the_book) and "jupyter-book" not in with_the_book
