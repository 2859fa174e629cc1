"""The checks of *How much data?* take every right answer and name what is wrong with the others."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.verdict import learning_curve as checks
from attention_book.readers.verdict.learning_curve import gain_per_tenfold

from ..diagnosis import diagnosis

LINE = {"tenfold": 15, "doubling": 15 * math.log10(2), "at_8000": 18 + 15 * math.log10(4), "pairs_for_48": 200_000}
PASSES = {"passes_few": 30, "passes_many": 0.5, "read": 150_000, "enough": 150_000}
FOLLOWS = {"a": False, "b": True, "c": False, "d": False, "e": True, "f": False}


def test_the_line_passes_and_is_the_one_through_both_points():
    assert checks.check_line(LINE)
    assert checks.check_line({"tenfold": Fraction(15), "doubling": 4.515, "at_8000": 27.03, "pairs_for_48": 199_999.9})
    pairs, scores = zip(*checks.POINTS.items(), strict=True)
    slope, base = np.polyfit(np.log10(pairs), scores, 1)
    assert slope == pytest.approx(LINE["tenfold"])
    assert base + slope * math.log10(8000) == pytest.approx(LINE["at_8000"])
    assert base + slope * math.log10(4000) == pytest.approx(18 + LINE["doubling"])
    assert base + slope * math.log10(LINE["pairs_for_48"]) == pytest.approx(48)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tenfold": 33}, "the score with 20,000"),
        ({"tenfold": 6.514}, "factor of e"),
        ({"tenfold": 0.00083}, "per pair"),
        ({"doubling": 3}, "more than a fifth"),
        ({"doubling": 7.5}, "not half"),
        ({"doubling": 10.397}, "base 10"),
        ({"doubling": 1.667}, "in factors"),
        ({"at_8000": 23}, "over the number of pairs"),
        ({"at_8000": 22.515}, "two doublings"),
        ({"at_8000": 38.794}, "base 10"),
        ({"pairs_for_48": 38_000}, "over the number of pairs"),
        ({"pairs_for_48": 40_000}, "not another doubling"),
        ({"pairs_for_48": 180_000}, "to be added"),
        ({"pairs_for_48": 5.3}, "its logarithm"),
        ({"pairs_for_48": 123_456}, "is not"),
        ({"at_8000": 27}, "two decimals"),
        ({"pairs_for_48": ...}, "still to be predicted"),
        ({"tenfold": "15"}, "one number"),
    ],
)
def test_the_line_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_line(LINE | change))


def by_polyfit(pairs, scores):
    return np.polyfit(np.log10(pairs), scores, 1)[0]


def test_the_gain_passes_by_loop_or_by_array_and_agrees_with_the_reader():
    assert checks.check_gain(by_polyfit) and checks.check_gain(gain_per_tenfold)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda p, s: np.polyfit(np.log(p), s, 1)[0], "per factor of e"),
        (lambda p, s: np.polyfit(np.log2(p), s, 1)[0], "per doubling"),
        (lambda p, s: np.polyfit(p, s, 1)[0], "per pair"),
        (lambda p, s: (s[-1] - s[0]) / math.log10(p[-1] / p[0]), "the others count"),
        (lambda p, s: float(np.mean(np.diff(s) / np.diff(np.log10(p)))), "between"),
        (lambda p, s: np.polyfit(s, np.log10(p), 1)[0], "other way round"),
        (lambda p, s: 1.0, "and not"),
        (lambda p, s: p.sort() or s.clear(), "in place"),
        (lambda p, s: None, "returned None"),
        (12.0, "Expected a function"),
    ],
)
def test_the_gain_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_gain(wrong))


def test_the_passes_pass_and_follow_from_the_budget():
    assert checks.check_passes(PASSES) and checks.check_passes({name: Fraction(x) for name, x in PASSES.items()})
    assert PASSES["passes_few"] == checks.BUDGET / (checks.FEW * checks.PER_PAIR)
    assert PASSES["passes_many"] == checks.BUDGET / (checks.MANY * checks.PER_PAIR)
    assert PASSES["read"] == PASSES["enough"] == checks.BUDGET / checks.PER_PAIR


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"passes_few": 240}, "several tokens"),
        ({"passes_few": 1 / 30}, "other way round"),
        ({"passes_many": 2}, "other way round"),
        ({"read": 300_000}, "before all pairs"),
        ({"read": 75_000}, "half of the pairs"),
        ({"enough": 5000}, "would be new"),
        ({"enough": 1_200_000}, "in tokens"),
        ({"enough": ...}, "still to be predicted"),
    ],
)
def test_the_passes_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_passes(PASSES | change))


def test_the_conclusions_pass_and_each_wrong_one_is_answered_with_its_reason():
    assert checks.check_follows(FOLLOWS)
    reasons = {diagnosis(checks.check_follows(FOLLOWS | {name: not right})) for name, right in FOLLOWS.items()}
    assert len(reasons) == len(FOLLOWS) and all(told[0] in FOLLOWS for told in reasons)
