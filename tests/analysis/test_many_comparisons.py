"""Holm's method against its definition, by hand, and against what it promises; the paired test against SciPy."""

import numpy as np
import pytest
from scipy import stats

from attention_book.analysis.seed_statistics import holm, paired_p_value


def test_by_hand():
    adjusted = holm({"a": 0.01, "b": 0.04, "c": 0.03})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})  # 3 · 0.01, then 2 · 0.03, and not 1 · 0.04
    assert list(adjusted) == ["a", "b", "c"]
    assert holm({"only": 0.04}) == {"only": 0.04} and holm({}) == {}
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


def step_down(p_values, level):
    """The method as Holm states it: go up from the smallest, and stop at the first that is too large."""
    real, left = set(), sorted(p_values.items(), key=lambda item: item[1])
    while left and left[0][1] <= level / len(left):
        real.add(left.pop(0)[0])
    return real


def test_the_adjusted_values_decide_as_the_steps_do():
    draw = np.random.default_rng(0)
    called = 0
    for _ in range(300):
        p_values = {str(n): float(p) for n, p in enumerate(draw.random(6) ** 4)}
        adjusted = holm(p_values)
        real = {name for name, p in adjusted.items() if p <= 0.05}
        assert real == step_down(p_values, 0.05)
        assert all(adjusted[name] >= p for name, p in p_values.items())
        called += len(real)
    assert 300 < called < 1500


def test_where_nothing_differs_something_is_called_real_in_one_of_twenty_studies():
    draw = np.random.default_rng(1)
    uncorrected = corrected = 0
    for _ in range(2000):
        p_values = {str(n): float(p) for n, p in enumerate(draw.random(10))}
        uncorrected += min(p_values.values()) <= 0.05
        corrected += min(holm(p_values).values()) <= 0.05
    assert uncorrected / 2000 == pytest.approx(1 - 0.95**10, abs=0.03)
    assert corrected / 2000 == pytest.approx(0.05, abs=0.015)


def test_the_p_value_is_that_of_the_paired_t_test():
    draw = np.random.default_rng(2)
    first, second = draw.normal(size=5), draw.normal(size=5) + 0.5
    assert paired_p_value(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert paired_p_value(second, first) == pytest.approx(paired_p_value(first, second))


def test_differences_without_spread():
    assert paired_p_value(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == 0
    assert paired_p_value(np.array([2.0, 3.0]), np.array([2.0, 3.0])) == 1


@pytest.mark.parametrize("second", [[1.0], [1.0, 2.0, 3.0]])
def test_other_numbers_of_seeds_are_refused(second):
    with pytest.raises(ValueError, match="both arms need the same seeds"):
        paired_p_value(np.array([1.0, 2.0]), np.array(second))


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="p-value of b must be from 0 to 1"):
        holm({"a": 0.1, "b": 1.2})
