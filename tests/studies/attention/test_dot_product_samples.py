"""Drawn dot products keep to the derived variances, and the predictions of broken assumptions are counted by hand."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import Measured
from attention_book.studies.attention.dot_product_samples import (
    Prediction,
    broken_assumptions,
    drawn_numbers,
    drawn_variances,
    furthest_from_width,
    sample_variance,
    unit_components,
)

DRAWS, WIDTHS = 20_000, (4, 8, 16, 32, 64)


@pytest.fixture(scope="module")
def drawn():
    """What the page draws, one after the other from one generator."""
    random = np.random.default_rng(0)
    return drawn_variances(DRAWS, WIDTHS, random), broken_assumptions(DRAWS, 64, random)


def test_components_have_mean_0_and_variance_1():
    for draw in unit_components(np.random.default_rng(1)).values():
        sample = draw(100_000)
        assert sample.mean() == pytest.approx(0, abs=0.015) and sample.var() == pytest.approx(1, abs=0.02)


def test_a_sample_of_four_by_hand():
    found = sample_variance(np.array([1.0, -1.0, 3.0, -3.0]))  # squares 1, 1, 9, 9: variance 20/3, fourth moment 41
    assert (found.value, found.kind, found.n) == (pytest.approx(20 / 3), "error", 4)
    assert found.spread == pytest.approx(0)  # 41 is below the squared variance: there is no spread to tell


def test_the_furthest_is_counted_in_standard_errors():
    found = {"made up": {4: Measured(5.0, 0.5, "error", 9), 8: Measured(7.0, 0.25, "error", 9)}}
    assert furthest_from_width(found) == 4
    assert drawn_numbers(found) == {"n_found": 2, "worst": 4}
    told = Prediction("a case", 1024.0, Measured(1023.4, 10.2, "error", 9)).row
    assert told == ("a case", "1,024", "1,023\xa0±\xa010")


def test_no_drawn_variance_is_four_standard_errors_from_the_width(drawn):
    variances, _ = drawn
    assert [list(by_width) for by_width in variances.values()] == [list(WIDTHS)] * 3
    assert furthest_from_width(variances) < 4


def test_every_broken_assumption_has_the_predicted_variance(drawn):
    for it in drawn[1]:
        assert abs(it.measured.value - it.predicted) < 4 * it.measured.spread, it.case


def test_four_of_five_broken_assumptions_change_the_variance_and_the_last_is_its_square(drawn):
    # 2q · 2k: 16 times; means of ½: 64 + 2 · 64/4; |q|²: 2 · 64; one number in k; one number in both: 64².
    assert [it.predicted for it in drawn[1]] == [16 * 64, 64 + 32, 128, 64, 64**2]
