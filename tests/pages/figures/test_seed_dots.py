"""A row of dots per arm: every seed is drawn at its value, and the means are means."""

import numpy as np
import pytest

from attention_book.pages.figures.plotting import ROLES, figure_html
from attention_book.pages.figures.seed_dots import seed_dots

ROWS = {"the whole": [0.1, 0.2, 0.3], "without": [1.0, 2.0, 6.0]}


@pytest.fixture
def axes():
    return seed_dots(ROWS, x_label="loss", marked="the whole").axes[0]


def test_every_seed_is_a_dot_in_the_row_of_its_arm(axes):
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    labels = [tick.get_text() for tick in axes.get_yticklabels()]
    assert labels == list(ROWS)
    for line, (label, values) in zip(dots, ROWS.items(), strict=True):
        assert list(line.get_xdata()) == values
        assert set(line.get_ydata()) == {labels.index(label)}
    assert axes.get_xscale() == "log" and axes.yaxis_inverted()


def test_a_stroke_stands_at_each_mean_and_a_line_at_that_of_the_marked_arm(axes):
    means = {line.get_gid(): line.get_xdata()[0] for line in axes.lines if line.get_gid()}
    assert means == {f"mean-{label}": pytest.approx(np.mean(values)) for label, values in ROWS.items()}
    upright = [
        line.get_xdata()[0] for line in axes.lines if len(set(line.get_xdata())) == 1 and line.get_marker() == "None"
    ]
    assert upright == [pytest.approx(0.2)]


def test_differences_may_be_compared_on_a_linear_axis():
    axes = seed_dots({"a": [-1.0, 1.0], "b": [2.0, 3.0]}, x_label="gain", marked="b", logarithmic=False).axes[0]
    assert axes.get_xscale() == "linear"
    assert [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"] == [[-1.0, 1.0], [2.0, 3.0]]


def test_it_is_legible_on_a_phone_and_coloured_by_the_page():
    drawing = figure_html(seed_dots(ROWS, x_label="loss", marked="the whole"), alt="told", caption="asked")
    assert f"var(--role-output, {ROLES['output'].light})" in drawing and "<image" not in drawing


def test_wrong_rows_are_refused():
    with pytest.raises(ValueError, match="no row 'other'; there are the whole, without"):
        seed_dots(ROWS, x_label="loss", marked="other")
    with pytest.raises(ValueError, match="positive numbers only"):
        seed_dots({"a": [0.0, 1.0]}, x_label="loss", marked="a")
