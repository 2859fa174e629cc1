"""Every problem set: built once, handed in by a class whose grades are known, and graded as an instructor would.

`mistakes/NAME.py` holds what a set's half-right students write. All sets are built with one secret, so that the grades
of half-right answers are the same in every run.
"""

import importlib.util
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from coursework.building import course
from coursework.building.course import SETS, build_set, known_sets
from coursework.building.markers import solved
from coursework.building.master import read_master
from coursework.building.variants import draw
from coursework.grading import grade, submissions
from coursework.layers import Refused, try_walls
from coursework.marking import Marker
from coursework.public_checks import check_notebook
from coursework.questions import load_set

pytestmark = pytest.mark.slow
CHAPTERS = Path(__file__).parents[3] / "chapters"
NAMES = known_sets()
VARIANT = "7b"


def mistakes(name):
    """The half-right submissions of a set, by name."""
    path = Path(__file__).with_name("mistakes") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"mistakes_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MISTAKES


def every_mistake():
    return [(name, mistake) for name in NAMES for mistake in mistakes(name)]


def half_right(name):
    """The mistakes of a set in as few notebooks as there are of one question: in each at most one per question."""
    notebooks = []
    for mistake, (question, *_) in mistakes(name).items():
        free = next((one for one in notebooks if question not in one), None)
        if free is None:
            notebooks.append(free := {})
        free[question] = mistake
    return {f"half-{number}.ipynb": one for number, one in enumerate(notebooks)}


def with_mistake(text, question, pattern, replacement):
    """The text of a full submission in which one answer is changed."""
    book, changed = nbformat.reads(text, as_version=4), 0
    for cell in book.cells:
        if cell.metadata.get("tags") == [f"question:{question}"]:
            cell.source, count = re.subn(pattern, replacement, cell.source)
            changed += count
    assert changed, f"{pattern!r} is nowhere in the answer to {question}"
    return nbformat.writes(book)


@pytest.fixture(scope="session")
def walls(tmp_path_factory):
    """The walls of this machine, attacked once."""
    found = try_walls([tmp_path_factory.mktemp("walls")])
    try:
        found.require()
    except Refused as error:
        pytest.skip(f"sandbox: {error}")
    return found


MARKERS = {}
"""The marker of each folder that was built: to draw the inputs and compute the answers takes up to ten seconds."""


def built_folder(name, base, variant=None):
    """The folder of a set, whose marker is kept as the build made it."""
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "Marker", lambda problem_set: made.append(Marker(problem_set)))
        folder = build_set(name, base, variant)
    (MARKERS[folder],) = made
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Builds a set once: the two folders of its published numbers and of a variant, and the master."""
    base, done = tmp_path_factory.mktemp("course"), {}

    def build(name):
        if name not in done:
            for folder in (name, f"{name}-{VARIANT}"):
                (base / folder / "instructor").mkdir(parents=True)
                (base / folder / "instructor" / "secret.txt").write_text("of these tests alone\n")
            master = read_master(SETS / name / "master.md")
            done[name] = SimpleNamespace(
                master=master, folder=built_folder(name, base), other=built_folder(name, base, VARIANT)
            )
        return done[name]

    return build


@pytest.fixture(scope="session")
def graded(built, walls, tmp_path_factory):
    """Grades a set's class once: the full and the empty submission, half-right ones, and those of a neighbour."""
    done = {}

    def grade_class(name):
        if name not in done:
            it, folder = built(name), tmp_path_factory.mktemp(f"class-{name}")
            for parent, other in ((it.folder, ""), (it.other, "other-")):
                shutil.copy(parent / "instructor" / "full-submission.ipynb", folder / f"{other}full.ipynb")
            shutil.copy(it.folder / "student" / f"{name}.ipynb", folder / "empty.ipynb")
            full = (folder / "full.ipynb").read_text()
            for notebook, wrong in half_right(name).items():
                text = full
                for mistake in wrong.values():
                    text = with_mistake(text, *mistakes(name)[mistake][:3])
                (folder / notebook).write_text(text)
            marks = marks_of(it.folder, folder, walls)
            again = marks_of(it.other, folder, walls, only=("full.ipynb", "other-full.ipynb"))
            said = {notebook: {one.question: one for one in check_notebook(folder / notebook)}
                    for notebook in half_right(name)}  # fmt: skip
            done[name] = SimpleNamespace(marks=marks, by_the_other=again, folder=folder, said=said)
        return done[name]

    return grade_class


