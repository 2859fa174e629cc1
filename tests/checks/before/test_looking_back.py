"""The checks on scores side by side and on what looking back buys: they pass what is right and name what is wrong."""

import math

import numpy as np
import pytest
import torch
from global_state import unchanged_state
from scipy import stats

from attention_book.analysis.seed_statistics import difference
from attention_book.checks.before import looking_back as checks

from ..diagnosis import diagnosis


def paired_interval(first, second):
    found = difference(first, second)
    return found.value, found.spread


FOLLOWS = {"a": False, "b": True, "c": False, "d": True, "e": False}


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


FIVES = {
    "a": (1, 2, 3, 4, 5),
    "b": (1, 1, 1, 1, 11),
    "c": (-1, 4, 4, 4, 4),
    "d": (10, 20, 30, 40, 50),
    "e": (-2, -1, 0, 1, 2),
    "f": (0, 0, 0, 1, 1),
}
SETTLED = {"a": True, "b": False, "c": True, "d": True, "e": False, "f": False}


@pytest.mark.parametrize("name", SETTLED)
def test_what_is_said_to_be_settled_is(name):
    found = difference(np.array(FIVES[name], dtype=float), np.zeros(5))
    assert found.settled == SETTLED[name]
    said = diagnosis(checks.check_settled(SETTLED | {name: not SETTLED[name]}))
    assert said.startswith(f"{name} is {SETTLED[name]}: ")
    if name != "e":
        assert f"{found.value:.3g} ± {found.spread:.{1 if name == 'd' else 2}f}" in said


def test_what_is_settled_passes():
    assert checks.check_settled(SETTLED)
    assert "still open" in diagnosis(checks.check_settled(SETTLED | {"c": ...}))


@pytest.mark.parametrize(
    "keys",
    [
        [(0, 0), (3, 0), (0, 3), (1, 1)],
        np.array([[1, 0], [-0.5, 1], [-0.5, -1], [0.1, 0]]),
        torch.tensor([[10.0, 1], [-10, 1], [0, -5], [0, 0]]),
    ],
)
def test_a_key_among_three_others_never_wins(keys):
    assert checks.check_never_wins(keys)
    scores = np.random.default_rng(0).normal(size=(2000, 2)) @ np.asarray(keys, dtype=float).T
    assert (scores[:, 3] < scores[:, :3].max(axis=1)).all()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([(0, 0), (3, 0), (0, 3), (2, 2)], "the fourth is the largest"),
        ([(0, 0), (3, 0), (0, 3), (-0.1, -0.1)], "the fourth is the largest"),
        ([(3, 0), (0, 3), (1, 1.5), (0, 0)], "the fourth is the largest"),
        ([(0, 0), (2, 0), (0, 3), (1, 0)], "Keys 1, 2, 4 lie on one line"),
        ([(0, 0), (1, 1), (2, 2), (1, 0)], "Keys 1, 2, 3 lie on one line"),
        ([(1, 1)] * 4, "lie on one line"),
        ([(0, 0), (3, 0), (1, 1)], "wrong shape"),
        ([(0, 0, 1)] * 4, "wrong shape"),
        (..., "Your keys are missing"),
        ("abcd", "the keys"),
        ([(0, 0), (3, 0), (0, 3), (math.nan, 1)], "NaN"),
    ],
)
def test_keys_that_do_not_break_the_sentence_are_named(keys, message):
    assert message in diagnosis(checks.check_never_wins(keys))


def test_the_query_that_is_named_makes_the_fourth_key_win():
    said = diagnosis(checks.check_never_wins([(0, 0), (3, 0), (0, 3), (2, 2)]))
    assert said.startswith("For the query (0.71, 0.71) the scores are 0.00, 2.12, 2.12, 2.83")


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


def largest_lead(p, q, lengths=range(1, 2000)):
    return max(lengths, key=lambda n: p**n - q**n)


