"""The figure of split and merge: every number stands where the package's own functions put it."""

import re

import numpy as np
import pytest
import torch

from attention_book.attention.multi_head import merge_heads, split_heads
from attention_book.pages.diagrams.attention.split_and_merge import (
    D,
    H,
    numbered,
    split_and_merge,
    split_and_merge_told,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return split_and_merge().axes[0]


def test_the_numbers_are_those_of_split_heads_and_merge_heads():
    grids = {name: torch.tensor(grid, dtype=torch.float64) for name, grid in numbered().items()}
    split = split_heads(grids["queries"][None], H)[0]
    assert torch.equal(split.reshape(-1, D), grids["split"])
    outputs = grids["outputs"].reshape(1, H, -1, D)
    assert torch.equal(outputs.flatten(), torch.arange(outputs.numel(), dtype=torch.float64))
    assert torch.equal(merge_heads(outputs)[0], grids["merged"])


def test_every_number_is_drawn_in_its_cell(axes):
    texts = {(round(x, 3), round(y, 3)): text.get_text() for text in axes.texts for x, y in [text.get_position()]}
    cells = {patch.get_gid(): patch for patch in axes.patches}
    grids, n = numbered(), len(numbered()["queries"])
    for name, grid in grids.items():
        wide = grid.shape[1] > D
        for head in range(H):
            part = grid[:, head * D : (head + 1) * D] if wide else grid[head * n : (head + 1) * n]
            for (row, column), number in np.ndenumerate(part):
                cell = cells[f"{name}-{head}-{row}-{column}"]
                centre = (cell.get_x() + cell.get_width() / 2, cell.get_y() + cell.get_height() / 2)
                assert texts[round(centre[0], 3), round(centre[1], 3)] == str(number)


def test_nothing_stands_outside_the_sheet(axes):
    assert not outside(axes)


def test_the_words_tell_both_heads_and_the_merged_rows():
    told = split_and_merge_told()
    assert "Head 0 holds I 0, 1, 2, 3; like 8, 9, 10, 11; cats 16, 17, 18, 19." in told
    assert "Head 1 holds I 4, 5, 6, 7;" in told and "like 4, 5, 6, 7, 16, 17, 18, 19;" in told
    assert len(re.findall(r"\d+", told)) > 48


def test_on_a_phone_the_type_is_nine_pixels_or_more(axes):
    assert smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colours_of_queries_and_outputs():
    drawing = figure_html(split_and_merge(), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-query" in drawing and "var(--role-output" in drawing
