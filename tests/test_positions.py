"""Sinusoidal positions: against a naive loop, and the laws that make them useful."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, naive_sinusoids

from attention_book.positions import sinusoidal_positions

law = settings(max_examples=20, deadline=None)


@pytest.mark.parametrize(("length", "d_model"), [(0, 4), (1, 2), (7, 6), (300, 64)])
def test_they_are_the_naive_loop(length, d_model):
    close(sinusoidal_positions(length, d_model), naive_sinusoids(length, d_model).float(), atol=1e-7)


@law
@given(st.integers(0, 500), st.integers(1, 16))
def test_every_row_has_the_same_length(position, pairs):
    row = sinusoidal_positions(position + 1, 2 * pairs)[position]
    assert float(row.square().sum()) == pytest.approx(pairs, rel=1e-5)


@law
@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 20))
def test_the_dot_product_of_two_rows_depends_on_their_distance_alone(first, second, shift):
    table = sinusoidal_positions(121, 8).double()
    close(table[first + shift] @ table[second + shift], table[first] @ table[second], atol=1e-5)


def test_a_prefix_of_a_longer_table_is_the_shorter_table():
    assert torch.equal(sinusoidal_positions(50, 16)[:20], sinusoidal_positions(20, 16))


@pytest.mark.parametrize(("length", "d_model", "message"), [(3, 5, "even"), (3, 0, "positive"), (-1, 4, "length")])
def test_bad_sizes_are_refused(length, d_model, message):
    with pytest.raises(ValueError, match=message):
        sinusoidal_positions(length, d_model)
