"""The Python side of the explorer *clocks of a position*: what it computes, refuses and says."""

import math

import numpy as np
import pytest
import torch
import traitlets
from oracles import naive_sinusoids

from attention_book.pages.explorers.positions import FARTHEST, KEY, QUERY, WIDTHS, PositionClocks


def phases(width):
    return np.array([10000 ** (-2 * i / width) for i in range(width // 2)])


def as_complex(numbers, width):
    pairs = np.array(numbers[:width]).reshape(-1, 2)
    return pairs[:, 0] + 1j * pairs[:, 1]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("position", "distance"), [(0, 0), (5, 7), (60, 60), (3, 40)])
def test_sinusoidal_products_are_those_of_the_naive_vectors(width, position, distance):
    explorer = PositionClocks(width=width, position=position, distance=distance)
    table = naive_sinusoids(position + FARTHEST + 1, width).numpy()
    pairs = (table[position] * table[position + distance]).reshape(-1, 2).sum(1)
    assert np.allclose(explorer.contributions, pairs, atol=1e-8)
    assert np.allclose(explorer.products, table[position:] @ table[position], atol=1e-8)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("position", "distance"), [(0, 0), (5, 7), (60, 60)])
def test_rotary_products_are_those_of_complex_numbers(width, position, distance):
    explorer = PositionClocks(kind="rotary", width=width, position=position, distance=distance)
    q, k, omega = as_complex(QUERY, width), as_complex(KEY, width), phases(width)
    wanted = [(q * k.conj() * np.exp(1j * omega * far)).real for far in range(FARTHEST + 1)]
    assert np.allclose(explorer.contributions, wanted[distance], atol=1e-8)
    assert np.allclose(explorer.products, np.sum(wanted, axis=1), atol=1e-8)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary"])
def test_moving_both_positions_together_changes_no_product(kind):
    explorer = PositionClocks(kind=kind)
    before = explorer.products
    explorer.position = 31
    assert np.allclose(explorer.products, before, atol=1e-8)
    explorer.distance += 1
    assert not np.allclose(explorer.contributions[0], math.cos(7))


def test_a_new_query_is_computed_with_and_others_hear_of_it():
    explorer, heard = PositionClocks(kind="rotary", width=2), []
    explorer.observe(lambda change: heard.append(change["new"]), "products")
    explorer.set_state({"query": [1.0, 0.0, *[9.0] * 30], "key": [1.0, 0.0, *[9.0] * 30]})
    assert heard[-1] == explorer.products
    assert np.allclose(explorer.products, np.cos(np.arange(FARTHEST + 1)))


@pytest.mark.parametrize(
    ("trait", "bad"),
    [
        ("kind", "learned"), ("width", 6), ("width", 64), ("position", -1), ("position", 61), ("distance", 61),
        ("query", [1.0] * 31), ("query", [math.nan] * 32), ("key", [["a"] * 2] * 16), ("key", None),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_and_changes_nothing(trait, bad):
    explorer = PositionClocks()
    before = explorer.state(), explorer.products
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, trait, bad)
    assert (explorer.state(), explorer.products) == before


def test_results_are_read_only_and_tensors_are_taken():
    explorer = PositionClocks(query=torch.ones(32))
    assert explorer.query == (1.0,) * 32
    with pytest.raises(traitlets.TraitError, match="read-only"):
        explorer.products = (1.0,)


def test_words_tell_positions_turns_contributions_and_the_course():
    words = PositionClocks(width=4, position=2, distance=6).in_words()
    assert words.startswith("Sinusoidal vectors, 2 pairs of numbers, of the positions 2 and 8. They are 6 apart.")
    first, second = math.cos(6), math.cos(0.06)
    assert (
        f"the pairs contribute {first:.3f} and {second:.3f}. The inner product is {first + second:.3f} of at" in words
    )
    assert f"the hands make {6 / (2 * math.pi):.3f} and {0.06 / (2 * math.pi):.3f} turns" in words
    assert words.endswith("With the distance it first rises from 3 to 4.")  # cos falls up to π
    rotary = PositionClocks(kind="rotary", width=2, position=0, distance=0).in_words()
    score = QUERY[0] * KEY[0] + QUERY[1] * KEY[1]
    assert rotary.startswith("A key at position 0 and a query at position 0, 1 pair of numbers each, turned.")
    assert f"is {score:.3f}, and {score:.3f} at the same position".replace("-", "−") in rotary


def test_a_product_that_never_rises_is_told():
    query, key = np.zeros(32), np.zeros(32)
    query[30] = key[30] = 1.0  # the slowest hand alone
    words = PositionClocks(kind="rotary", width=32, query=query, key=key).in_words()
    assert words.endswith(f"With the distance it never rises, up to {FARTHEST}.")
