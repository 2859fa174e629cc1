"""The checks of the chapter on what looking back buys: they pass what is right and name what is wrong."""

import numpy as np
import pytest
from global_state import unchanged_state
from scipy import stats

from attention_book.analysis.seed_statistics import difference
from attention_book.checks.before import looking_back as checks

from ..diagnosis import diagnosis


def paired_interval(first, second):
    found = difference(first, second)
    return found.value, found.spread


FOLLOWS = {"a": False, "b": True, "c": False, "d": True, "e": False, "f": False}


def test_what_follows_passes():
    assert checks.check_follows(FOLLOWS)


@pytest.mark.parametrize("name", FOLLOWS)
def test_each_wrong_conclusion_is_named(name):
    said = diagnosis(checks.check_follows(FOLLOWS | {name: not FOLLOWS[name]}))
    assert said.startswith(f"{name} is {FOLLOWS[name]}: ")


def test_open_or_missing_conclusions_are_named():
    assert "still open" in diagnosis(checks.check_follows(FOLLOWS | {"c": ...}))
    assert "True (it follows)" in diagnosis(checks.check_follows(FOLLOWS | {"c": "yes"}))
    assert "for each of" in diagnosis(checks.check_follows({}))


def test_the_interval_passes():
    assert checks.check_interval(paired_interval)
    assert checks.check_interval(lambda a, b: np.array(paired_interval(a, b)))


def half(make):
    return lambda a, b: ((a - b).mean(), make(a, b, len(a), (a - b).std(ddof=1)))


def t(n, confidence=0.975):
    return stats.t.ppf(confidence, n)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (half(lambda a, b, n, s: s), "the standard deviation of the differences"),
        (half(lambda a, b, n, s: s / n**0.5), "t is missing"),
        (half(lambda a, b, n, s: 1.96 * s / n**0.5), "1.96 is for many seeds; 5 have t = 2.776"),
        (half(lambda a, b, n, s: t(n - 1) * s), "root of n is missing"),
        (half(lambda a, b, n, s: t(n - 1) * (a - b).std() / n**0.5), "divides by n"),
        (half(lambda a, b, n, s: t(n) * s / n**0.5), "degrees of freedom"),
        (half(lambda a, b, n, s: t(n - 1, 0.95) * s / n**0.5), "5 % on either side"),
        (half(lambda a, b, n, s: 2 * t(n - 1) * s / n**0.5), "the whole width"),
        (half(lambda a, b, n, s: t(2 * n - 2) * np.sqrt(a.var(ddof=1) / n + b.var(ddof=1) / n)), "ignores the pairing"),
        (lambda a, b: paired_interval(b, a), "The sign"),
        (lambda a, b: (a.mean(), 1.0), "The mean of 5 differences"),
        (half(lambda a, b, n, s: 7.0), "not 7.0000."),
        (lambda a, b: (a - b).mean(), "Expected 2 values"),
    ],
)
def test_wrong_intervals_are_named(wrong, message):
    assert message in diagnosis(checks.check_interval(wrong))


def test_fair_pairs_pass():
    assert checks.check_fair({("A", "B"), ("E", "A"), ("B", "E")})
    assert checks.check_fair([{"A", "B"}, {"A", "E"}, {"B", "E"}])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("A", "C")], "A and C differ in score and tokens"),
        ([("B", "D")], "B and D differ in width"),
        ([("F", "A")], "A and F differ in score and asks"),
        ([("A", "G")], "A and G differ in score and seeds"),
        ([("A", "B")], "2 more pairs"),
        ([("A", "B"), ("A", "E")], "1 more pair differs"),
        ([("A", "Z")], "no pair of two of the runs"),
        ([("A", "A")], "no pair of two of the runs"),
        ("AB", "Give a collection of pairs"),
        (..., "Your pairs are missing"),
    ],
)
def test_unfair_pairs_are_named(pairs, message):
    assert message in diagnosis(checks.check_fair(pairs))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_interval(paired_interval)
