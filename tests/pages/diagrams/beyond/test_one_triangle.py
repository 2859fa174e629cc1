"""The figure draws the cells that the masks allow, and its words count them."""

import pytest

from attention_book.models.one_stack.decoder_only import stream_mask
from attention_book.pages.diagrams.beyond.one_triangle import (
    empty_table,
    empty_table_told,
    one_triangle,
    one_triangle_told,
    panels,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return one_triangle().axes[0]


@pytest.mark.parametrize(("panel", "prefix"), [(0, False), (1, True), (2, True)])
def test_its_cells_are_those_of_the_mask(axes, panel, prefix):
    drawn = {
        tuple(map(int, patch.get_gid().split("-")[2:]))
        for patch in axes.patches
        if str(patch.get_gid()).startswith(f"allowed-{panel}-")
    }
    assert drawn == {tuple(place) for place in stream_mask(3, 3, prefix).nonzero().tolist()}


def test_every_panel_has_the_three_blocks(axes):
    numbers = sorted(text.get_gid() for text in axes.texts if str(text.get_gid()).startswith("block-"))
    assert numbers == [f"block-{panel}-{number}" for panel in range(3) for number in (1, 2, 3)]


def test_the_words_count_the_cells():
    told = one_triangle_told()
    assert told.count("24 of 36") == 2 and told.count("21 of 36") == 1
    assert [panel.apart for panel in panels()] == [False, False, True]


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colour_of_weights():
    drawing = figure_html(one_triangle(), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing


def test_the_empty_table_has_a_cell_per_pair_and_no_answer():
    axes = empty_table().axes[0]
    assert len(axes.patches) == 36 and not any(patch.get_facecolor()[3] for patch in axes.patches)
    assert not outside(axes) and smallest_type(axes.figure) >= 9
    assert "six tokens cats, ., </s>, <s>, gatos, .. It is empty" in empty_table_told()
