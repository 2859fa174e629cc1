"""The figure of the two bumps: curves and marks are norms of Jacobians, and the words have their mean and middle."""

import math

import numpy as np
import pytest

from attention_book.pages.diagrams.attention.scaling.two_bumps import Bumps, bumps_told, two_bumps
from attention_book.pages.figures.plotting import figure_html

from ...legibility import smallest_type

BUMPS = Bumps((0, 4, 8, 12, 16), 8)


def by_hand(lead, c):
    """The norm 2 p (1 − p) / C of the four entries ± p (1 − p) / C."""
    p = 1 / (1 + math.exp(-lead / c))
    return 2 * p * (1 - p) / c


@pytest.fixture(scope="module")
def axes():
    return two_bumps(BUMPS).axes[0]


def line(axes, name):
    (found,) = [one for one in axes.lines if one.get_gid() == name]
    return np.array(found.get_xdata()), np.array(found.get_ydata())


def test_norms_mean_and_middle_are_those_by_hand():
    for arm, c in (("undivided", 1), ("divided", 8)):
        right = [by_hand(lead, c) for lead in BUMPS.leads]
        assert BUMPS.norms(BUMPS.leads)[arm] == pytest.approx(right)
        assert BUMPS.means[arm] == pytest.approx(sum(right) / 5) and BUMPS.middles[arm] == pytest.approx(right[2])


def test_the_mean_tells_one_story_and_the_middle_draw_the_other():
    assert BUMPS.means["undivided"] > 2 * BUMPS.means["divided"]
    assert BUMPS.middles["undivided"] < BUMPS.middles["divided"] / 50
    numbers = BUMPS.numbers
    assert numbers["undivided_mean"] == BUMPS.means["undivided"] and numbers["divided_mean"] == BUMPS.means["divided"]
    assert numbers["times_middle"] == pytest.approx(by_hand(8, 8) / by_hand(8, 1))


def test_undivided_the_tie_alone_carries_the_mean():  # the caption and the text say so
    tie, *others = (by_hand(lead, 1) for lead in BUMPS.leads)
    assert BUMPS.numbers["first_share"] == pytest.approx(100 * tie / (tie + sum(others))) and tie > 10 * sum(others)


def test_marks_stand_on_their_curves_at_their_leads(axes):
    for arm, c in (("undivided", 1), ("divided", 8)):
        x, y = line(axes, f"draws-{arm}")
        assert np.diff(x) == pytest.approx([x[1] - x[0]] * 4)  # leads at equal distances
        across, up = line(axes, f"curve-{arm}")
        assert np.interp(x, across, up) == pytest.approx(y, abs=0.5)
        floor, top = line(axes, "draws-undivided")[1][-1], line(axes, "draws-undivided")[1][0]
        heights = (y - floor) / (top - floor) / 2  # the tie, ½, is the highest
        assert heights == pytest.approx([by_hand(lead, c) for lead in BUMPS.leads], abs=1e-4)


def test_the_words_have_the_numbers():
    words = bumps_told(BUMPS)
    assert "Undivided norms at these leads: 0.5, 0.0353, " in words and "mean 0.107, middle draw 6.7·10⁻⁴" in words
    assert "Divided norms at these leads: 0.0625, " in words and "mean 0.047, middle draw 0.0492" in words


def test_a_table_has_a_row_per_draw():
    assert BUMPS.rows[0] == ("0", "0.5", "0.0625") and len(BUMPS.rows) == 5


def test_it_is_drawn_as_vectors_and_legible_on_a_phone():
    figure = two_bumps(BUMPS)
    assert "<image" not in figure_html(figure, alt="told", caption="asked")
    assert smallest_type(figure) >= 9


@pytest.mark.parametrize(
    ("leads", "divisor", "said"),
    [
        ((0, 4), 8, "odd number"),
        ((4, 0, 8), 8, "rising order"),
        ((-1, 0, 1), 8, "from 0 on"),
        ((0, 1, 2), 1, "above 1"),
    ],
)
def test_what_makes_no_figure_is_refused(leads, divisor, said):
    with pytest.raises(ValueError, match=said):
        two_bumps(Bumps(leads, divisor))
