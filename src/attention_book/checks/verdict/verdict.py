"""Checks for *The verdict*: leads by hand, the paired bootstrap, many tests, tokens against time, fair conclusions."""

from collections.abc import Sequence

import numpy as np

from ..answers import judge_statements
from ..known_mistakes import near, predictions_check, refuse_number
from ..report import Report, attempt, checking, expect_number

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


RATES, BUDGET = {"A": 1500, "B": 2500}, 9_000_000
"""How many target tokens two models read per second in training, and the budget of both."""
_TIME = {
    "a_minutes": (
        100,
        {6000: "that is in seconds", 1.667: "that is in hours", 60: "that is B's time"},
    ),
    "b_minutes": (60, {3600: "that is in seconds", 1: "that is in hours", 100: "that is A's time"}),
    "b_tokens": (
        15.0,
        {
            9.0: "that is what B reads in its own hour",
            5.4: "that is what A reads in B's time",
            15e6: "give it in millions",
        },
    ),
}


check_time = predictions_check(
    _TIME,
    1e-2,
    question="Are these the minutes of both trainings, and the millions of tokens that B reads in A's time?",
    praise="Equal tokens are unequal times here, and a budget of time would favour B.",
)


_FOLLOWS = {
    "a": (False, "tokens were equal and times were not; a race over time needs another training"),
    "b": (False, "one trial each is equal effort, and a recipe may suit one of them and not another"),
    "c": (True, "resampling sentences asks just this, and Holm's correction allows for the other tests"),
    "d": (False, "training and test sentences come from one source, and articles are unlike them"),
    "e": (False, "a few large losses outweigh many small leads"),
    "f": (True, "both are scored on the same samples, and an easy sample lifts both"),
    "g": (False, "the scores weigh words and letters differently, and neither has to be wrong"),
}


@checking
def check_follows(answers: object) -> Report:
    """Is it said rightly of which conclusions, a to g, that they follow?"""
    right, why = ({name: one[part] for name, one in _FOLLOWS.items()} for part in (0, 1))
    judge_statements(answers, right, why, "it follows", "it does not")
    return Report(True, "A comparison answers for what was held equal, and for sentences of the kind that was tested.")
