"""The figure of a nudged score: its table is the Jacobian, and its discs are as large as the entries."""

import numpy as np
import pytest

from attention_book.attention.probability import softmax_jacobian
from attention_book.pages.diagrams.attention.scaling.nudged_score import entries, nudged_score, nudged_told
from attention_book.pages.figures.plotting import figure_html

from ...legibility import smallest_type


@pytest.fixture(scope="module")
def axes():
    return nudged_score((2, 1, 1), 1).axes[0]


def patch(axes, name):
    (found,) = [one for one in axes.patches if one.get_gid() == name]
    return found


@pytest.mark.parametrize("exponentials", [(2, 1, 1), (3, 1), (5, 2, 7)])
def test_the_entries_are_the_jacobian(exponentials):
    found = np.array([[float(entry) for entry in row] for row in entries(exponentials)])
    np.testing.assert_allclose(found, softmax_jacobian(np.log(np.array(exponentials, dtype=float))), atol=1e-12)


def test_discs_have_the_areas_of_the_entries_and_are_full_where_the_weight_gains(axes):
    table = entries((2, 1, 1))
    areas = {}
    for i in range(3):
        for j in range(3):
            disc = patch(axes, f"disc-{i}-{j}")
            corners = disc.get_xy()
            areas[i, j] = np.ptp(corners[:, 0]) ** 2 / abs(float(table[i][j]))
            assert (disc.get_facecolor()[3] > 0) == (table[i][j] > 0)
    assert np.allclose(list(areas.values()), areas[0, 0], rtol=0.01)


def test_bars_are_as_long_as_the_weights(axes):
    lengths = [patch(axes, f"weight-{i}").get_width() for i in range(3)]
    assert lengths[0] == pytest.approx(2 * lengths[1]) and lengths[1] == lengths[2]


def test_the_frame_is_around_the_column_of_the_score(axes):
    frame = patch(axes, "nudged")
    for i in range(3):
        cell = patch(axes, f"cell-{i}-1")
        assert cell.get_x() == pytest.approx(frame.get_x()) and cell.get_width() == frame.get_width()
        assert frame.get_y() <= cell.get_y() + 0.01 < frame.get_y() + frame.get_height()


def test_what_is_written_stays_on_the_sheet_and_is_legible_on_a_phone():
    figure = nudged_score((2, 1, 1), 1)
    axes = figure.axes[0]
    assert all(5 < text.get_position()[1] < axes.get_ylim()[1] - 4 for text in axes.texts if text.get_text())
    assert smallest_type(figure) >= 9
    drawing = figure_html(figure, alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing


def test_the_words_have_the_numbers():
    words = nudged_told((2, 1, 1), 1)
    assert "bars: 1/2, 1/4, 1/4" in words and "row 2: −1/8, +3/16, −1/16" in words
    assert "a nudge of score 2 does to the weights: −1/8, +3/16, −1/16" in words


@pytest.mark.parametrize(
    ("exponentials", "score", "said"),
    [((1,), 0, "two or three"), ((1, 0), 0, "positive"), ((1, 1, 1, 1), 0, "two or three"), ((1, 1), 2, "no score 2")],
)
def test_what_makes_no_figure_is_refused(exponentials, score, said):
    with pytest.raises(ValueError, match=said):
        nudged_score(exponentials, score)
