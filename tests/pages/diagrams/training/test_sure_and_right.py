"""The figure of how sure and how right: both marks of a model stand in its row, at their places on the axis."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.sure_and_right import (
    HIGH,
    LEFT,
    LOW,
    RIGHT,
    sure_and_right,
    sure_and_right_told,
)
from attention_book.pages.figures.plotting import figure_html

MODELS = {"few pairs": (0.8, 0.6), "many pairs": (0.7, 0.9)}


@pytest.fixture(scope="module")
def axes():
    return sure_and_right(MODELS).axes[0]


def test_both_marks_stand_where_their_shares_are_in_the_row_of_the_name(axes):
    places = {line.get_gid(): line.get_xydata()[0] for line in axes.lines if line.get_gid()}
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    for row, (name, shares) in enumerate(MODELS.items()):
        for mark, share in zip(("sure", "right"), shares, strict=True):
            x, y = places[f"{mark}-{row}"]
            assert (x - LEFT) / (RIGHT - LEFT) == pytest.approx((share - LOW) / (HIGH - LOW))
            assert y == heights[name]


def test_a_share_beyond_the_axis_is_refused():
    with pytest.raises(ValueError, match="have a place on the axis"):
        sure_and_right({"a": (0.4, 0.6)})


def test_the_words_have_both_shares():
    assert "few pairs: 80% sure, 60% right; many pairs: 70% sure, 90% right" in sure_and_right_told(MODELS)


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for text in axes.texts:
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert text.get_fontsize() * min(1.0, 311 / width) >= 9
    assert "<image" not in figure_html(sure_and_right(MODELS), alt="told", caption="asked")
