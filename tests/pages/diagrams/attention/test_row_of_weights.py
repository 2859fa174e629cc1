"""The figure of a row of weights: bars, offset and spread are those of the row."""

import pytest
import torch

from attention_book.analysis.head_profiles import row_statistics
from attention_book.pages.diagrams.attention.row_of_weights import offset_and_spread, row_of_weights, row_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

ROW, QUERY = (0.5, 0.25, 0.25, 0.0), 1


def test_offset_and_spread_are_those_of_the_package():
    rows = torch.zeros(1, 2, 4, dtype=torch.float64)
    rows[0, :] = torch.tensor(ROW)
    found = row_statistics(rows)
    assert offset_and_spread(ROW, QUERY) == pytest.approx((float(found.offset[0, 1]), float(found.spread[0, 1])))


def test_bars_are_as_tall_as_the_weights_and_the_spread_is_as_wide_as_it_says():
    axes = row_of_weights(ROW, QUERY).axes[0]
    bars = [patch for patch in axes.patches if patch.get_gid().startswith("weight-")]
    assert bars[0].get_height() == pytest.approx(2 * bars[1].get_height()) and len(bars) == len(ROW)
    step = (bars[1].get_x() - bars[0].get_x()) / 1
    (line,) = [line for line in axes.lines if line.get_gid() == "spread"]
    offset, spread = offset_and_spread(ROW, QUERY)
    ends = line.get_xdata()
    assert ends[1] - ends[0] == pytest.approx(2 * spread * step)
    query = bars[QUERY].get_x() + bars[QUERY].get_width() / 2
    assert sum(ends) / 2 - query == pytest.approx(offset * step)


def test_the_words_have_the_numbers():
    assert row_told(ROW, QUERY).startswith(
        "Bars for the weights of a query at position 1: 0.50 on key 0, 0.25 on key 1"
    )
    assert "leads to the offset, −0.25" in row_told(ROW, QUERY) and "the spread, 0.83" in row_told(ROW, QUERY)


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors():
    figure = row_of_weights(ROW, QUERY)
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


@pytest.mark.parametrize(("row", "query"), [((0.5, 0.4), 0), (ROW, 4), (ROW, -1)])
def test_what_is_no_row_is_refused(row, query):
    with pytest.raises(ValueError, match="weights sum to 1"):
        row_of_weights(row, query)
