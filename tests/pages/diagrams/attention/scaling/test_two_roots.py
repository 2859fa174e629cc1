"""The figure of the two roots: triangles true to scale, and sums as probable as drawn."""

import math

import numpy as np
import pytest

from attention_book.attention.positions import sinusoidal_positions
from attention_book.pages.diagrams.attention.scaling.two_roots import Roots, roots_told, two_roots
from attention_book.pages.figures.plotting import figure_html

from ...legibility import smallest_type

ROOTS = Roots((0.5, -0.5, 0.5, 0.5), (0.0, 1.0, 0.0, 1.0))


@pytest.fixture(scope="module")
def axes():
    return two_roots(ROOTS).axes[0]


def line(axes, name):
    (found,) = [one for one in axes.lines if one.get_gid() == name]
    return np.array(found.get_xdata()), np.array(found.get_ydata())


def test_the_position_is_the_first_of_the_book():
    assert sinusoidal_positions(1, 4)[0].tolist() == list(ROOTS.position)


def test_shares_are_those_by_hand():
    assert ROOTS.share(1.0) == pytest.approx(2 / 3) and ROOTS.share(2.0) == pytest.approx(1 / 3)
    assert ROOTS.factors == (1.0, 2.0)


def test_triangles_are_true_to_scale(axes):
    for factor in (1, 2):
        x, y = line(axes, f"triangle-{factor}")
        word, position = x[1] - x[0], y[2] - y[1]
        assert position / word == pytest.approx(math.sqrt(2) / factor)
        vectors = np.array(ROOTS.position), factor * np.array(ROOTS.word)
        assert math.hypot(word, position) / word == pytest.approx(np.linalg.norm(sum(vectors)) / factor)


def test_sums_are_as_probable_as_drawn_coins(axes):
    random = np.random.default_rng(0)
    q, k = random.choice([-1, 1], (2, 40_000, 4))
    drawn = (q * k).sum(axis=1)
    bars = [one for one in axes.patches if (one.get_gid() or "").startswith("sum-1-")]
    heights = np.array([bar.get_height() for bar in bars])
    found = [(drawn == total).mean() for total in (-4, -2, 0, 2, 4)]
    assert heights / heights.sum() == pytest.approx(found, abs=0.01)
    assert drawn.std() == pytest.approx(2, rel=0.02)


def test_the_brackets_are_the_typical_sizes(axes):
    undivided, divided = (np.ptp(line(axes, f"reach-{divisor}")[0]) for divisor in (1, 2))
    assert undivided == pytest.approx(2 * divided)
    bars = [one for one in axes.patches if (one.get_gid() or "").startswith("sum-1-")]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in bars]
    assert undivided == pytest.approx(middles[3] - middles[1])  # from −2 to 2


def test_the_words_have_the_numbers():
    words = roots_told(ROOTS)
    assert "position of length 1.41" in words and "67 % of" in words.replace("\xa0", " ") and "33 %" in words
    assert "with a typical size of 2; beside it the same divided by 2, with a typical size of 1." in words


def test_it_is_drawn_as_vectors_and_legible_on_a_phone():
    figure = two_roots(ROOTS)
    assert "<image" not in figure_html(figure, alt="told", caption="asked")
    assert smallest_type(figure) >= 9


@pytest.mark.parametrize(
    ("word", "position", "said"),
    [
        ((1.0, 1.0), (0.0, 0.0), "length 1"),
        ((1.0, 0.0), (1.0, 0.0), "right angle"),
        ((1.0, *[0.0] * 7), (0.0, *[1.0] * 7), "does not fit"),
    ],
)
def test_what_makes_no_figure_is_refused(word, position, said):
    with pytest.raises(ValueError, match=said):
        two_roots(Roots(word, position))
