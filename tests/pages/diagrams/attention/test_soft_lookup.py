"""The figure of a lookup: what is drawn and told is what was given, and nothing inconsistent is drawn."""

import itertools

import numpy as np
import pytest

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.pages.diagrams.attention import soft_lookup as diagrams
from attention_book.pages.figures.plotting import ROLES, figure_html

from ..legibility import smallest_type

WORDS = ["I", "like", "cats"]
Q, K = np.array([[2.0, 2, 0, 0]]), np.array([[1.0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0]])
V = np.array([[1.0, 1], [5, 1], [1, 5]])
OUTPUT, WEIGHTS = scaled_dot_product_attention(Q, K, V)
GIVEN = (WORDS, "like asks", Q[0], K, (Q @ K.T)[0] / 2, WEIGHTS[0], V, OUTPUT[0])
LOOKUP = diagrams.lookup_of(*GIVEN)


@pytest.fixture(scope="module")
def axes():
    return diagrams.soft_lookup(LOOKUP).axes[0]


def boxes(axes, name):
    return [patch for patch in axes.patches if (patch.get_gid() or "").startswith(name)]


def texts_in(axes, box):
    (left, bottom), width, height = box.get_xy(), box.get_width(), box.get_height()
    placed = [(text.get_position(), text.get_text()) for text in axes.texts if text.get_text()]
    return [said for (x, y), said in placed if 0 < x - left < width and 0 < y - bottom < height]


def test_every_vector_stands_in_a_box_of_its_role(axes):
    for role, rows in (("key", K), ("value", V)):
        found = boxes(axes, f"{role}-")
        assert [texts_in(axes, box) for box in found] == [[diagrams.vector(row)] for row in rows]
        assert {box.get_edgecolor() for box in found} == {(*_rgb(ROLES[role].light), 1.0)}
    assert texts_in(axes, *boxes(axes, "query")) == ["like asks: (2, 2, 0, 0)"]
    assert texts_in(axes, *boxes(axes, "output")) == ["(1.36, 3.66)"]


def test_bars_and_lines_grow_with_the_weights(axes):
    bars = np.array([box.get_width() for box in boxes(axes, "weight-")])
    np.testing.assert_allclose(bars / bars.sum(), WEIGHTS[0])
    thick = np.array([line.get_linewidth() for line in axes.lines if (line.get_gid() or "").startswith("line-")])
    np.testing.assert_allclose((thick[0] - thick[1]) / (thick[2] - thick[1]), np.diff(WEIGHTS[0, [1, 0]]) /
                               np.diff(WEIGHTS[0, [1, 2]]))  # fmt: skip


def test_columns_do_not_touch_and_stay_on_the_sheet(axes):
    for name in ("key-", "value-"):
        ends = [(box.get_x(), box.get_x() + box.get_width()) for box in boxes(axes, name)]
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))
        assert ends[0][0] > 45 and ends[-1][1] <= 338


def test_other_numbers_of_words_get_as_many_columns():
    two = diagrams.lookup_of(WORDS[:2], "now", [1.0], [[1.0], [0]], [1.0, 1], [0.5, 0.5], [[2.0], [4]], [3.0])
    assert len(boxes(diagrams.soft_lookup(two).axes[0], "key-")) == 2


def test_on_a_phone_the_type_is_nine_pixels_or_more(axes):
    assert smallest_type(axes.figure) >= 9


def test_the_words_tell_every_number():
    told = diagrams.lookup_told(LOOKUP)
    assert "One query, like asks: (2, 2, 0, 0)." in told
    assert "I: key (1, 0, 0, 1), score 1.00, weight 0.245, value (1, 1); like:" in told
    assert "cats: key (1, 1, 0, 0), score 2.00, weight 0.665, value (1, 5)." in told
    assert told.endswith("to the output, (1.36, 3.66).")


def test_vectors_are_written_with_as_many_digits_as_they_need():
    assert diagrams.vector(np.array([0.5, -1, 0])) == "(0.5, −1, 0)"
    assert diagrams.vector(np.array([-3 / 14, -2 / 7]), 2) == "(−0.21, −0.29)"


def test_it_is_drawn_as_vectors_in_colours_of_the_page():
    drawing = figure_html(diagrams.soft_lookup(LOOKUP), alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing for role in ("query", "key", "value", "weight", "output"))


@pytest.mark.parametrize(
    ("place", "wrong", "said"),
    [
        (0, WORDS[:2], "each word needs"),
        (3, K[:2], "each word needs"),
        (5, WEIGHTS[0] * 2, "with the sum 1"),
        (5, [-0.5, 0.5, 1], "with the sum 1"),
        (7, OUTPUT[0] + 1, "mix the values to"),
        (6, V[::-1], "mix the values to"),
    ],
)
def test_what_does_not_fit_is_refused(place, wrong, said):
    given = list(GIVEN)
    given[place] = wrong
    with pytest.raises(ValueError, match=said):
        diagrams.lookup_of(*given)


def _rgb(colour):
    return tuple(int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
