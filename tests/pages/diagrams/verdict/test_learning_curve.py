"""The learning curve shows every score where it belongs, tells the same in words, and stays legible on a phone."""

import re

import pytest
from matplotlib.colors import to_hex

from attention_book.pages.diagrams.verdict import learning_curve as diagrams
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.pages.figures.plotting import INK, figure_html

CURVES = {
    "one": {1000: [10.0, 12.0], 10_000: [20.0, 22.0], 100_000: [30.0, 30.5]},
    "two": {1000: [15.0], 100_000: [16.5]},
}
LONG = {"longer": (100_000, 60.0, 8.0), "longest": (100_000, 66.0, 20.0)}


def drawn(figure, gid):
    (line,) = (line for line in figure.axes[0].lines if line.get_gid() == gid)
    return line


def test_each_seed_has_its_dot_and_the_line_goes_through_the_means():
    figure = diagrams.learning_curves(CURVES, LONG)
    dots = drawn(figure, "seeds-one")
    other = drawn(figure, "seeds-two")
    assert list(dots.get_xdata()) == pytest.approx([x / 1.08**0.5 for x in (1000, 1000, 10_000, 10_000, 1e5, 1e5)])
    assert list(other.get_xdata()) == pytest.approx([x * 1.08**0.5 for x in (1000, 1e5)])
    assert list(dots.get_ydata()) == [10, 12, 20, 22, 30, 30.5]
    assert list(drawn(figure, "mean-one").get_ydata()) == [11, 21, 30.25]
    assert figure.axes[0].get_xscale() == "log" and figure.axes[0].get_ylim()[0] == 0
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["1,000", "10,000", "100,000"]


def test_longer_runs_stand_alone_with_their_names_and_every_look_differs():
    figure = diagrams.learning_curves(CURVES, LONG)
    for name, (pairs, score, tokens) in LONG.items():
        mark = drawn(figure, f"long-{name}")
        assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([pairs], [score])
        assert mark.get_linestyle() == "None" and mark.get_markerfacecolor() == "none"
        assert any(text.get_text() == f"{name}, {tokens:.0f} M tokens" for text in figure.axes[0].texts)
    assert len({drawn(figure, f"mean-{name}").get_linestyle() for name in CURVES}) == len(CURVES)
    assert len({drawn(figure, f"seeds-{name}").get_marker() for name in CURVES}) == len(CURVES)
    assert {to_hex(line.get_color()) for line in figure.axes[0].lines} == {INK}


def test_labels_of_close_values_keep_their_order_and_their_distance():
    found = diagrams._spread([63.0, 65.0, 63.5], 4.0)
    assert found == [61.0, 69.0, 65.0]
    assert diagrams._spread([], 4.0) == []


def test_the_words_hold_every_mean_and_every_longer_run():
    told = diagrams.learning_curves_told(CURVES, LONG)
    for number in ("11.0", "21.0", "30.2", "15.0", "16.5", "60.0", "66.0", "1,000", "20 million"):
        assert number in told
    assert "Longer runs" not in diagrams.learning_curves_told(CURVES, {})


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="1 to 4 curves"):
        diagrams.learning_curves({}, {})


def test_letters_keep_their_size_on_a_phone():
    html = figure_html(diagrams.learning_curves(CURVES, LONG), alt="a", caption="b")
    assert int(re.search(r"min-width: (\d+)px", html)[1]) <= 343, LEAST_TYPE
