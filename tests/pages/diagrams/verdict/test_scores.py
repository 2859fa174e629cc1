"""The verdict's figures show every number that their words tell, and stay legible on a phone."""

import re

import pytest
from matplotlib.colors import to_hex

from attention_book.analysis.seed_statistics import Measured
from attention_book.pages.diagrams.verdict import scores
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.pages.figures.plotting import INK, figure_html

METRICS = ("BLEU", "chrF")
BOTH = {
    "one": (Measured(20.0, 1.0, "interval", 9), Measured(50.0, 0.5, "interval", 9)),
    "two": (Measured(30.0, 2.0, "interval", 9), Measured(45.0, 0.7, "interval", 9)),
}
LINES = {name: [Measured(base + i, 2.0, "interval", 9) for i in range(3)] for name, base in (("a", 20.0), ("b", 40.0))}


def drawn(figure, gid):
    return [line for line in figure.axes[0].lines if line.get_gid() == gid]


def test_each_dot_and_each_interval_stands_where_the_score_says():
    figure = scores.score_dots(BOTH, METRICS)
    for row, (name, both) in enumerate(BOTH.items()):
        for metric, one in zip(METRICS, both, strict=True):
            (dot,) = drawn(figure, f"{metric}-{name}")
            assert dot.get_xdata()[0] == one.value and abs(dot.get_ydata()[0] - row) < 0.2
            ends = [tuple(line.get_xdata()) for line in figure.axes[0].lines]
            assert (one.value - one.spread, one.value + one.spread) in ends
            (number,) = (text for text in figure.axes[0].texts if text.get_text() == f"{one.value:.1f}")
            assert number.get_position()[0] > one.value + one.spread and number.get_position()[1] == dot.get_ydata()[0]
    faces = [drawn(figure, f"{metric}-one")[0].get_markerfacecolor() for metric in METRICS]
    assert faces[0] == INK and faces[1] == "none"
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(BOTH)


def test_the_words_hold_every_number_of_the_dots():
    told = scores.score_dots_told(BOTH, METRICS)
    for name, both in BOTH.items():
        assert name in told and all(f"{one:.1f}" in told for one in both)


def test_each_line_goes_through_its_scores_and_has_a_look_of_its_own():
    figure = scores.length_lines(LINES, ["1–4", "5–6", "7 and more"])
    boxes = figure.axes[0].containers
    assert len(boxes) == 2
    for box, points in zip(boxes, LINES.values(), strict=True):
        assert list(box.lines[0].get_ydata()) == [one.value for one in points]
        assert to_hex(box.lines[0].get_color()) == INK
    assert len({(box.lines[0].get_marker(), str(box.lines[0].get_linestyle())) for box in boxes}) == 2
    told = scores.length_lines_told(LINES, ["1–4", "5–6", "7 and more"])
    assert all(f"{one.value:.1f}" in told for points in LINES.values() for one in points) and "7 and more" in told


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="no system"):
        scores.score_dots({}, METRICS)
    with pytest.raises(ValueError, match="a has 3 scores for 2 groups"):
        scores.length_lines(LINES, ["1–4", "5–6"])
    with pytest.raises(ValueError, match="between 1 and 6 systems"):
        scores.length_lines({str(i): LINES["a"] for i in range(7)}, ["1–4", "5–6", "7"])


@pytest.mark.parametrize("figure", [scores.score_dots(BOTH, METRICS), scores.length_lines(LINES, ["1", "2", "3"])])
def test_letters_keep_their_size_on_a_phone(figure):
    html = figure_html(figure, alt="a", caption="b")
    assert int(re.search(r"min-width: (\d+)px", html)[1]) <= 343, LEAST_TYPE
