"""The figure of the written memory: its arrows are the pairs, its dots the readings, and its letters can be read."""

import numpy as np
import pytest

from attention_book.pages.diagrams.beyond.written_memory import (
    KEYS,
    VALUES,
    memories,
    readings,
    written_memory,
    written_memory_told,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return written_memory().axes[0]


def test_the_memory_by_hand():
    assert memories().tolist() == [[0, 0], [5, 0], [5, 2], [11, 10]]
    assert readings(2).tolist() == pytest.approx([5, 2, 4.6])
    assert readings(3).tolist() == pytest.approx([11, 10, 14.6])


def test_the_arrows_are_value_times_key_end_to_end(axes):
    arrows = {one.get_gid(): one for one in axes.texts if one.get_gid()}
    place = np.zeros(2)
    for j, (key, value) in enumerate(zip(KEYS, VALUES, strict=True)):
        assert tuple(arrows[f"pair-{j}"].xyann) == pytest.approx(tuple(place))
        place = place + value * np.array(key)
        assert tuple(arrows[f"pair-{j}"].xy) == pytest.approx(tuple(place))
    assert tuple(arrows["memory"].xy) == pytest.approx((11, 10)) and tuple(arrows["memory"].xyann) == (0, 0)


def test_each_dot_is_the_foot_of_the_perpendicular(axes):
    dots = {line.get_gid(): np.array(line.get_xydata()[0]) for line in axes.lines if line.get_gid()}
    for j, key in enumerate(np.array(KEYS)):
        foot = dots[f"reading-{j}"]
        assert abs((np.array([11, 10]) - foot) @ key) < 1e-12 and abs(foot[0] * key[1] - foot[1] * key[0]) < 1e-12


def test_the_words_have_every_number():
    told = written_memory_told()
    assert "10 times key 2 leads to (11, 10)" in told and "11 with key 0, 10 with key 1, 14.6 with key 2" in told
    assert told.endswith("The values were 5, 2, 10.")


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colours_of_its_roles():
    drawing = figure_html(written_memory(), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-value" in drawing and "var(--role-key" in drawing
