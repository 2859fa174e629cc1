"""What the solutions to *The square root of d_k* say of its draws holds on record, and would not in another result."""

import numpy as np
import pytest

from attention_book.readers.attention.width_and_sharpness import WidthAndSharpness


def test_made_up_draws_are_read_by_hand():
    def seed(more):
        return {"independent_variance/4": 5.0 + more, "independent_divided/4": 0.5 + more}

    runs = WidthAndSharpness({"configuration": {"widths": [4], "shared": 0.5}, "seeds": {"1": seed(0), "2": seed(2)}})
    assert runs.at_width("independent_variance", 4).value == 6
    assert runs.means("independent_divided").tolist() == [1.5]
    assert runs.largest_deviation("independent_divided") == pytest.approx(2**0.5)
    assert runs.standard_errors_off() == pytest.approx(2)  # 6 is 2 from 4, and the error is √2/√2
    assert runs.correlated_variance(4) == 4 + 4 * 3 / 4


def test_no_variance_is_four_standard_errors_from_the_width(runs):
    assert runs.standard_errors_off() < 4


def test_divided_attention_is_equally_sharp_from_a_width_of_16_on_and_undivided_it_is_not(runs):
    lines = {name: y for name, (_, y) in runs.lines().items()}
    wide = np.array(runs.widths) >= 16
    assert np.ptp(lines["divided by √d_k"][wide]) < 0.01
    assert (np.diff(lines["undivided"]) > 0).all()
    assert lines["divided, correlated"][-1] > lines["divided by √d_k"][-1] + 0.2


def test_correlated_scores_have_the_derived_variance(runs):
    assert runs.at_width("shared_variance", 512).value == pytest.approx(runs.correlated_variance(512), rel=0.05)


def test_the_lines_are_told(runs):
    assert runs.told().count("at width 1") == 3
