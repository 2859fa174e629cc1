"""Checks for *The verdict*: leads by hand, the paired bootstrap, sure leads, many tests, fair conclusions."""

import math
from collections.abc import Sequence

import numpy as np

from ..answers import each_answer, from_list, statements_check
from ..known_mistakes import near, predictions_check, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_array, expect_number

LEADS = [8, 6, 4, 2, -40]
"""By how much A is ahead of B on five sentences, in points of chrF."""
_LEADS = {
    "ahead": (4, {1: "that is on how many B is ahead", 5: "on the last sentence B is ahead"}),
    "mean": (
        -4.0,
        {
            4.0: "the lead is A's, and the last sentence outweighs the others",
            -20.0: "that is the sum; divide by how many sentences there are",
            5.0: "the last sentence counts, too",
            20.0: "the last sentence counts, too, and the sum is to be divided",
        },
    ),
    "sample": (
        (4 / 5) ** 5,
        {
            4 / 5: "that is one draw without the last sentence; a sample draws five times",
            4 / 5 * 5: "chances of draws that must all happen are multiplied",
            1 - (4 / 5) ** 5: "that is the chance that B is ahead",
            (3 / 4) ** 4: "that is the page's case, with four sentences",
            0.0: "a sentence may be drawn several times, and another not at all",
        },
    ),
}


check_leads = predictions_check(
    _LEADS,
    1e-3,
    question="Are these on how many sentences A is ahead, its mean lead, and the chance that a sample puts it ahead?",
    praise="A wins most sentences, B wins on average, and a third of the samples hides B's one success.",
)


SYSTEMS, SAMPLES = 5, 500
"""How many systems a study compares, every two of them, and with how many samples of its sentences."""
_MANY = {
    "tests": (
        10,
        {
            20: "A against B and B against A are one test",
            25: "no system is compared with itself, and each pair is one test",
            4: "every two of them are compared, and not each with one",
            5: "that is the number of systems",
        },
    ),
    "least": (
        1 / 501,
        {
            1 / 500: "the test set itself counts as one more sample",
            0.0: "the 1 above the line keeps it from 0",
            0.05: "that is the level",
        },
    ),
    "adjusted": (
        10 / 501,
        {
            1 / 501: "that is before Holm's correction",
            10 / 500: "the test set itself counts as one more sample",
            5 / 501: "the factor is the number of tests, not that of systems",
        },
    ),
    "systems": (
        7,
        {
            8: "eight systems make 28 tests, and 28/501 is more than 0.05",
            25: "that is how many tests there may be; how many systems make so many?",
            6: "six systems make 15 tests, and there is room for more",
        },
    ),
}


check_many_tests = predictions_check(
    _MANY,
    2e-6,
    question="Are these the number of tests, the least p, the same adjusted, and the largest number of systems?",
    praise="The samples bound p from below, and the number of tests multiplies that bound.",
)


def _scores(places: Sequence[int], scores: Sequence[float]) -> float:
    return float(np.mean([scores[place] for place in places]))


@checking
def check_paired_p(candidate: object) -> Report:
    """Does ``candidate(mine, other, draws)`` return the p-value of the paired bootstrap, for the mean as the score?"""
    for seed, lead in ((1, 1.0), (2, 4.0), (3, -3.0), (4, 0.3)):
        rng = np.random.default_rng(seed)
        easy = rng.normal(60, 15, 12)
        mine = [float(x) for x in easy + lead + rng.normal(0, 6, 12)]
        other = [float(x) for x in easy + rng.normal(0, 6, 12)]
        draws = [[int(i) for i in rng.integers(0, 12, 12)] for _ in range(79)]
        got = expect_number(attempt(candidate, mine, other, draws), "p")
        found = _scores(range(12), mine) - _scores(range(12), other)
        drawn = np.array([_scores(draw, mine) - _scores(draw, other) for draw in draws])
        sizes, n = np.abs(drawn), len(draws)
        count = int((sizes - sizes.mean() > abs(found)).sum())
        right = (1 + count) / (n + 1)
        if abs(got - right) < 1e-9:
            continue
        mistakes = {
            "The 1 is missing above and below the line: the test set counts as one more sample.": count / n,
            "The 1 is missing below the line.": (1 + count) / n,
            "The 1 is missing above the line.": count / (n + 1),
            "That is how many samples count; it is still to be divided.": float(1 + count),
            "Take the mean of the sampled differences away first: around what do they vary?": (
                (1 + int((sizes > abs(found)).sum())) / (n + 1)
            ),
            "Take the leads without their signs first, and then their mean: that is the order in the equation.": (
                (1 + int((np.abs(drawn - drawn.mean()) > abs(found)).sum())) / (n + 1)
            ),
            "That is the share of samples in which the order is the other one.": float((drawn * found < 0).mean()),
            "That is the share of samples in which the order is the same.": float((drawn * found > 0).mean()),
            "It is 1 minus that.": 1 - right,
        }
        refuse_number(f"With a lead of {found:.2f} and {n} samples", got, right, mistakes, near(abs_tol=1e-9))
    return Report(True, "Right for four pairs of systems: both are scored on the same samples.")


ENOUGH_TURNED = 0.4
"""The share of samples that must turn an unsure lead round."""


@checking
def check_sure(answers: object) -> Report:
    """Have two lists of five leads one mean above 0, and does no sample turn one, but two in five the other?"""
    leads = {}
    for name, got in each_answer(answers, ("sure", "unsure"), "five leads for each of"):
        five = expect_array(from_list(got), (5,), "one lead per sentence", like=np.zeros(1), name=f"`{name}`")
        leads[name] = np.asarray(five, dtype=float)
    means = {name: float(five.mean()) for name, five in leads.items()}
    for name, mean in means.items():
        if mean <= 1e-9:
            raise NotYet(f"The mean of `{name}` is {mean:g}: A must be ahead.")
    if not math.isclose(*means.values(), rel_tol=1e-6):
        raise NotYet(f"The means are {means['sure']:g} and {means['unsure']:g}: make them equal.")
    sure, unsure = _turned(leads["sure"]), _turned(leads["unsure"])
    if sure > 0:
        raise NotYet(f"In {sure:.1%} of all samples of `sure` B is ahead: what if all five draws take its least?")
    if unsure <= ENOUGH_TURNED:
        raise NotYet(f"B is ahead in {unsure:.1%} of all samples of `unsure`; more than {ENOUGH_TURNED:.0%} are asked.")
    return Report(
        True, f"One mean, and B is ahead in none or in {unsure:.1%} of the samples: it is how much leads vary."
    )


def _turned(leads: np.ndarray) -> float:
    """The share of all samples of as many, drawn with repetition, whose leads add up to less than 0."""
    sums = sum(np.ix_(*[leads] * len(leads)))
    return float((sums < -1e-9 * np.abs(leads).max()).mean())


_FOLLOWS = {
    "a": (False, "tokens were equal and times were not; a race over time needs another training"),
    "b": (False, "one trial each is equal effort, and a recipe may suit one of them and not another"),
    "c": (True, "Holm takes the smallest p ten times, and 0.3 is above 0.05; at the first that fails it stops"),
    "d": (False, "training and test sentences come from one source, and articles are unlike them"),
    "e": (False, "a lead may be real and too small for so few sentences to settle it"),
    "f": (True, "both are scored on the same samples, and an easy sample lifts both"),
    "g": (False, "the scores weigh words and letters differently, and neither has to be wrong"),
}


check_follows = statements_check(
    _FOLLOWS,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to g, that they follow?",
    "A comparison answers for what was held equal, and for sentences of the kind that was tested.",
)
