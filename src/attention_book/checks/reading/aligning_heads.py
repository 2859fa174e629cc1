"""Checks for *What an aligning head is worth*: a rank correlation by hand and by machine, over all heads and within."""

import math

import numpy as np

from ...analysis.attribution.agreement import spearman
from ..drawn import Normal
from ..known_mistakes import expect_named_numbers, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number

_MISLED = {
    "highest": (
        19 / 35,
        {
            1.0: "the order is reversed within each layer, so the two orders cannot agree",
            -1.0: "that is ρ within a layer; rank all six heads together",
            16 / 35: "that is the part to be taken from 1",
            3 / 5: "that is the page's model with two heads in a layer; here there are three",
            27 / 35: "the squares of both layers have to be added up",
            -19 / 35: "it is highest if the layer that aligns better is the more expensive one",
        },
    ),
    "lowest": (
        -19 / 35,
        {
            -1.0: "the orders agree within each layer, so they are not reversed as a whole",
            1.0: "that is ρ within a layer; rank all six heads together",
            54 / 35: "that is the part to be taken from 1",
            -3 / 5: "that would be two heads in a layer; here there are three",
            8 / 35: "the squares of both layers have to be added up",
            19 / 35: "it is lowest if the layer that aligns better is the cheaper one",
        },
    ),
}


@checking
def check_misled(answers: object) -> Report:
    """Are these the extremes of ρ over six heads whose layers both say −1 (``highest``) or both 1 (``lowest``)?"""
    expect_named_numbers(answers, _MISLED, tolerance=6e-3)
    return Report(True, "Both layers say one thing, and all heads together can say the opposite, by more than a half.")


@checking
def check_rank_correlation(candidate: object) -> Report:
    """Does ``candidate(first, second)`` give the rank correlation of two lists of numbers, none of them twice?"""
    normal = Normal(5)
    cases = [([1.0, 2.0, 3.0], [10.0, 20.0, 1000.0]), ([3.0, 1.0, 2.0], [1.0, 2.0, 3.0])]
    cases += [(normal(n).tolist(), normal(n).exp().tolist()) for n in (4, 7, 16)]
    for first, second in cases:
        got = expect_number(attempt(candidate, first, second))
        right = float(spearman(np.array([first]), np.array([second]))[0])
        if math.isclose(got, right, abs_tol=1e-9):
            continue
        a, b, n = np.array(first), np.array(second), len(first)
        places = [np.argsort(values) for values in (a, b)]
        squares = float(((places[0].argsort() - places[1].argsort()) ** 2).sum())
        mistakes = [
            (
                float(np.corrcoef(*places)[0, 1]),
                "`argsort` says where the smallest number stands; ranks want it twice.",
            ),
            (float(np.corrcoef(a, b)[0, 1]), "This is the correlation of the numbers themselves: take their ranks."),
            (1 - squares / (n * (n * n - 1)), "The sum of the squares is multiplied by 6."),
            (1 - 6 * squares / (n**3 - 1), "Divide by n(n² − 1), which is n³ − n."),
            (6 * squares / (n * (n * n - 1)), "That is the part to be taken from 1."),
            (-right, "The sign is wrong: two lists in the same order give 1."),
        ]
        hint = recognise(got, mistakes, near(abs_tol=1e-9))
        raise NotYet(hint or f"For {n} numbers each it gives {got:.4f}; it should be {right:.4f}.")
    return Report(True, "Only the order counts: squeezing or stretching the numbers leaves the correlation as it is.")
