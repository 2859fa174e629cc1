"""The figure of the roofline: every point carries its batch, and the words name the ends of every line."""

from attention_book.pages.diagrams.translator.roofline import roofline, roofline_told
from attention_book.pages.figures.plotting import INK

LINES = {"limit": ([0.5, 5, 32], [10, 100, 100]), "whole step": ([0.5, 4, 32], [5, 20, 80])}


def test_points_carry_their_batch():
    (axes,) = roofline(LINES, [1, 8, 64], "whole step").axes
    notes = {text.get_text(): text.xy for text in axes.texts}
    assert notes == {"batch 1": (0.5, 5), "8": (4, 20), "64": (32, 80)}
    assert {text.get_color() for text in axes.texts} == {INK}, "they would be black on a dark page"
    assert 0 < axes.get_ylim()[0] < 5 and axes.get_ylim()[1] > 100, "no point is cut off"
    assert axes.get_xscale() == axes.get_yscale() == "log" and len(axes.lines) == 2


def test_the_words_name_the_ends():
    told = roofline_told(LINES, [1, 8, 64])
    assert "from 10 at 0.5 operations per byte to 100 at 5.0" in told
    assert told.endswith("Whole step: 5 at batch 1, 80 at batch 64.")
