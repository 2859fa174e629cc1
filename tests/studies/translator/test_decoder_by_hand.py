"""The decoder of the pencil: the package's layer gives the numbers that a loop gives."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.studies.translator.decoder_by_hand import after_each_layer, pencil_layer


def by_hand(rows, memory):
    rows, memory = [Fraction(row) for row in rows], [Fraction(row) for row in memory]
    rows = [row + sum(rows[: i + 1]) / (i + 1) for i, row in enumerate(rows)]
    rows = [row + sum(memory) / len(memory) for row in rows]
    return [row + max(0, row - 8) for row in rows]


def test_the_numbers_of_the_page():
    assert after_each_layer([2, 4], [1, 3]).tolist() == [[6, 10], [20, 32]]
    assert after_each_layer([2, 8], [1, 3]).tolist()[0] == [6, 22]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=5), st.lists(st.integers(-20, 20), min_size=1, max_size=4))
def test_any_rows_come_out_as_by_hand(rows, memory):
    one = by_hand(rows, memory)
    two = by_hand(one, memory)
    assert after_each_layer(rows, memory).flatten().tolist() == pytest.approx([float(x) for x in one + two])


def test_it_is_a_decoder_layer_in_double_precision():
    assert {p.dtype for p in pencil_layer().parameters()} == {torch.float64}
