"""The weights of a head with the true links framed: every cell, frame and dot stands where it belongs."""

import numpy as np
import pytest

from attention_book.pages.diagrams.reading.weights_beside_links import (
    Beside,
    weights_beside_links,
    weights_beside_links_told,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

SHOWN = Beside(
    ["Cats", "sleep", "</s>"], ["Los", "gatos"], np.array([[0.7, 0.1, 0.2], [0.04, 0.5, 0.46]]), {(0, 0), (0, 1)}
)


@pytest.fixture
def axes():
    return weights_beside_links(SHOWN).axes[0]


def test_frames_dots_and_numbers_stand_in_their_cells(axes):
    cells = {patch.get_gid(): patch for patch in axes.patches}
    assert {name for name in cells if name.startswith("link")} == {"link-0-0", "link-0-1"}
    dots = {line.get_gid(): line for line in axes.lines}
    assert set(dots) == {"largest-0-0", "largest-1-1"}
    for i, j in ((0, 0), (1, 1)):
        cell = cells[f"weight-{i}-{j}"]
        x, y = (float(values[0]) for values in dots[f"largest-{i}-{j}"].get_data())
        assert cell.get_x() < x < cell.get_x() + cell.get_width()
        assert cell.get_y() < y < cell.get_y() + cell.get_height()
    assert cells["weight-0-0"].get_facecolor()[3] == pytest.approx(0.7)
    assert cells["weight-0-0"].get_y() > cells["weight-0-1"].get_y()
    numbers = {text.get_text() for text in axes.texts}
    assert {"70", "10", "20", "50", "46"} <= numbers and "4" not in numbers


def test_a_whole_sentence_is_legible_on_a_phone_and_stays_on_the_sheet():
    words = ["Maria", "does", "not", "like", "the", "red", "car", ".", "</s>"]
    full = Beside(words, words, np.eye(9), {(1, 2)})
    figure = weights_beside_links(full)
    assert not outside(figure.axes[0]) and smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


def test_it_is_told_in_words():
    told = weights_beside_links_told(SHOWN)
    assert "Los: largest weight 0.70 on Cats, true link Cats." in told
    assert "gatos: largest weight 0.50 on sleep, true link Cats." in told


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": ["Cats", "sleep"]}, "do not fit the words"),
        ({"links": {(3, 0)}}, "not there"),
        ({"source": ["x"] * 12, "weights": np.full((2, 12), 1 / 12)}, "more than a sheet"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        weights_beside_links(SHOWN._replace(**change))
