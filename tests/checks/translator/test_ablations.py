"""The checks of *What each part is worth*: they pass what is right and name what is wrong."""

import numpy as np
import pytest
from scipy import stats

from attention_book.checks.translator import ablations as checks

from ..diagnosis import diagnosis

SIZES = {
    "no_scale": "as many",
    "learned_positions": "more",
    "rotary_positions": "as many",
    "one_head": "as many",
    "post_norm": "fewer",
}


def test_sizes_pass():
    assert checks.check_sizes(SIZES)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"no_scale": "fewer"}, "A division has no parameters"),
        ({"learned_positions": "as many"}, "one more matrix"),
        ({"rotary_positions": "more"}, "a fixed angle has no parameters"),
        ({"one_head": "fewer"}, "as wide as the four were together"),
        ({"post_norm": "as many"}, "at the end of both stacks"),
        ({"one_head": 4}, 'Answer one_head with "fewer", "as many" or "more"'),
        ({"one_head": ...}, "`one_head` is still open"),
        ({"whole": "as many"}, "an answer for each of no_scale"),
    ],
)
def test_wrong_sizes_get_the_reason(change, told):
    assert told in diagnosis(checks.check_sizes(SIZES | change))


HAND = {"C": 0.020, "A": 0.044, "E": 0.060, "D": 0.080, "B": 0.2}


def test_five_p_values_by_hand_pass():
    assert [round(5 * 0.004, 3), round(4 * 0.011, 3), round(3 * 0.02, 3), round(2 * 0.04, 3), 0.2] == list(
        HAND.values()
    )
    assert checks.check_by_hand(HAND)
    assert checks.five_p_values().splitlines()[0] == "A: 0.011"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"C": 0.004}, "The smallest is multiplied by the number of tests"),
        ({"A": 0.055}, "That is Bonferroni's factor"),
        ({"A": 0.011}, "This is the p-value itself"),
        ({"A": 0.033}, "The factors begin with the number of tests, 5"),
        ({"A": 0.022}, "and each one after it by one less"),
        ({"D": 0.05}, "For D it gives 0.050 and not 0.080."),
        ({"D": "0.08"}, "Expected `D` to be one number"),
        ({"E": ...}, "`E` is still open"),
        ({"F": 0.1}, "a number for each of A, B, C, D, E"),
    ],
)
def test_wrong_adjusted_values_are_explained(change, told):
    assert told in diagnosis(checks.check_by_hand(HAND | change))


def stepping(p_values, level):
    real, left = [False] * len(p_values), sorted(range(len(p_values)), key=lambda n: p_values[n])
    while left and p_values[left[0]] <= level / len(left):
        real[left.pop(0)] = True
    return real


def adjusting(p_values, level):
    order = np.argsort(p_values)
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.maximum.accumulate(factors * np.array(p_values)[order])
    found = np.empty(len(p_values), dtype=bool)
    found[order] = adjusted <= level
    return found


def test_both_ways_to_write_holm_pass():
    assert checks.check_holm(stepping) and checks.check_holm(adjusting)
    assert checks.check_holm(lambda p, level: tuple(stepping(p, level)))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda p, level: [x <= level for x in p], "against the level itself"),
        (lambda p, level: [x <= level / len(p) for x in p], "Bonferroni's method"),
        (lambda p, level: sorted(stepping(p, level), reverse=True), "The answers are sorted"),
        (lambda p, level: checks._stepping(p, level, stop=False), "It goes on after the first that fails"),
        (checks._step_up, "Benjamini and Hochberg's method"),
        (lambda p, level: [not real for real in stepping(p, level)], "True is to mean real"),
        (lambda p, level: checks._stepping(p, level, shift=1), "It divides by one too few"),
        (lambda p, level: stepping(p, level)[:-1], "one per p-value"),
        (lambda p, level: [float(real) for real in stepping(p, level)], "every entry must be True or False"),
        (lambda p, level: {n for n, real in enumerate(stepping(p, level)) if real}, "give a list of 5"),
        (lambda p, level: p.sort(), "changes `p` in place"),
    ],
)
def test_wrong_methods_are_named(wrong, told):
    assert told in diagnosis(checks.check_holm(wrong))


def test_t_passes():
    def by_hand(first, second):
        d = [a - b for a, b in zip(first, second, strict=True)]
        mean = sum(d) / len(d)
        variance = sum((x - mean) ** 2 for x in d) / (len(d) - 1)
        return mean / (variance / len(d)) ** 0.5

    assert checks.check_t(by_hand)
    assert checks.check_t(lambda first, second: stats.ttest_rel(first, second).statistic)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda a, b: stats.ttest_rel(b, a).statistic, "The sign is wrong"),
        (lambda a, b: stats.ttest_ind(a, b).statistic, "It loses the pairs"),
        (lambda a, b: (a - b).mean() / ((a - b).std() / len(a) ** 0.5), "divide by n − 1"),
        (lambda a, b: (a - b).mean() / (a - b).std(ddof=1), "divided by √n"),
        (lambda a, b: (a - b).mean() / ((a - b).std(ddof=1) / len(a)), "in place of √n"),
        (lambda a, b: (a - b).mean(), "Divide it by its standard error"),
        (lambda a, b: stats.ttest_rel(a, b).pvalue, "It is the p-value"),
        (lambda a, b: a - b, "Expected t to be one number"),
    ],
)
def test_wrong_t_are_explained(wrong, told):
    assert told in diagnosis(checks.check_t(wrong))
