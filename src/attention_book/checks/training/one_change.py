"""Checks for *One change at a time*: gains first and last, their mean over all orders, and a gain that hides."""

import math
from collections.abc import Mapping
from itertools import combinations, permutations

from ..answers import each_answer
from ..known_mistakes import expect_predictions, near, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number

NEITHER, A, B, WITHOUT_A = 30.0, 32.0, 31.0, 1.4
"""The three trainings of the exercise in points of BLEU, and what taking A away from the whole costs."""
_BOTH = B + WITHOUT_A
_MEAN_A, _MEAN_B = (A - NEITHER + WITHOUT_A) / 2, (B - NEITHER + _BOTH - A) / 2
_WORTHS = {
    "both": (
        _BOTH,
        {
            A + WITHOUT_A: "without A, B is left, and not the other way round: add to the score of B",
            NEITHER + WITHOUT_A: "without A, B is left, and not neither: add to the score of B",
            A + B - NEITHER: "that is what both would reach if single gains added up",
            B - WITHOUT_A: "the whole is better than B alone, because taking A away costs something",
        },
    ),
    "b_last": (
        _BOTH - A,
        {
            B - NEITHER: "that is what B adds first; last, it comes to a recipe with A",
            WITHOUT_A: "that is what A adds last",
            _BOTH - NEITHER: "that is what both add together; A is there before B comes",
            A - _BOTH: "a gain is the new score minus the old one",
        },
    ),
    "a_mean": (
        _MEAN_A,
        {
            A - NEITHER: "that is what A adds first; take the mean with what it adds last",
            WITHOUT_A: "that is what A adds last; take the mean with what it adds first",
            2 * _MEAN_A: "that is the sum of both orders; divide it by two",
            (_BOTH - NEITHER) / 2: "that is half of the whole gain, which shares it equally",
        },
    ),
    "b_mean": (
        _MEAN_B,
        {
            B - NEITHER: "that is what B adds first; take the mean with what it adds last",
            _BOTH - A: "that is what B adds last; take the mean with what it adds first",
            2 * _MEAN_B: "that is the sum of both orders; divide it by two",
            (_BOTH - NEITHER) / 2: "that is half of the whole gain, which shares it equally",
        },
    ),
}


@checking
def check_worths(predictions: object) -> Report:
    """Are these the fourth score of the exercise, what B adds last, and the mean gains?"""
    answers = dict(each_answer(predictions, _WORTHS, "a number for each of", open_name=None))
    expect_predictions(answers, _WORTHS, tolerance=6e-3)
    return Report(True, "The mean gains sum to the 2.4 points that both changes bring; the gains first sum to 3.0.")


def _before(order: tuple[str, ...], change: str) -> frozenset[str]:
    """The changes that an order adds before this one."""
    return frozenset(order[: order.index(change)])


def _subsets(names: str) -> list[frozenset[str]]:
    return [frozenset(one) for size in range(len(names) + 1) for one in combinations(names, size)]


def _made_up(names: str, step: int) -> dict[frozenset[str], float]:
    """A score for each set of changes that no simple rule gives; the changes neither add nor replace each other."""
    return {some: 20 + (step * (index + 1) ** 2) % 11 + len(some) / 4 for index, some in enumerate(_subsets(names))}


@checking
def check_mean_gain(candidate: object) -> Report:
    """Does ``candidate(scores, change)`` give what a change adds, averaged over all orders of adding the changes?"""
    for names, step in (("ab", 3), ("abc", 4), ("abcd", 7)):
        scores = _made_up(names, step)
        for change in names:
            got = expect_number(attempt(candidate, scores, change), "the mean gain")
            gains = {some: scores[some | {change}] - scores[some] for some in scores if change not in some}
            in_turn = [gains[_before(order, change)] for order in permutations(names)]
            right, first, last = (
                math.fsum(in_turn) / len(in_turn),
                gains[frozenset()],
                gains[frozenset(names) - {change}],
            )
            mistakes = {
                first: "That is what it adds first; where others are there already, it adds something else.",
                last: "That is what it adds last, in one place of the order.",
                (first + last) / 2: "That is the mean of first and last; with three changes there are places between.",
                math.fsum(gains.values()) / len(gains): (
                    "Each set of earlier changes counts once there. Count each order once: some sets begin more orders."
                ),
                math.fsum(in_turn): "The sum over the orders is still to be divided by their number.",
                -right: "A gain is the score with the change minus the score without it.",
                (scores[frozenset(names)] - scores[frozenset()]) / len(names): (
                    "That is an equal share of the whole gain; it does not look at the change."
                ),
            }
            if not math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-9):
                where = f"With {len(names)} changes, for {change!r},"
                refuse_number(where, got, right, mistakes, near(abs_tol=1e-9), ".3f")
    return Report(
        True, "Right for two, three and four changes; over all changes, the mean gains sum to the whole gain."
    )


@checking
def check_hidden_gain(scores: object) -> Report:
    """Does each change alone cost something in these four scores, and do both together bring something?"""
    if not isinstance(scores, Mapping):
        raise NotYet("Give a dictionary with a score for each of neither, A, B, both.")
    given = {
        name: expect_number(score, f"the score of “{name}”")
        for name, score in each_answer(scores, ("neither", "A", "B", "both"), "a score for each of", put="a score")
    }
    for name, score in given.items():
        if not 0 <= score <= 100:
            raise NotYet(f"“{name}” has {score:g}, and BLEU lies between 0 and 100.")
    for name in ("A", "B"):
        if given[name] >= given["neither"]:
            raise NotYet(f"{name} alone does not cost anything yet, so one change at a time would keep {name}.")
    if given["both"] <= given["neither"]:
        raise NotYet("Both together do not bring anything yet: their score must be above that of neither.")
    return Report(True, "One change at a time rejects both, and only a fourth training finds what they bring together.")
