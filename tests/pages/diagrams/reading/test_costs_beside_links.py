"""The figure of heads, how badly they link and what they cost: its points are the numbers, a mark per layer."""

import numpy as np
import pytest
from oracles import unchecked

from attention_book.pages.diagrams.reading.costs_beside_links import costs_beside_links, costs_beside_links_told
from attention_book.pages.figures.plotting import figure_html

RATES = np.array([[[0.9, 0.8], [0.6, 0.5]], [[0.7, 0.7], [0.4, 0.3]]])
COSTS = np.array([[[0.02, 0.01], [0.04, 0.03]], [[0.0, 0.1], [0.2, 0.25]]])


def test_every_head_is_a_point_of_its_layer():
    lines = costs_beside_links(RATES, COSTS).axes[0].lines
    assert [line.get_label() for line in lines] == ["layer 0", "layer 1"]
    for layer, line in enumerate(lines):
        assert line.get_xdata().tolist() == RATES[:, layer].ravel().tolist()
        assert line.get_ydata().tolist() == COSTS[:, layer].ravel().tolist()
        assert line.get_linestyle() == "None"
    assert lines[0].get_marker() != lines[1].get_marker() and lines[0].get_markerfacecolor() == "none"


def test_it_takes_the_colours_of_the_page():
    drawing = figure_html(costs_beside_links(RATES, COSTS), alt="told", caption="asked")
    assert "currentColor" in drawing and "<image" not in drawing


def test_it_is_told_by_layer():
    told = costs_beside_links_told(RATES, COSTS)
    assert told.startswith("A point per head, 8 in all. Layer 0, AER from 0.70 to 0.90, median 0.75; cost from 0.00 ")
    assert told.endswith("Layer 1, AER from 0.30 to 0.60, median 0.45; cost from 0.03 to 0.25, median 0.12.")


def test_lines_show_that_each_layer_says_the_opposite_of_all_heads():
    drawn = {line.get_gid(): line for line in costs_beside_links(RATES[:1], COSTS[:1], lines=True).axes[0].lines}
    assert np.allclose(drawn["line-0"].get_xydata(), [[0.8, 0.01], [0.9, 0.02]])
    assert np.allclose(drawn["line-1"].get_xydata(), [[0.5, 0.03], [0.6, 0.04]])
    across = drawn["line-all"]
    slope, start = np.polyfit(RATES[0].ravel(), COSTS[0].ravel(), 1)
    assert np.allclose(across.get_ydata(), slope * across.get_xdata() + start) and slope < 0
    assert across.get_linestyle() == "--"
    told = costs_beside_links_told(RATES[:1], COSTS[:1], lines=True)
    assert told.endswith(
        "To the left, with better links, the line through layer 0 falls, that through layer 1 falls, that through all "
        "heads rises."
    )


def test_rings_stand_around_the_best_aligner_of_each_seed():
    lines = costs_beside_links(RATES, COSTS, rings=True).axes[0].lines
    (rings,) = [line for line in lines if line.get_gid() == "rings"]
    assert rings.get_xydata().tolist() == [[0.5, 0.03], [0.3, 0.25]] and rings.get_markerfacecolor() == "none"


def test_numbers_that_do_not_fit_are_refused():
    with unchecked(), pytest.raises(ValueError, match="one shape"):
        costs_beside_links(RATES, COSTS[:1])
