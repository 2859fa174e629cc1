"""The figures of teachers and rungs: every mark stands at its number, in its row, and letters stay legible."""

import numpy as np
import pytest

from attention_book.pages.diagrams.training import taught as figures
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

WORDS = ["rápido", "lento"]
TEACHERS = np.array([[0.75, 0.25], [0.25, 0.75], [0.8, 0.2]])
SCORES = {"old": [51.0], "longer": [52.0, 53.0], "pupil": [53.5]}


@pytest.fixture(scope="module")
def axes():
    return figures.lesson(WORDS, TEACHERS, "rápido").axes[0]


def test_every_teacher_the_mean_and_the_reference_stand_at_their_probability_in_the_row_of_the_word(axes):
    lines = {line.get_gid(): line.get_xydata() for line in axes.lines if line.get_gid()}
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    for row, word in enumerate(WORDS):
        wanted = {"each": TEACHERS[:, row], "mean": [TEACHERS[:, row].mean()], "reference": [1.0 - row]}
        for mark, shares in wanted.items():
            places = lines[f"{mark}-{row}"]
            found = (places[:, 0] - figures.LEFT) / (figures.RIGHT - figures.LEFT)
            assert found == pytest.approx(np.array(shares)) and set(places[:, 1]) == {heights[word]}


def test_a_reference_that_is_no_word_is_refused():
    with pytest.raises(ValueError, match="none of the words"):
        figures.lesson(WORDS, TEACHERS, "veloz")


def test_the_words_have_every_number():
    told = figures.lesson_told(WORDS, TEACHERS, "rápido")
    assert "rápido: 0.75, 0.25, 0.80, mean 0.60; lento: 0.25, 0.75, 0.20, mean 0.40" in told
    assert told.endswith("The pair puts all on rápido.")
    assert "old: 51.0; longer: 52.0, 53.0; pupil: 53.5." in figures.rungs_told(SCORES)


def test_every_model_has_its_dot_and_the_line_goes_up_from_the_first_rung():
    (axes,) = figures.rungs(SCORES).axes
    lines = {line.get_gid(): line for line in axes.lines}
    for place, (name, values) in enumerate(SCORES.items()):
        dots = lines[f"rung-{name}"]
        assert (list(dots.get_xdata()), list(dots.get_ydata())) == (values, [place] * len(values))
    assert list(lines["first"].get_xdata()) == [51.0, 51.0]
    low, high = axes.get_ylim()
    assert low < 0 and high > 2  # the ladder goes up


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= LEAST_TYPE
    for figure in (figures.lesson(WORDS, TEACHERS, "rápido"), figures.rungs(SCORES)):
        assert "<image" not in figure_html(figure, alt="told", caption="asked")
