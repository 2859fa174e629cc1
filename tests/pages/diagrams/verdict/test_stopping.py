"""Both curves of one training stand over the same passes, with the two moments marked, in the picture and in words."""

import re

import pytest

from attention_book.pages.diagrams.verdict import stopping as diagrams
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.pages.figures.plotting import figure_html

RECORDS = [
    [100, 9.0, 6.0, 7.0],
    [200, 8.0, 5.5, 12.0],
    [300, 7.0, 5.75, 14.0],
    [400, 6.0, 5.9, 19.0],
    [500, 5.0, 5.8, 18.0],
]


def drawn(figure, gid):
    (line,) = (line for axes in figure.axes for line in axes.lines if line.get_gid() == gid)
    return line


def test_every_validation_has_its_point_in_both_curves_and_both_moments_their_lines():
    figure = diagrams.two_moments(RECORDS, 50)
    assert list(drawn(figure, "loss").get_xdata()) == list(drawn(figure, "chrf").get_xdata()) == [2, 4, 6, 8, 10]
    assert list(drawn(figure, "loss").get_ydata()) == [6.0, 5.5, 5.75, 5.9, 5.8]
    assert list(drawn(figure, "chrf").get_ydata()) == [7, 12, 14, 19, 18]
    for panel in ("loss", "chrf"):
        assert set(drawn(figure, f"lowest-{panel}").get_xdata()) == {4}
        assert set(drawn(figure, f"best-{panel}").get_xdata()) == {8}
    assert drawn(figure, "lowest-loss").get_linestyle() != drawn(figure, "best-loss").get_linestyle()
    for panel, value in (("loss", 5.9), ("chrf", 19.0)):
        ring = drawn(figure, f"top-{panel}")
        assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([8], [value])
        assert ring.get_fillstyle() == "none"
    assert {text.get_text() for text in figure.axes[0].texts} == {"lowest loss", "highest chrF", "top of the climb"}


def test_the_words_hold_both_moments_and_both_ends():
    told = diagrams.two_moments_told(RECORDS, 50)
    for part in (
        "over 10 passes",
        "begins at 6.0",
        "after 4 passes at 5.5",
        "climbs to 5.9 after 8, and ends at 5.8",
        "begins at 7",
        "is 12 where",
        "19 at the top of the climb",
        "after 8 passes at 19",
    ):
        assert part in told


def test_letters_keep_their_size_on_a_phone():
    html = figure_html(diagrams.two_moments(RECORDS, 50), alt="a", caption="b")
    assert int(re.search(r"min-width: (\d+)px", html)[1]) <= 343, LEAST_TYPE


def test_no_validation_is_refused():
    for draw in (diagrams.two_moments, diagrams.two_moments_told):
        with pytest.raises(ValueError, match="no validation"):
            draw([], 50)
