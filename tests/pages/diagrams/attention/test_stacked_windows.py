"""The figure of a window through layers: what is full and linked is what the newest output can feel."""

import pytest

from attention_book.pages.diagrams.attention.stacked_windows import StackedWindows, stacked_windows, windows_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

STACK = StackedWindows(length=9, width=3, layers=3)


def full(figure, layer):
    cells = {patch.get_gid(): patch for patch in figure.axes[0].patches}
    return [place for place in range(9) if cells[f"cell-{layer}-{place}"].get_facecolor()[3]]


def test_each_layer_down_reaches_two_positions_further_back():
    figure = stacked_windows(STACK)
    assert [full(figure, layer) for layer in (3, 2, 1, 0)] == [[8], [6, 7, 8], [4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8]]


def test_a_link_goes_from_a_felt_position_to_each_key_of_its_window():
    drawn = [line.get_gid() for line in stacked_windows(STACK).axes[0].lines]
    assert sorted(name for name in drawn if name.startswith("link-3")) == ["link-3-8-6", "link-3-8-7", "link-3-8-8"]
    assert len([name for name in drawn if name.startswith("link-1")]) == 5 * 3
    assert StackedWindows(3, 5, 1).links(1) == [(2, 0), (2, 1), (2, 2)]


def test_the_links_straight_down_are_bold():
    wide = {line.get_gid() for line in stacked_windows(STACK).axes[0].lines if line.get_linewidth() > 2}
    assert len(wide) == 1 + 3 + 5
    assert {"link-3-8-8", "link-1-4-4"} <= wide and "link-3-8-7" not in wide


def test_the_figure_in_words_has_its_numbers():
    told = windows_told(STACK)
    assert told.startswith("9 positions, 3 layers, and a window of 3 in each. The output of layer 2 at position 8")
    assert told.endswith("6 to 8 of layer 1, the positions 4 to 8 of layer 0, the positions 2 to 8 of the inputs.")


def test_without_a_layer_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="got 0 layers"):
        stacked_windows(STACK._replace(layers=0))


def test_on_a_phone_the_type_is_nine_pixels_or_more_in_colours_of_the_page():
    figure = stacked_windows(STACK)
    assert smallest_type(figure) >= 9
    drawing = figure_html(figure, alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-value" in drawing and "var(--role-output" in drawing