def marks_of(built_folder, folder, walls, only=None):
    entries = [entry for entry in submissions(folder) if only is None or entry[0] in only]
    marks = grade(MARKERS[built_folder], folder, entries, walls, workers=1, quiet=True)
    return {mark.name: mark for mark in marks}


def points(mark):
    """Points by question."""
    return {question.id: question.points for question in mark.questions}


@pytest.mark.parametrize("name", NAMES)
class TestEverySet:
    def test_the_full_submission_gets_full_points_and_the_empty_one_none(self, built, graded, name):
        marks, full = graded(name).marks, load_set(built(name).folder / "instructor" / "set.py")
        lost = [test.reason for q in marks["full.ipynb"].questions for test in q.tests if test.reason]
        assert marks["full.ipynb"].points == full.points, lost
        assert marks["empty.ipynb"].points == 0
        assert all(not question.notes for question in marks["full.ipynb"].questions)

    def test_each_variant_is_graded_by_its_own_numbers(self, graded, name):
        marks, other = graded(name).marks, graded(name).by_the_other
        assert other["other-full.ipynb"].points == marks["full.ipynb"].points
        for mark in (marks["other-full.ipynb"], other["full.ipynb"]):
            assert 0 < mark.points < marks["full.ipynb"].points
            assert sum(q.points < sum(test.out_of for test in q.tests) for q in mark.questions) >= 2

    def test_grading_again_gives_the_same_points_and_reasons(self, built, graded, walls, name):
        first = graded(name).marks
        some = list(half_right(name))[:1]
        assert marks_of(built(name).folder, graded(name).folder, walls, only=some) == {key: first[key] for key in some}

    def test_the_checks_pass_on_the_full_submission_and_wait_in_what_is_handed_out(self, built, name):
        for folder in (built(name).folder, built(name).other):
            found = list(check_notebook(folder / "instructor" / "full-submission.ipynb"))
            assert found and not [checked for checked in found if not checked.passed]
            for checked in check_notebook(folder / "student" / f"{name}.ipynb"):
                assert not checked.passed and "still to be written" in checked.message

    def test_it_is_as_long_and_as_varied_as_a_set_should_be(self, built, name):
        master = built(name).master
        written = [asked for asked in master.questions if asked.written]
        assert 8 <= len(master.questions) <= 12 and 1 <= len(written) <= 2
        assert 180 <= sum(asked.minutes for asked in master.questions) <= 360
        varied = {part.question for part in master.parts if "{{variant." in part.source and part.role == "statement"}
        assert len(varied) >= 2
        assert len({str(draw(master, str(seed))) for seed in range(12)}) >= 6
        assert len(mistakes(name)) >= 5

    def test_each_section_is_one_of_the_pages_that_the_set_needs(self, built, name):
        master = built(name).master
        texts = [(CHAPTERS / f"{page}.md").read_text(encoding="utf-8") for page in master.prerequisites]
        labels = {label for text in texts for label in re.findall(r"^\(([a-z0-9-]+)\)=", text, re.M)}
        assert {asked.section for asked in master.questions} <= labels


@pytest.mark.parametrize("name, mistake", every_mistake())
def test_a_half_right_answer_loses_what_is_wrong_and_its_check_says_why(graded, name, mistake):
    question, _, _, told, left = mistakes(name)[mistake]
    notebook = next(notebook for notebook, wrong in half_right(name).items() if wrong.get(question) == mistake)
    assert points(graded(name).marks[notebook])[question] == left
    checked = graded(name).said[notebook][question]
    assert checked.passed is (told is None) and (told or "") in checked.message


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_in_one_answer_costs_no_points_in_another(graded, name):
    marks, said = graded(name).marks, graded(name).said
    full = points(marks["full.ipynb"])
    for notebook, wrong in half_right(name).items():
        found, others = points(marks[notebook]), full.keys() - wrong.keys()
        assert {other: found[other] for other in others} == {other: full[other] for other in others}
        assert all(said[notebook][other].passed for other in said[notebook].keys() - wrong.keys())


@pytest.mark.parametrize("name", NAMES)
def test_each_question_with_a_check_has_two_mistakes_that_it_tells_apart(built, name):
    """In its check at least two diagnoses; those of the half-right submissions are tried above."""
    master = built(name).master
    for asked in master.questions:
        if not asked.written:
            assert master.of("public", asked.id)[0].source.count("raise NotYet(") >= 2
            assert solved(master.of("question", asked.id)[0].source)
