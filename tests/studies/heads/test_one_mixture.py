"""One mixture of two numbers: the table by hand, and a mean that no division of the weight lowers."""

import numpy as np
import pytest

from attention_book.studies.heads import one_mixture


def test_the_table_by_pencil():
    assert one_mixture.rows() == [
        ("1", "1", "1", "0", "0"),
        ("1", "−1", "0", "1", "1"),
        ("−1", "1", "0", "1", "1"),
        ("−1", "−1", "−1", "0", "0"),
        ("", "", "mean", "0.5", "0.5"),
    ]
    assert {len(row) for row in one_mixture.rows()} == {len(one_mixture.HEADER)}


def test_all_weight_on_one_row_finds_that_row_alone():
    assert one_mixture.left(1.0) == pytest.approx((0, 1)) and one_mixture.left(0.0) == pytest.approx((1, 0))


@pytest.mark.parametrize("a", [0.1, 0.3, 0.5, 0.75])
def test_the_shares_are_those_of_least_squares(a):
    mixture = (one_mixture.TABLES @ [a, 1 - a])[:, None]
    _, missed, _, _ = np.linalg.lstsq(mixture, one_mixture.TABLES, rcond=None)
    assert one_mixture.left(a) == pytest.approx(missed / 4)
    assert sum(one_mixture.left(a)) == pytest.approx(1)


def test_two_thirds_and_a_third_tell_all_tables_apart_but_no_factor_does():
    mixture = one_mixture.TABLES @ [2 / 3, 1 / 3]
    assert mixture == pytest.approx([1, 1 / 3, -1 / 3, -1])
    both = np.linalg.solve(np.vander(mixture), one_mixture.TABLES)  # a cubic in z gives both numbers
    np.testing.assert_allclose(np.vander(mixture) @ both, one_mixture.TABLES, atol=1e-12)
    assert one_mixture.left(2 / 3) == pytest.approx((1 / 5, 4 / 5))


def test_the_lines_go_from_end_to_end_and_their_mean_is_flat():
    lines = one_mixture.lines()
    weights, ann = lines["Ann"]
    np.testing.assert_allclose(ann, 1 - weights**2 / (weights**2 + (1 - weights) ** 2), atol=1e-12)
    np.testing.assert_allclose(lines["Bob"][1], ann[::-1], atol=1e-12)
    np.testing.assert_allclose(lines["mean of both"][1], 0.5)
    told = one_mixture.lines_told()
    assert "falls from 1 to 0" in told and "rises from 0 to 1" in told and "cross at 0.50" in told
    assert "mean of both is 0.50 everywhere" in told