def solved(p, q):
    return math.log(math.log(q) / math.log(p)) / math.log(p / q)


def test_the_largest_lead_passes():
    assert checks.check_largest_lead(largest_lead)
    assert checks.check_largest_lead(lambda p, q: float(largest_lead(p, q)))
    nearest = lambda p, q: (max(1, math.floor(solved(p, q))), math.ceil(solved(p, q)))  # noqa: E731
    assert checks.check_largest_lead(lambda p, q: largest_lead(p, q, nearest(p, q)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p, q: largest_lead(p, q) - 1, "the lead still grows there"),
        (lambda p, q: largest_lead(p, q) + 1, "with 20 words the lead is"),
        (lambda p, q: largest_lead(p, q, range(1, 101)), "With 0.999 and 0.99 it gives 100, and the lead still grows"),
        (lambda p, q: max(p**n - q**n for n in range(1, 2000)), "that is the lead"),
        (solved, "a whole number of words"),
        (lambda p, q: 0, "1 or more"),
        (lambda p, q: round(solved(p, q)), "With 0.99 and 0.24 it gives 3, and the lead still grows"),
        (lambda p, q: None, "Is the `return` missing?"),
        (lambda p, q: [3, 4], "to be one number"),
    ],
)
def test_wrong_lengths_are_named(wrong, message):
    assert message in diagnosis(checks.check_largest_lead(wrong))


def paired_leads(first, second, draw, n):
    return [(first - second)[draw()].mean() for _ in range(n)]


def with_one_draw(first, second, draw, n):
    places = np.array([draw() for _ in range(n)])
    return first[places].mean(1) - second[places].mean(1)


def thrown_away(first, second, draw, n):
    found = []
    for _ in range(n):
        found.append((first - second)[draw()].mean())
        draw()
    return found


def test_paired_leads_pass():
    assert checks.check_paired_leads(paired_leads)
    assert checks.check_paired_leads(with_one_draw)
    assert checks.check_paired_leads(lambda *given: tuple(paired_leads(*given)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a, b, draw, n: [a[draw()].mean() - b[draw()].mean() for _ in range(n)], "a draw of its own"),
        (lambda a, b, draw, n: paired_leads(b, a, draw, n), "The sign"),
        (lambda a, b, draw, n: [(a - b).mean()] * n, "the whole test set"),
        (lambda a, b, draw, n: [(a - b)[draw()].sum() for _ in range(n)], "not their sum"),
        (lambda *given: sorted(paired_leads(*given)), "sorted"),
        (thrown_away, "once per lead"),
        (lambda a, b, draw, n: [0.0] * n, "is 0.0000, expected"),
        (lambda a, b, draw, n: [*paired_leads(a, b, draw, n)[:-1], 9.0], "Lead 19 is 9.0000, expected"),
        (lambda a, b, draw, n: paired_leads(a, b, draw, n - 1), "(19,)"),
        (lambda a, b, draw, n: (a - b)[draw()].mean(), "the leads"),
        (lambda a, b, draw, n: None, "Is the `return` missing?"),
    ],
)
def test_wrong_leads_are_named(wrong, message):
    assert message in diagnosis(checks.check_paired_leads(wrong))


def test_the_pages_leads_scatter_though_the_first_is_ahead_everywhere():
    """What the exercise tells of the colleague's function, on numbers of the kind that its check draws."""
    rng = np.random.default_rng(0)
    easy = rng.normal(50, 20, 12)
    first = easy + rng.uniform(1, 3, 12)
    draw = lambda: rng.integers(0, 12, 12)  # noqa: E731
    apart = [first[draw()].mean() - easy[draw()].mean() for _ in range(200)]
    assert min(apart) < -5 and max(apart) > 5 and min(paired_leads(first, easy, draw, 200)) > 1


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_interval(paired_interval)
        checks.check_largest_lead(largest_lead)
        checks.check_paired_leads(paired_leads)
