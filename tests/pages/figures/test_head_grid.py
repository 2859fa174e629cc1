"""The table of all heads: its names and places, by hand."""

import numpy as np

from attention_book.analysis.ablation import KINDS, Head, heads_of
from attention_book.pages.figures.head_grid import HeadGrid, name_of

GRID = HeadGrid(n_layers=2, n_heads=3)
VALUES = np.arange(18.0).reshape(6, 3)


def test_rows_and_columns_have_names():
    assert GRID.row_names == ["encoder 0", "encoder 1", "decoder 0", "decoder 1", "cross 0", "cross 1"]
    assert GRID.axes["column_labels"] == ["head 0", "head 1", "head 2"] and GRID.axes["row_labels"] == GRID.row_names
    assert name_of(Head("decoder_self", 1, 2)) == "head 2 of decoder 1"


def test_values_are_where_they_belong():
    by_kind = {kind: VALUES[2 * n : 2 * n + 2].tolist() for n, kind in enumerate(KINDS)}
    assert np.array_equal(GRID.stacked(by_kind), VALUES)
    assert GRID.kind(VALUES, "decoder_self").tolist() == [[6, 7, 8], [9, 10, 11]]
    assert GRID.most(-abs(VALUES - 10)) == Head("decoder_self", 1, 1)
    assert GRID.value(VALUES, Head("cross", 0, 2)) == 14
    assert GRID.told(VALUES, ".0f").startswith("Encoder 0: 0, 1, 2. Encoder 1: 3, 4, 5.")


def test_the_places_are_those_of_a_model(translator):
    model = translator.model
    grid = HeadGrid(model.config.n_layers, model.config.n_heads)
    assert [Head(*place, n) for place in grid.places for n in range(grid.n_heads)] == heads_of(model)
