"""The checks of *Word alignment by counting* on right answers and on wrong ones, each of which they must name."""

from collections import Counter
from fractions import Fraction

import pytest

from attention_book.checks.before.word_alignment import (
    check_claims,
    check_em_round,
    check_error_rate,
    check_two_directions,
)
from attention_book.counting.ibm1 import IBMModel1
from attention_book.translation.evaluation import alignment_error_rate

from ..diagnosis import diagnosis


def em_round(pairs, t, side=1):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            total = sum(t[word, given] for given in x)
            for given in x:
                counts[word, given] += t[word, given] / total
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] for cell, count in counts.items()}


def two_directions(forward, backward):
    turned = {(i, j) for j, i in backward}
    return forward & turned, forward | turned


def test_the_right_answers_pass():
    assert check_em_round(em_round)
    assert check_two_directions(two_directions)


def overwriting(pairs, t):
    counts, sums = {}, Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] = t[word, given] / sum(t[word, other] for other in x)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


def not_divided(pairs, t):
    counts = Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[word, other] for other in x)
    return counts


def shared_out_over_y(pairs, t):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[other, given] for other in y)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda pairs, t: em_round(pairs, t, side=0), "wrong side"),
        (overwriting, "overwrites"),
        (not_divided, "still to be divided"),
        (shared_out_over_y, "a word of x is shared out"),
        (lambda pairs, t: dict(t), "nothing has changed"),
        (lambda pairs, t: {cell: 2 * share for cell, share in em_round(pairs, t).items()}, "not to 1"),
        (lambda pairs, t: {}, "same keys"),
    ],
)
def test_a_wrong_round_is_recognised(wrong, said):
    assert said in diagnosis(check_em_round(wrong))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, b: (f & b, f | b), "turn it first"),
        (lambda f, b: two_directions(f, b)[::-1], "exchanged"),
        (lambda f, b: tuple({(j, i) for i, j in part} for part in two_directions(f, b)), "gold links are (x, y)"),
        (lambda f, b: (set(), two_directions(f, b)[1]), "the links of both are []"),
        (lambda f, b: (two_directions(f, b)[0], set(f)), "the links of either are [(0, 0), (1, 2), (3, 1)], expected"),
        (lambda f, b: (two_directions(f, b)[0], f | b), "the links of either are"),
        (lambda f, b: (*two_directions(f, b), f), "Expected 2 values"),
        (lambda f, b: (..., ...), "Expected two sets of links"),
        (lambda f, b: ([1, 2], [3]), "Expected two sets of links"),
        (lambda f, b: (len(f), len(b)), "Expected two sets of links"),
        (lambda f, b: f, "Expected 2 values"),
    ],
)
def test_wrong_directions_are_recognised(wrong, said):
    assert said in diagnosis(check_two_directions(wrong))


@pytest.mark.parametrize("as_links", [set, frozenset, list, sorted, lambda links: [list(link) for link in links]])
def test_links_of_every_kind_pass(as_links):
    report = check_two_directions(lambda f, b: [as_links(part) for part in two_directions(f, b)])
    assert report, report.message


CLAIMS = {"a": 8 / 9, "b": 1 / 2, "c": 3 / 7}


def test_the_predicted_claims_are_those_of_the_models():
    doors = [("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros")]
    doors = [(x.split(), y.split()) for x, y in doors]
    assert IBMModel1(doors).fit(4).t("gatos", "cats") == pytest.approx(CLAIMS["a"])
    assert IBMModel1([(["good", "morning"], ["buenos", "días"])]).fit(10).t("buenos", "good") == pytest.approx(1 / 2)
    scores = alignment_error_rate([{(0, 0), (1, 1), (2, 0), (3, 0)}], [{(0, 0), (1, 1), (2, 2)}])
    assert scores.error_rate == pytest.approx(CLAIMS["c"])


@pytest.mark.parametrize("kind", [float, lambda share: Fraction(share).limit_denominator(100)])
def test_right_claims_pass(kind):
    assert check_claims({letter: kind(share) for letter, share in CLAIMS.items()})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 0.8}, "after three rounds"),
        ({"a": Fraction(2, 3)}, "after two rounds"),
        ({"a": 16 / 17}, "one other word in place of two"),
        ({"b": 1}, "nothing tells them apart"),
        ({"b": 1 / 3}, "over two Spanish words"),
        ({"c": 4 / 7}, "error rate"),
        ({"c": 0.5}, "the precision"),
        ({"c": 1 / 3}, "the recall"),
        ({"c": 5 / 7}, "count twice"),
        ({"a": ...}, "(a) is still to be predicted"),
        ({"a": "8/9"}, "to be one number"),
    ],
)
def test_a_wrong_claim_is_recognised(change, said):
    assert said in diagnosis(check_claims(CLAIMS | change))


def error_rate(a, s, p):
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def test_error_rates_of_other_kinds_pass():
    assert check_error_rate(error_rate)
    assert check_error_rate(
        lambda a, s, p: Fraction(len(a - s) + len(s - a) - len(a & p) + len(a & s), len(a) + len(s))
    )
    assert check_error_rate(lambda a, s, p: alignment_error_rate([a], [s], [p]).error_rate)
    assert check_error_rate(lambda a, s, p: 1 - sum((x in s) + (x in p) for x in a) / (len(a) + len(s)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda a, s, p: 1 - error_rate(a, s, p), "subtract that from 1"),
        (lambda a, s, p: 1 - len(a & s) / len(s), "1 minus the recall"),
        (lambda a, s, p: 1 - len(a & p) / len(a) if a else 1, "1 minus the precision"),
        (lambda a, s, p: 1 - 2 * len(a & s) / (len(a) + len(s)), "`possible` is not used"),
        (lambda a, s, p: 1 - 2 * len(a & p) / (len(a) + len(s)), "counts once above the bar"),
        (lambda a, s, p: 1 - (len(a & s) + len(a & p)) / (len(a) + len(p)), "not the possible ones"),
        (lambda a, s, p: 1 - (len(a & p) / max(len(a), 1) + len(a & s) / len(s)) / 2, "the mean of precision"),
        (lambda a, s, p: 1 - len(a & s) / (len(a) + len(s)), "in both sets"),
        (lambda a, s, p: error_rate(a, s, p) * len(a) / len(a), "ZeroDivisionError"),
        (lambda a, s, p: 3 / 5, "should give"),
        (lambda a, s, p: a & s, "to be one number"),
        (lambda a, s, p: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_error_rate_is_recognised(wrong, said):
    assert said in diagnosis(check_error_rate(wrong))
