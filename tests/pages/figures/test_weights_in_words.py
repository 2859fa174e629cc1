"""Weights in words, by hand."""

import numpy as np
import pytest

from attention_book.pages.figures.weights_in_words import largest_told, rows_told, writing_told

WEIGHTS = np.array([[0.75, 0.25, 0.0], [0.08, 0.32, 0.6]])


def test_every_row_is_told():
    assert rows_told(WEIGHTS[:, :2], ["Cross 0", "Cross 1"]) == "Cross 0: 0.75, 0.25. Cross 1: 0.08, 0.32."
    assert rows_told(100 * WEIGHTS[:1, :2], ["a"], ".1f") == "a: 75.0, 25.0."
    with pytest.raises(ValueError):
        rows_told(WEIGHTS, ["a"])


def test_large_weights_are_told_with_their_keys():
    assert largest_told(WEIGHTS, ["x", "y"], ["a", "b", "c"]) == "x: 0.75 on a, 0.25 on b. y: 0.32 on b, 0.60 on c."
    assert largest_told(WEIGHTS, ["x", "y"], ["a", "b", "c"], least=0.5) == "x: 0.75 on a. y: 0.60 on c."


def test_the_largest_weight_of_each_written_piece_is_told():
    told = writing_told(WEIGHTS, ["x", "y"], ["a", "b", "c"])
    assert told == "Writing x: most weight, 0.75, on a. Writing y: most weight, 0.60, on c."
