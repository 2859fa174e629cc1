"""The checks of *One change at a time* take every right answer and name what is wrong with the others."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
import torch

from attention_book.checks.training import one_change as checks

from ..diagnosis import diagnosis

WORTHS = {"both": 32.4, "b_last": 0.4, "a_mean": 1.7, "b_mean": 0.7}


def test_the_worths_pass():
    both = 31.0 + 1.4
    gains = {"a": (32.0 - 30.0, both - 31.0), "b": (31.0 - 30.0, both - 32.0)}
    means = {f"{name}_mean": sum(each) / 2 for name, each in gains.items()}
    assert checks.check_worths({"both": both, "b_last": gains["b"][1], **means})
    assert checks.check_worths(WORTHS)
    assert checks.check_worths(WORTHS | {"a_mean": Fraction(17, 10), "b_last": np.float32(0.4)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"both": 33.4}, "not the other way round"),
        ({"both": 31.4}, "and not neither"),
        ({"both": 33.0}, "if single gains added up"),
        ({"both": 29.6}, "better than B alone"),
        ({"b_last": 1.0}, "what B adds first"),
        ({"b_last": 1.4}, "what A adds last"),
        ({"b_last": 2.4}, "both add together"),
        ({"b_last": -0.4}, "minus the old one"),
        ({"a_mean": 2.0}, "what A adds first"),
        ({"a_mean": 1.4}, "what A adds last"),
        ({"a_mean": 3.4}, "divide it by two"),
        ({"a_mean": 1.2}, "shares it equally"),
        ({"b_mean": 1.0}, "what B adds first"),
        ({"b_mean": 0.4}, "what B adds last"),
        ({"b_mean": 1.4}, "divide it by two"),
        ({"b_mean": 1.2}, "shares it equally"),
        ({"b_mean": 9}, "(b_mean) is not 9."),
        ({"b_mean": ...}, "still to be predicted"),
        ({"b_mean": "0.7"}, "one number"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_worths_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_worths(WORTHS | change))


def by_orders(scores, change):
    names = max(scores, key=len)
    orders = list(permutations(sorted(names)))
    gains = []
    for order in orders:
        before = frozenset(order[: order.index(change)])
        gains.append(scores[before | {change}] - scores[before])
    return sum(gains) / len(orders)


def by_weights(scores, change):
    """Shapley's formula: a set of k earlier changes begins k! (n − 1 − k)! of the n! orders."""
    n = max(map(len, scores))
    return sum(
        math.factorial(len(some)) * math.factorial(n - 1 - len(some)) / math.factorial(n)
        * (scores[some | {change}] - scores[some])
        for some in scores
        if change not in some
    )  # fmt: skip


def by_sizes(scores, change):
    """The mean over the sizes of the earlier sets of the mean over the sets of each size."""
    others = sorted(max(scores, key=len) - {change})
    means = []
    for size in range(len(others) + 1):
        sets = [frozenset(some) for some in combinations(others, size)]
        means.append(np.mean([scores[some | {change}] - scores[some] for some in sets]))
    return torch.tensor(np.mean(means))


@pytest.mark.parametrize("right", [by_orders, by_weights, by_sizes])
def test_the_mean_gain_passes(right):
    assert checks.check_mean_gain(right)


def first(scores, change):
    return scores[frozenset({change})] - scores[frozenset()]


def last(scores, change):
    names = max(scores, key=len)
    return scores[names] - scores[names - {change}]


def by_sets(scores, change):
    gains = [scores[some | {change}] - scores[some] for some in scores if change not in some]
    return sum(gains) / len(gains)


def by_rotations(scores, change):
    """Only the orders that begin anywhere and go round: of three changes, three of the six."""
    names = sorted(max(scores, key=len))
    gains = []
    for start in range(len(names)):
        order = names[start:] + names[:start]
        before = frozenset(order[: order.index(change)])
        gains.append(scores[before | {change}] - scores[before])
    return sum(gains) / len(gains)


def share(scores, change):
    names = max(scores, key=len)
    return (scores[names] - scores[frozenset()]) / len(names)


def forgetful(scores, change):
    scores.pop(frozenset())
    return 0.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (first, "what it adds first"),
        (last, "what it adds last"),
        (lambda scores, change: (first(scores, change) + last(scores, change)) / 2, "places between"),
        (by_sets, "Count each order once"),
        (by_rotations, "With 3 changes, for 'a', it gives -4.083 and not -3.083."),
        (lambda scores, change: by_orders(scores, change) * math.factorial(max(map(len, scores))), "divided"),
        (lambda scores, change: -by_orders(scores, change), "minus the score without it"),
        (share, "equal share"),
        (lambda scores, change: 0.0, "it gives 0.000 and not"),
        (lambda scores, change: {change: by_orders(scores, change)}, "one number"),
        (lambda scores, change: math.nan, "finite"),
        (lambda scores, change: None, "returned None"),
        (lambda scores: 0.0, "argument"),
        (forgetful, "in place"),
        ("first", "Expected a function"),
    ],
)
def test_the_mean_gain_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_mean_gain(wrong))


def test_the_mean_gains_of_the_made_up_scores_sum_to_the_whole_gain():
    for names, step in (("ab", 3), ("abc", 4), ("abcd", 7)):
        scores = checks._made_up(names, step)
        whole = scores[frozenset(names)] - scores[frozenset()]
        assert sum(by_orders(scores, name) for name in names) == pytest.approx(whole)


HIDDEN = {"neither": 30.0, "A": 29.0, "B": 28.5, "both": 31.0}


def test_a_hidden_gain_passes():
    assert checks.check_hidden_gain(HIDDEN)
    assert checks.check_hidden_gain({"neither": 2, "A": Fraction(3, 2), "B": np.int64(0), "both": torch.tensor(2.1)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": 30.0}, "A alone does not cost"),
        ({"A": 32.0}, "A alone does not cost"),
        ({"B": 30.5}, "B alone does not cost"),
        ({"both": 28.2}, "do not bring anything"),
        ({"both": 29.5}, "do not bring anything"),
        ({"both": 30.0}, "do not bring anything"),
        ({"both": 131.0}, "between 0 and 100"),
        ({"A": -1.0}, "between 0 and 100"),
        ({"A": ...}, "still open"),
        ({"A": "29"}, "one number"),
        ({"C": 29}, "Give a dictionary"),
    ],
)
def test_a_hidden_gain_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_hidden_gain(HIDDEN | change))


def test_a_hidden_gain_needs_a_dictionary():
    assert "Give a dictionary" in diagnosis(checks.check_hidden_gain([30.0, 29.0, 28.5, 31.0]))


def test_an_average_over_some_orders_is_not_taken_for_another_mistake():
    assert diagnosis(checks.check_mean_gain(by_rotations)).endswith("not -3.083.")
