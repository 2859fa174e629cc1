"""The line under an exercise's title: how difficult it is and how long it takes, and what they take together."""

import re

import nbformat
import pytest
from docutils import nodes, utils
from exercise_effort import WrongMark, add_effort, effort_of, exercise_minutes


def exercise(*marks):
    said = nodes.title("", "Exercise"), nodes.paragraph("", "Say why.")
    return nodes.admonition("", *said, classes=["exercise", *marks])


def page(*parts):
    document = utils.new_document("page")
    section = nodes.section()
    section += [nodes.title("", "Exercises"), *parts]
    document += section
    return document


class App:
    """As much of Sphinx as `add_effort` asks: the setting."""

    def __init__(self, required):
        self.config, self.exercise_effort_required = self, required


@pytest.fixture
def warned(monkeypatch):
    """What the extension warns of."""
    faults = []
    monkeypatch.setattr("exercise_effort.logger.warning", lambda text, fault, **_: faults.append(text % fault))
    return faults


@pytest.mark.parametrize(
    ("marks", "line"),
    [
        (("difficulty-2", "minutes-8"), "Difficulty 2 of 3 · about 8 minutes"),
        (("minutes-1", "difficulty-1", "dropdown"), "Difficulty 1 of 3 · about 1 minute"),
        (("difficulty-3", "minutes-45"), "Difficulty 3 of 3 · about 45 minutes"),
    ],
)
def test_the_line_stands_under_the_title(marks, line, warned):
    box = exercise(*marks)
    add_effort(App(True), page(box))
    assert [type(child).__name__ for child in box] == ["title", "paragraph", "paragraph"]
    assert (box[1].astext(), box[1]["classes"]) == (line, ["exercise-effort"])
    assert warned == []


@pytest.mark.parametrize(
    ("marks", "fault"),
    [
        (["difficulty-2"], "one difficulty and one time"),
        (["minutes-8"], "one difficulty and one time"),
        (["difficulty-2", "difficulty-3", "minutes-8"], "one difficulty and one time"),
        (["difficulty-4", "minutes-8"], "1, 2 or 3, not '4'"),
        (["difficulty-0", "minutes-8"], "1, 2 or 3, not '0'"),
        (["difficulty-hard", "minutes-8"], "1, 2 or 3, not 'hard'"),
        (["difficulty-2", "minutes-0"], "above 0, not '0'"),
        (["difficulty-2", "minutes-5-8"], "above 0, not '5-8'"),
    ],
)
@pytest.mark.parametrize("required", [True, False])
def test_a_wrong_mark_is_a_fault_in_any_case(marks, fault, required, warned):
    with pytest.raises(WrongMark, match=fault):
        effort_of(exercise(*marks))
    doctree = page(exercise(*marks))
    add_effort(App(required), doctree)
    assert len(warned) == 1 and fault in warned[0]
    assert exercise_minutes(doctree) is None and "Difficulty" not in doctree.astext()


@pytest.mark.parametrize("required", [True, False])
def test_a_missing_mark_is_a_fault_where_the_setting_asks_for_it(required, warned):
    doctree = page(exercise(), exercise("difficulty-1", "minutes-5"))
    add_effort(App(required), doctree)
    assert len(warned) == required and all("does not say how difficult" in fault for fault in warned)
    assert doctree.astext().count("Difficulty") == 1


def test_a_solution_needs_no_mark(warned):
    add_effort(App(True), page(nodes.admonition("", classes=["solution"])))
    assert warned == []


@pytest.mark.parametrize(
    ("minutes", "together"),
    [([], None), ([1], 5), ([8, 8, 8], 25), ([3, 9], 10), ([8, None], None)],
)
def test_the_exercises_of_a_page_take(minutes, together):
    boxes = [exercise(*(["difficulty-2", f"minutes-{one}"] if one else [])) for one in minutes]
    assert exercise_minutes(page(*boxes)) == together


@pytest.mark.slow
def test_the_page_and_its_notebook_say_it(tiny_book):
    html = (tiny_book.html / "chapters" / "everything.html").read_text(encoding="utf-8")
    assert re.findall(r'class="exercise-effort">([^<]*)<', html) == [
        "Difficulty 1 of 3 · about 1 minute",
        "Difficulty 2 of 3 · about 8 minutes",
    ]
    assert "for the exercises" not in html  # the first of them does not say
    notebook = nbformat.read(tiny_book.html / "_sources" / "chapters" / "everything.ipynb", as_version=4)
    statements = [cell.source for cell in notebook.cells if cell.source.startswith("> **Exercise")]
    assert [re.findall(r"^> (Difficulty .*)$", text, re.M) for text in statements] == [
        [],
        ["Difficulty 1 of 3 · about 1 minute"],
        ["Difficulty 2 of 3 · about 8 minutes"],
    ]
