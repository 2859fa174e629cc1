"""The dots of *Better, or lucky?*: every seed at its value, none on another, a bar as long as the interval."""

import numpy as np
import pytest
from scipy import stats

from attention_book.pages.diagrams.before.seed_leads import DOT, LEFT, RIGHT, Panel, levels, seed_leads, seed_leads_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.readers.before.scores_compared import read

from ..legibility import outside, smallest_type

FIRST = {"one": np.array([1.0, 2.0, 3.0, 2.0, 2.0]), "two": np.array([-2.0, 0.0, 1.0, 0.5, 0.0])}
PANELS = Panel("lead", FIRST, "+.1f", "points"), Panel("loss", {"one": np.array([0.01, 0.03])}, ".2f", "nats")
ALL = ("dot", "general", "concat", "additive before")


def lines_of(*panels):
    return {line.get_gid(): line for line in seed_leads(*panels).axes[0].lines if line.get_gid()}


def value_at(lines, panel, values):
    """From points back to values, by the zero line and the outermost dot of the panel's first row."""
    zero = lines[f"panel-{panel}-zero"].get_xdata()[0]
    scale = (lines[f"panel-{panel}-dots-0"].get_xdata()[2 if panel == 0 else 1] - zero) / values
    return lambda x: (np.asarray(x) - zero) / scale


def test_dots_bars_and_means_stand_at_their_values():
    lines = lines_of(*PANELS)
    value = value_at(lines, 0, 3.0)
    for place, values in enumerate(FIRST.values()):
        assert value(lines[f"panel-0-dots-{place}"].get_xdata()) == pytest.approx(values)
        low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
        assert value(lines[f"panel-0-bar-{place}"].get_xdata()) == pytest.approx([low, high])
        assert value(lines[f"panel-0-mean-{place}"].get_xdata()) == pytest.approx([values.mean()])
    other = value_at(lines, 1, 0.03)
    assert other(lines["panel-1-dots-0"].get_xdata()) == pytest.approx([0.01, 0.03])


def test_a_bar_leaves_the_line_at_0_out_where_the_page_says_so():
    runs = read()
    lines = lines_of(Panel("right", runs.leads(("concat", "dot")), "+.1f", "points"))
    zero = lines["panel-0-zero"].get_xdata()[0]
    concat, dot = (lines[f"panel-0-bar-{place}"].get_xdata() for place in (0, 1))
    assert concat[0] < zero < concat[1] and max(dot) < zero


def test_all_is_drawn_between_the_names_and_the_numbers_and_no_dots_overlap():
    runs = read()
    panels = Panel("loss", runs.costs(ALL), "+.3f", "nats"), Panel("right", runs.leads(ALL), "+.1f", "points")
    figure = seed_leads(*panels)
    for line in figure.axes[0].lines:
        if "dots" in (line.get_gid() or ""):
            x, y = line.get_xdata(), line.get_ydata()
            assert (x >= LEFT - 1e-9).all() and (x <= RIGHT + 1e-9).all()
            apart = [abs(x[a] - x[b]) >= DOT - 1e-9 or abs(y[a] - y[b]) >= DOT - 1e-9
                     for a in range(len(x)) for b in range(a)]  # fmt: skip
            assert all(apart) and np.ptp(y) <= 4 * DOT
    assert not outside(figure.axes[0]) and smallest_type(figure) >= 9
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()]
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


def test_equal_dots_are_stacked_and_others_stand_on_the_floor():
    assert levels([0.0, 0.0, 2 * DOT, 0.0]) == [0, 1, 0, 2]
    assert levels([3 * DOT, 0.5 * DOT, 0.0, DOT]) == [0, 1, 0, 0]
    assert levels([]) == []


def test_the_words_have_every_dot_and_say_what_a_bar_does():
    assert seed_leads_told(*PANELS).replace("\xa0", " ") == (
        "A point per seed, and below the points a bar, the 95 % interval of their mean. "
        "Lead, in points. one: +1.0, +2.0, +3.0, +2.0, +2.0; mean +2.0 ± 0.9, which leaves 0 out. "
        "two: −2.0, +0.0, +1.0, +0.5, +0.0; mean −0.1 ± 1.4, which contains 0. "
        "Loss, in nats. one: 0.01, 0.03; mean 0.02 ± 0.13, which contains 0."
    )


def test_nothing_to_draw_is_refused():
    for panels in ((), (Panel("lead", {}, ".1f", "points"),)):
        with pytest.raises(ValueError, match="no row to draw"):
            seed_leads(*panels)
    with pytest.raises(ValueError, match="at least two seeds"):
        seed_leads(Panel("lead", {"one": np.array([1.0])}, ".1f", "points"))


def test_rows_without_any_difference_are_drawn_at_0():
    lines = lines_of(Panel("lead", {"one": np.zeros(3)}, ".1f", "points"))
    assert set(lines["panel-0-dots-0"].get_xdata()) == {lines["panel-0-zero"].get_xdata()[0]}
