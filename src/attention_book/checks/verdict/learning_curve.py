"""Checks for *How much data?*: a line on a logarithmic axis, its slope, passes through pairs, and fair conclusions."""

import math
import random

from ..answers import statements_check
from ..known_mistakes import expect_predictions, near, refuse_number
from ..report import Report, attempt, checking, expect_number

POINTS = {2_000: 18, 20_000: 33}
"""Two points of a learning curve that is a straight line where the axis of pairs is logarithmic."""
_G = 15
_LINE = {
    "tenfold": (
        15.0,
        {
            15 / 18_000: "that is per pair; how much do the scores differ over a factor of ten?",
            33.0: "that is the score with 20,000 pairs",
            15 / math.log(10): "that is per factor of e",
        },
    ),
    "doubling": (
        _G * math.log10(2),
        {
            3.0: "a factor of two is more than a fifth of the way to ten on this axis: log10 2 is 0.301",
            7.5: "a factor of two is not half of a factor of ten on this axis: log10 2 is 0.301",
            _G * math.log(2): "the gain is per factor of ten, so the logarithm is to the base 10",
            15 / 9: "the step is in factors, and not in numbers of pairs",
        },
    ),
    "at_8000": (
        18 + _G * math.log10(4),
        {
            18 + 15 * 6 / 18: "that is a straight line over the number of pairs, and not over its logarithm",
            18 + 30 * math.log10(2) / 2: "8,000 is two doublings of 2,000, and this is one",
            27.0: "round to two decimals, not to none",
            18 + _G * math.log(4): "the gain is per factor of ten, so the logarithm is to the base 10",
        },
    ),
    "pairs_for_48": (
        200_000,
        {
            38_000: "that is a straight line over the number of pairs, and not over its logarithm",
            40_000: "another 15 points cost another factor of ten, and not another doubling",
            180_000: "that is how many pairs are to be added",
            5.3: "that is its logarithm",
        },
    ),
}


@checking
def check_line(predictions: object) -> Report:
    """Are these the gain per factor of ten and per doubling, the score between, and the pairs for 48 points?"""
    pairs = predictions.get("pairs_for_48") if isinstance(predictions, dict) else None
    if isinstance(pairs, int | float) and pairs > 1000:  # that many pairs are not counted one by one
        predictions = predictions | {"pairs_for_48": round(pairs, -2)}
    expect_predictions(predictions, _LINE, 0.02)
    return Report(True, "Equal factors buy equal points: the same 15 points cost 18,000 pairs once, and 180,000 next.")


def _slope(xs: list[float], ys: list[float]) -> float:
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


@checking
def check_gain(candidate: object) -> Report:
    """Does ``candidate(pairs, scores)`` return the slope of the line with the least squares, per factor of ten?"""
    for seed in range(4):
        draw = random.Random(seed)
        pairs = sorted(draw.sample(range(500, 200_000), 5))
        scores = [round(12 * math.log10(n) + draw.uniform(-4, 4), 2) for n in pairs]
        got = expect_number(attempt(candidate, pairs, scores), "the gain")
        x = [math.log10(n) for n in pairs]
        right = _slope(x, scores)
        if abs(got - right) < 1e-6:
            continue
        mistakes = {
            "That is per factor of e: take the logarithm to the base 10.": _slope([math.log(n) for n in pairs], scores),
            "That is per doubling.": _slope([math.log2(n) for n in pairs], scores),
            "That is per pair: the line is over the logarithm of the number of pairs.": _slope(
                [float(n) for n in pairs], scores
            ),
            "That is the line through the first and the last point: the others count, too.": (
                (scores[-1] - scores[0]) / (x[-1] - x[0])
            ),
            "That is the mean of the slopes between neighbours.": sum(
                (scores[i + 1] - scores[i]) / (x[i + 1] - x[i]) for i in range(4)
            )
            / 4,
            "That is the slope the other way round: pairs per point.": _slope(scores, x),
        }
        refuse_number(f"For {len(pairs)} points", got, right, mistakes, near(rel_tol=1e-6))
    return Report(True, "Right for four curves: every point counts, and each factor of ten by the same measure.")


BUDGET, PER_PAIR, FEW, MANY = 1_200_000, 8, 5_000, 300_000
"""Target tokens of a budget, tokens of a pair, and two numbers of pairs."""
_PASSES = {
    "passes_few": (
        30.0,
        {240.0: "that is tokens by pairs; a pair has several tokens", 1 / 30: "that is the other way round"},
    ),
    "passes_many": (
        0.5,
        {2.0: "that is the other way round", 4.0: "that is tokens by pairs; a pair has several tokens"},
    ),
    "read": (
        150_000,
        {
            300_000: "the budget ends before all pairs are read",
            1_200_000: "that is in tokens",
            75_000: "a budget of half a pass reads half of the pairs",
        },
    ),
    "enough": (
        150_000,
        {
            300_000: "with so many the budget ends after half of them",
            5_000: "these are read many times, and others would be new",
            1_200_000: "that is in tokens",
        },
    ),
}


@checking
def check_passes(predictions: object) -> Report:
    """Are these the passes through few and many pairs, the pairs read of many, and from where on more are not seen?"""
    expect_predictions(predictions, _PASSES, 1e-3)
    return Report(True, "Beyond the pairs that a budget reads once, more pairs cannot change anything.")


_FOLLOWS = {
    "a": (False, "with the budget fixed, more pairs means fewer passes, and the flat end may be the budget's"),
    "b": (True, "the same draw of pairs served both, so the differences are paired by seed"),
    "c": (False, "two or three seeds say little, and a line may bend beyond its last point"),
    "d": (False, "the sentences differ, and a score compares translators on one test set alone"),
    "e": (True, "it has no parameters and no dropout, so only the pairs and their order differ"),
    "f": (False, "the pairs of the smaller draw are part of the larger one, and the larger one has others besides"),
}


check_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to f, that they follow?",
    "A curve over data answers for its budget, its recipe and its seeds.",
)
