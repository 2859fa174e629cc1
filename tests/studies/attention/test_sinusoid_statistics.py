"""Products of sinusoids against the vectors themselves, and shares of variance against matrices that are known."""

import numpy as np
import pytest
import torch

from attention_book.attention.positions import sinusoidal_positions
from attention_book.studies.attention.sinusoid_statistics import (
    ProductCurves,
    explained_with_random_matrices,
    product_by_distance,
    rises,
    share_explained_by_chance,
    share_explained_by_distance,
)


@pytest.mark.parametrize("width", [8, 64, 512])
def test_the_sum_of_cosines_is_the_product_of_the_vectors(width):
    rows = sinusoidal_positions(80, width).double()
    np.testing.assert_allclose((rows[15] @ rows[15:76].T) / (width / 2), product_by_distance(width), atol=1e-6)


def test_two_coordinates_are_a_cosine_that_rises_from_pi_on():
    line = product_by_distance(2, most=7)
    np.testing.assert_allclose(line, np.cos(np.arange(8)))
    assert rises(line) == [4, 5, 6] and rises(line[:4]) == []


def test_the_curve_is_told_and_counted():
    curves = ProductCurves.of(8, 512)
    numbers, (distances, line) = curves.numbers(), curves.lines()["d_model = 8"]
    assert len(distances) == len(line) == 61 and numbers["rises_8"] == len(rises(line))
    assert line[numbers["to_8"]] > line[numbers["from_8"]] and numbers["to_8"] == numbers["from_8"] + 1
    assert np.all(np.diff(line[: numbers["to_8"]]) < 0)
    assert f"it rises {numbers['rises_512']} times, first from {numbers['from_512']}" in curves.told()
    assert numbers["last_512"] == curves.by_width[512][-1]
    assert line[numbers["peak_8"]] == line[numbers["to_8"] :].max() > line[1]  # far apart, and more alike
    assert f"highest after that at distance {numbers['peak_8']}, with 0.94" in curves.told()


def test_the_waves_are_the_smaller_the_more_hands_there_are_and_the_product_does_not_go_to_zero():
    found = ProductCurves.of(8, 64, 512)
    highest = [np.diff(line).max() for line in found.by_width.values()]
    assert highest == sorted(highest, reverse=True) and found.numbers()["rises_512"] < found.numbers()["rises_64"]
    assert found.numbers()["last_512"] > 0.3


def test_a_function_of_the_distance_is_explained_wholly_and_one_of_the_row_is_not():
    rows = sinusoidal_positions(20, 16).double()
    assert share_explained_by_distance(rows @ rows.T) == pytest.approx(1)
    place = torch.arange(3, dtype=torch.float64)
    by_row = place[:, None].expand(3, 3)
    means = [1.0, 0.5, 0.0, 1.5, 2.0]  # diagonals 0, above by one, above by two, below by one, below by two
    counts = [3, 2, 1, 2, 1]
    between = sum(n * (m - 1) ** 2 for n, m in zip(counts, means, strict=True)) / 9
    assert share_explained_by_distance(by_row) == pytest.approx(between / (2 / 3))


def test_random_matrices_leave_little_to_the_distance():
    found = explained_with_random_matrices(draws=5)
    assert found.n == 5 and found.kind == "deviation" and 0 < found.value < 50
    whole = explained_with_random_matrices()
    assert 100 * share_explained_by_chance(40) < whole.value < 25  # as the page's bet has it


def test_of_unrelated_numbers_the_distance_explains_what_chance_gives():
    random = torch.Generator().manual_seed(0)
    drawn = torch.randn(2000, 6, 6, generator=random, dtype=torch.float64)
    mean = np.mean([share_explained_by_distance(one) for one in drawn])
    assert mean == pytest.approx(share_explained_by_chance(6), abs=0.01)
    assert share_explained_by_chance(2) == pytest.approx(2 / 3)  # three diagonals of four cells
