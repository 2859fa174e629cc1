"""Positions as clock hands: a hand ends where the sinusoids or the rotation put it, and the numbers are the same."""

import math

import pytest

from attention_book.attention.positions import sinusoidal_positions
from attention_book.pages.diagrams.attention import clock_hands as drawn
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

POSITIONS, PLACES = (0, 1, 2, 3, 100), ((1, 0), (3, 2), (2, 0))


@pytest.fixture(scope="module")
def sinusoidal():
    return drawn.position_clocks(POSITIONS).axes[0]


@pytest.fixture(scope="module")
def rotary():
    return drawn.rotary_clocks(PLACES).axes[0]


def hand(axes, name):
    """The direction of a hand, of length 1 in units of its clock."""
    (line,) = [line for line in axes.lines if line.get_gid() == name]
    (x, x_end), (y, y_end) = line.get_data()
    faces = [patch for patch in axes.patches if patch.get_gid() and patch.center == (x, y)]
    return (x_end - x) / faces[0].radius, (y_end - y) / faces[0].radius


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def test_a_hand_ends_at_sine_and_cosine(sinusoidal):
    table = sinusoidal_positions(101, 4).tolist()
    for column, position in enumerate(POSITIONS):
        for pair in (0, 1):
            assert hand(sinusoidal, f"hand-{pair}-{column}") == pytest.approx(table[position][2 * pair : 2 * pair + 2])
            for number in table[position][2 * pair : 2 * pair + 2]:
                assert f"{number:.2f}".replace("-", "−") in texts(sinusoidal)


def test_hands_start_upright_and_turn_clockwise(sinusoidal):
    assert hand(sinusoidal, "hand-0-0") == (0, 1)
    assert hand(sinusoidal, "hand-0-1")[0] > 0


def test_two_rotary_hands_enclose_their_distance_wherever_they_are(rotary):
    for column, (at_query, at_key) in enumerate(PLACES):
        (a, b), (c, d) = hand(rotary, f"query-{column}"), hand(rotary, f"key-{column}")
        assert a * c + b * d == pytest.approx(math.cos(at_query - at_key))
        assert f"score {math.cos(at_query - at_key):.2f}".replace("-", "−") in texts(rotary)
        assert a == pytest.approx(math.cos(at_query)) and b == pytest.approx(math.sin(at_query))


@pytest.mark.parametrize("figure", [drawn.position_clocks(POSITIONS), drawn.rotary_clocks(PLACES)])
def test_it_is_legible_on_a_phone_and_drawn_as_vectors(figure):
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


def test_clocks_do_not_overlap_and_stay_on_the_sheet(sinusoidal, rotary):
    for axes in (sinusoidal, rotary):
        faces = [patch for patch in axes.patches if patch.get_gid()]
        for n, one in enumerate(faces):
            assert one.radius <= one.center[0] <= axes.get_xlim()[1] - one.radius
            assert one.radius <= one.center[1] <= axes.get_ylim()[1] - one.radius
            assert all(math.dist(one.center, other.center) >= 2 * one.radius for other in faces[:n])


def test_the_words_have_the_numbers():
    words = drawn.position_clocks_told((0, 1))
    assert "at position 0 (0.00, 1.00), (0.00, 1.00); at position 1 (0.84, 0.54), (0.01, 1.00)." in words
    words = drawn.rotary_clocks_told(((1, 0),))
    assert "the query at 1 points to (0.54, 0.84), the key at 0 to (1.00, 0.00), and their score is 0.54" in words


@pytest.mark.parametrize("wrong", [[], [-1, 2]])
def test_positions_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match="counted from 0"):
        drawn.position_clocks(wrong)
