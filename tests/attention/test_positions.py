"""Positions: against a naive loop and complex numbers, and the laws that make them useful."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close, leaves, naive_sinusoids, normal, seeded

from attention_book.attention.positions import (
    frequencies,
    learned_positions,
    rotate_by_position,
    shift_rotation,
    sinusoidal_positions,
)

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


# The rotation that shifts a sinusoidal vector.


@law
@given(st.integers(0, 200), st.integers(-100, 100), st.integers(1, 8))
def test_a_shift_is_one_rotation_for_all_positions(position, offset, pairs):
    position, turn = max(position, -offset), shift_rotation(offset, 2 * pairs)
    table = naive_sinusoids(max(position, position + offset) + 1, 2 * pairs)
    close(turn @ table[position], table[position + offset], atol=1e-10)


@law
@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 6))
def test_shifts_are_rotations_that_add_up(first, second, pairs):
    turn, identity = shift_rotation(first, 2 * pairs), torch.eye(2 * pairs, dtype=torch.float64)
    close(turn @ turn.T, identity)
    assert float(torch.linalg.det(turn)) == pytest.approx(1)
    close(turn @ shift_rotation(second, 2 * pairs), shift_rotation(first + second, 2 * pairs), atol=1e-10)


# Rotary positions.


def complex_rotation(x, start):
    """Su et al. 2021, equation 12, with each pair of coordinates as one complex number: times e^{i m ω}."""
    length, width = x.shape[-2:]
    omega = torch.tensor([10000 ** (-2 * i / width) for i in range(width // 2)], dtype=torch.float64)
    phase = torch.exp(1j * torch.outer(torch.arange(length, dtype=torch.float64) + start, omega))
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * phase).flatten(-2)


@pytest.mark.parametrize("start", [0, 7, 300])
@pytest.mark.parametrize("shape", [(5, 2), (2, 3, 6, 8), (1, 4, 0, 2)])
def test_it_is_a_multiplication_by_complex_phases_forward_and_backward(shape, start):
    (ours,), (theirs,) = leaves(normal(*shape)), leaves(normal(*shape))
    found, wanted = rotate_by_position(ours, start), complex_rotation(theirs, start)
    close(found, wanted, atol=1e-10)
    upstream = normal(*shape, seed=1)
    found.backward(upstream)
    wanted.backward(upstream)
    close(ours.grad, theirs.grad, atol=1e-10)


def test_two_coordinates_by_hand():
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    wanted = [[1, 0], [math.cos(1), math.sin(1)], [-math.sin(2), math.cos(2)]]
    close(rotate_by_position(x), torch.tensor(wanted, dtype=torch.float64))


@law
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 400), st.integers(1, 8), st.integers(0, 10_000))
def test_a_rotary_score_depends_on_the_offset_alone(m, n, shift, pairs, seed):
    q, k = normal(1, 2 * pairs, seed=seed), normal(1, 2 * pairs, seed=seed + 1)
    scores = [rotate_by_position(q, m + s) @ rotate_by_position(k, n + s).T for s in (0, shift)]
    close(*scores, atol=1e-9)


def test_a_rotary_score_does_depend_on_the_offset():
    q, k = normal(1, 8), normal(1, 8, seed=1)
    scores = [(rotate_by_position(q, 5) @ rotate_by_position(k, n).T).item() for n in range(6)]
    assert len({round(score, 6) for score in scores}) == 6


@law
@given(st.integers(0, 5000), st.integers(1, 8), st.integers(0, 10_000))
def test_a_rotation_keeps_lengths_and_position_0_keeps_everything(position, pairs, seed):
    x = normal(3, 1, 2 * pairs, seed=seed)
    close(rotate_by_position(x, position).norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(rotate_by_position(x), x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_low_precision_is_turned_in_float32_and_rounded_once(dtype):
    x = normal(4, 6, dtype=dtype)
    found = rotate_by_position(x, 1000)
    assert found.dtype == dtype
    wanted = complex_rotation(x.double(), 1000)
    close(found.double(), wanted, atol=float(2 * torch.finfo(dtype).eps))


# Learned positions.


def test_learned_positions_start_as_long_as_an_embedding_and_no_two_alike():
    table = seeded(lambda: learned_positions(300, 64))
    assert float(table.square().sum(-1).mean()) == pytest.approx(1, rel=0.05)
    assert float((table @ table.T).fill_diagonal_(0).abs().max()) < 1


@pytest.mark.parametrize("width", [0, 5, -2])
def test_pairs_need_an_even_width(width):
    with pytest.raises(ValueError, match=f"even and positive, got {width}"):
        frequencies(width)
    with pytest.raises(ValueError, match="even and positive"):
        shift_rotation(1, width)


def test_an_odd_width_cannot_be_turned():
    with pytest.raises(ValueError, match="even and positive, got 3"):
        rotate_by_position(normal(2, 3))
