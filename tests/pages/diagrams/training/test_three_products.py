"""The figure of a step's three products: their shapes fit, and their numbers are torch's."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_book.pages.diagrams.training import three_products as figure
from attention_book.pages.figures.plotting import figure_html


def test_the_shapes_are_those_of_products_and_cost_what_torch_counts():
    for _, _, left, right, result in figure.PRODUCTS:
        with FlopCounterMode(display=False) as counter:
            found = torch.ones(left) @ torch.ones(right)
        assert found.shape == result
        assert counter.get_total_flops() == 2 * figure.multiply_adds(left, right)


def test_every_cell_is_drawn_and_nothing_leaves_the_sheet():
    (axes,) = figure.three_products().axes
    names = {patch.get_gid() for patch in axes.patches}
    for n, (_, _, *shapes) in enumerate(figure.PRODUCTS):
        for name, (rows, columns) in zip(("left", "right", "result"), shapes, strict=True):
            assert {f"{name}-{n}-{row}-{column}" for row in range(rows) for column in range(columns)} <= names
    assert all(axes.get_xlim()[0] <= patch.get_x() <= axes.get_xlim()[1] for patch in axes.patches)


def test_it_is_told_with_its_numbers():
    told = figure.three_products_told()
    assert told.count("6 multiply-adds") == 3 and "2 rows and 3 columns" in told
    assert "currentColor" in figure_html(figure.three_products(), alt=told, caption="asked")
