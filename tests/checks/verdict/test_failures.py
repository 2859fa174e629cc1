"""The checks of *Where translators fail* take every right answer and name what is wrong with the others."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.verdict import failures as checks

from ..diagnosis import diagnosis

SHARE = {"half": 7.84, "needed": 1537}


@pytest.mark.parametrize("answer", [SHARE, {"half": 7.8, "needed": 1536}, {"half": 7.84, "needed": 1521}])
def test_the_share_passes(answer):
    assert checks.check_share(answer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"half": 4}, "one standard deviation"),
        ({"half": 15.7}, "whole width"),
        ({"half": 0.0784}, "points of a hundred"),
        ({"half": 78.4}, "divided by the number of sentences"),
        ({"half": 12}, "(half) is not 12"),
        ({"needed": 400}, "not one"),
        ({"needed": 392}, "falls with the root"),
        ({"needed": 391.6}, "falls with the root"),
        ({"needed": 16}, "take the square"),
        ({"needed": 15.68}, "take the square"),
        ({"needed": 6146.6}, "two points to each side"),
        ({"needed": 600}, "(needed) is not 600"),
        ({"half": ...}, "still to be predicted"),
        ({"needed": "many"}, "one number"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_share_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_share(SHARE | change))


def parts(first, second):
    n = len(first)
    a, b = Counter(first), Counter(second)
    return sum(x == y for x, y in zip(first, second, strict=True)) / n, sum(a[v] * b[v] for v in a) / n**2


def by_counter(first, second):
    agreed, expected = parts(first, second)
    return (agreed - expected) / (1 - expected)


def by_matrix(first, second):
    names = sorted({*first, *second})
    table = np.zeros((len(names), len(names)))
    for a, b in zip(first, second, strict=True):
        table[names.index(a), names.index(b)] += 1 / len(first)
    expected = table.sum(0) @ table.sum(1)
    return (np.trace(table) - expected) / (1 - expected)


def by_fractions(first, second):
    n = len(first)
    differ = Fraction(sum(a != b for a, b in zip(first, second, strict=True)), n)
    return 1 - differ / (1 - sum(Fraction(first.count(v) * second.count(v), n * n) for v in set(first)))


@pytest.mark.parametrize("right", [by_counter, by_matrix, by_fractions])
def test_kappa_passes(right):
    assert checks.check_kappa(right)


def of_parts(formula):
    return lambda first, second: formula(*parts(first, second))


def own_chance(first, second):
    agreed, _ = parts(first, second)
    own = sum(n * n for n in Counter(first).values()) / len(first) ** 2
    return (agreed - own) / (1 - own)


def pooled_chance(first, second):
    agreed, _ = parts(first, second)
    pooled = sum((n / 2 / len(first)) ** 2 for n in Counter([*first, *second]).values())
    return (agreed - pooled) / (1 - pooled)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (of_parts(lambda agreed, expected: agreed), "takes off what chance would give"),
        (pooled_chance, "Scott's pi"),
        (of_parts(lambda agreed, expected: agreed - expected), "what chance leaves to win"),
        (of_parts(lambda agreed, expected: (agreed - 0.5) / 0.5), "one over the number of verdicts"),
        (of_parts(lambda agreed, expected: expected), "That is p_e"),
        (own_chance, "first reading alone"),
        (of_parts(lambda agreed, expected: (10 * agreed - expected) / (1 - expected)), "not their share"),
        (of_parts(lambda agreed, expected: (agreed - expected) / expected), "not by p_e"),
        (lambda first, second: 0.123, "not 0.1230"),
        (lambda first, second: None, "returned None"),
        (lambda first, second: math.nan, "finite"),
    ],
)
def test_kappa_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_kappa(wrong))


def verdicts(*wrong):
    return ["wrong" if place in wrong else "right" for place in range(20)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (verdicts(0), verdicts(19)),
        (tuple(verdicts(7)), tuple(verdicts(3))),
        (verdicts(*range(1, 20)), verdicts(*range(19))),
    ],
)
def test_lopsided_verdicts_pass(first, second):
    assert by_fractions(list(first), list(second)) < 0
    assert checks.check_lopsided(first, second)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (verdicts(*range(10)), verdicts(*range(12)), "Kappa is 0.80"),
        (verdicts(), verdicts(0, 1), "Kappa is 0: one of them"),
        (verdicts(0, 1), verdicts(1, 2), "Kappa is 0.44"),
        (verdicts(0), verdicts(0), "agree in 20 places"),
        (verdicts(0, 1), verdicts(2), "agree in 17 places"),
        (verdicts(0)[1:], verdicts(1), "first reader has 19"),
        (verdicts(0), [*verdicts(1)[1:], "fine"], "second reader says 'fine'"),
        (..., verdicts(1), "as a list"),
        (verdicts(0), "right", "as a list"),
    ],
)
def test_lopsided_verdicts_name_the_mistake(first, second, message):
    assert message in diagnosis(checks.check_lopsided(first, second))
