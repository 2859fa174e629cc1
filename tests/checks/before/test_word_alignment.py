"""The checks on word alignment and on how good it is, on right answers and on wrong ones, which they must name."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from attention_book.checks.before.word_alignment import (
    check_claims,
    check_error_rate,
    check_hard_round,
    check_probability,
    check_rates,
    check_start,
    check_two_directions,
)
from attention_book.counting.ibm1 import IBMModel1
from attention_book.translation.evaluation import alignment_error_rate

from ..diagnosis import diagnosis


def hard_round(pairs, t, side=1, tie="shared"):
    counts, sums = dict.fromkeys(t, 0), Counter()
    for x, y in pairs:
        for word in y:
            largest = max(t[word, given] for given in x)
            best = [given for given in x if math.isclose(t[word, given], largest)]
            best = {"shared": best, "first": best[:1], "last": best[-1:], "whole": best}[tie]
            for given in best:
                counts[word, given] += 1 if tie == "whole" else Fraction(1, len(best))
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: float(count / sums[cell[side]]) if sums[cell[side]] else 0 for cell, count in counts.items()}


def two_directions(forward, backward):
    turned = {(i, j) for j, i in backward}
    return forward & turned, forward | turned


def test_the_right_answers_pass():
    assert check_hard_round(hard_round)
    assert check_hard_round(lambda pairs, t: Counter(hard_round(pairs, t)))
    assert check_two_directions(two_directions)


def soft_round(pairs, t):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[word, other] for other in x)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


def not_divided(pairs, t):
    counts = dict.fromkeys(t, 0)
    for x, y in pairs:
        for word in y:
            best = [given for given in x if math.isclose(t[word, given], max(t[word, other] for other in x))]
            for given in best:
                counts[word, given] += 1 / len(best)
    return counts


def overwriting(pairs, t):
    counts, sums = dict.fromkeys(t, 0), Counter()
    for x, y in pairs:
        for word in y:
            best = [given for given in x if math.isclose(t[word, given], max(t[word, other] for other in x))]
            for given in best:
                counts[word, given] = 1 / len(best)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / (sums[cell[1]] or 1) for cell, count in counts.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (soft_round, "its best x alone"),
        (not_divided, "still to be divided"),
        (lambda pairs, t: hard_round(pairs, t, side=0), "wrong side"),
        (lambda pairs, t: hard_round(pairs, t, tie="first"), "the first gets everything"),
        (lambda pairs, t: hard_round(pairs, t, tie="last"), "the last gets everything"),
        (lambda pairs, t: hard_round(pairs, t, tie="whole"), "gets a whole count"),
        (overwriting, "overwrites"),
        (lambda pairs, t: dict(t), "nothing has changed"),
        (lambda pairs, t: {cell: 2 * share for cell, share in hard_round(pairs, t).items()}, "not to 1"),
        (lambda pairs, t: {}, "same keys"),
    ],
)
def test_a_wrong_round_is_recognised(wrong, said):
    assert said in diagnosis(check_hard_round(wrong))


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


CLAIMS = {"a": 8 / 9, "b": 10 / 17}
RATES = {"a": 3 / 7, "b": 1 / 3, "c": 1 / 3}


def test_the_predicted_claims_are_those_of_the_models():
    doors = [("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros")]
    doors = [(x.split(), y.split()) for x, y in doors]
    assert IBMModel1(doors).fit(4).t("gatos", "cats") == pytest.approx(CLAIMS["a"])
    uneven = {("buenos", "good"): 2 / 3, ("días", "good"): 1 / 3}
    uneven |= {("buenos", "morning"): 1 / 2, ("días", "morning"): 1 / 2}
    after = soft_round([(["good", "morning"], ["buenos", "días"])], uneven)
    assert after["buenos", "good"] == pytest.approx(CLAIMS["b"])


def test_the_predicted_rates_are_those_of_the_links():
    true, backward = {(0, 0), (1, 2), (2, 1), (3, 1)}, {(0, 0), (1, 2), (2, 2)}
    forward = {(0, 0), (1, 2), (3, 1), (3, 3)}
    assert len({j for _, j in forward}) == len(forward) and len({i for i, _ in backward}) == len(backward)
    for letter, links in (("a", backward), ("b", forward & backward), ("c", forward | backward)):
        assert alignment_error_rate([links], [true]).error_rate == pytest.approx(RATES[letter])


@pytest.mark.parametrize("kind", [float, lambda share: Fraction(share).limit_denominator(100)])
def test_right_claims_pass(kind):
    assert check_claims({letter: kind(share) for letter, share in CLAIMS.items()})
    assert check_rates({letter: kind(share) for letter, share in RATES.items()})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 4 / 7}, "error rate"),
        ({"a": 1 / 3}, "the precision"),
        ({"a": 0.5}, "the recall"),
        ({"a": 5 / 7}, "count twice"),
        ({"b": Fraction(2, 3)}, "subtract that from 1"),
        ({"b": 0}, "the precision"),
        ({"b": 0.5}, "the recall"),
        ({"c": 2 / 3}, "count twice"),
        ({"c": 0.4}, "the precision"),
        ({"c": 0.25}, "the recall"),
        ({"c": 1 - 6 / 11}, "one link of a set"),
        ({"a": ...}, "(a) is still to be predicted"),
    ],
)
def test_a_wrong_rate_is_recognised(change, said):
    assert said in diagnosis(check_rates(RATES | change))


def probability(x, y, t, makers=lambda x: ["<null>", *x], power=len, over=sum):
    result = 1.0
    for v in y:
        result *= over([t[v, u] for u in makers(x)])
    return result / (len(x) + 1) ** power(y)


def test_the_probability_of_a_pair_passes():
    assert check_probability(probability)
    assert check_probability(lambda x, y, t: math.exp(math.log(probability(x, y, t))))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x, y, t: probability(x, y, t, makers=list), "add t[v, '<null>']"),
        (lambda x, y, t: probability(x, y, t, makers=list, power=lambda y: 0) / len(x) ** len(y), "is missing, in the"),
        (lambda x, y, t: probability(x, y, t, power=lambda y: 0) / len(x) ** len(y), "not l"),
        (lambda x, y, t: probability(x, y, t, power=lambda y: 0), "to choose from: divide"),
        (lambda x, y, t: probability(x, y, t, power=lambda y: 1), "to the power m"),
        (
            lambda x, y, t: sum(t[v, u] for v in y for u in ["<null>", *x]) / (len(x) + 1) ** len(y),
            "multiply over them",
        ),
        (lambda x, y, t: math.log(probability(x, y, t)), "its logarithm"),
        (lambda x, y, t: probability(x, y, t, over=math.prod), "add over the makers"),
        (lambda x, y, t: probability(x, y, t, over=max), "the best maker"),
        (lambda x, y, t: 0.5, "should give"),
        (lambda x, y, t: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_probability_is_recognised(wrong, said):
    assert said in diagnosis(check_probability(wrong))


def start(**rows):
    even = {"cats": (1 / 3,) * 3, "dogs": (1 / 3,) * 3, "birds": (1 / 3,) * 3}
    words = ("gatos", "perros", "pájaros")
    return {(v, u): share for u, row in (even | rows).items() for v, share in zip(words, row, strict=True)}


def test_starts_that_stay_wrong_pass():
    assert check_start(start(dogs=(0.5, 0, 0.5)))
    assert check_start(start(birds=(Fraction(1, 2), Fraction(1, 2), 0)))
    assert check_start(start(dogs=(1, 0, 0), cats=(0.01, 0.98, 0.01)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (start(), "ends at 1.0000"),
        (start(cats=(0.001, 0.998, 0.001)), "ends at 1.0000"),
        (start(cats=(0, 0.5, 0.5)), "the claim is about others"),
        (start(cats=(1e-6, 0.5, 0.5 - 1e-6)), "0 or at least 0.001"),
        (start(cats=(-0.5, 1, 0.5)), "0 or at least 0.001"),
        (start(dogs=(0.5, 0, 0)), "The three numbers of dogs sum to 0.5"),
        (start(cats=(1, 0, 0), dogs=(1, 0, 0)), "No word of cats dogs can make perros"),
        ({}, "nine numbers"),
        (start(cats=(..., 0.5, 0.5)), "still open"),
        (start(cats=("a", 0.5, 0.5)), "to be one number"),
    ],
)
def test_a_start_that_does_not_do_is_told_why(wrong, said):
    assert said in diagnosis(check_start(wrong))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 0.8}, "after three rounds"),
        ({"a": Fraction(2, 3)}, "after two rounds"),
        ({"a": 16 / 17}, "one other word in place of two"),
        ({"b": 4 / 7}, "divide it by the sum"),
        ({"b": 2 / 3}, "before the round"),
        ({"b": 1 / 2}, "does not begin even"),
        ({"b": 34 / 35}, "sum of the counts"),
        ({"b": 58 / 99}, "after two rounds"),
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
