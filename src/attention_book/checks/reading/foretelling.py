"""Checks for *What does an attribution foretell?*: three questions to four rows, orders, and a share of rows."""

import numpy as np

from ..answers import each_answer
from ..known_mistakes import expect_predictions, near, refuse_number
from ..report import Report, attempt, checking, expect_number

ROWS = {
    "A": (0.6, 0.1, 0.2, 0.05, 0.05),
    "B": (0.1, 0.5, 0.3, 0.05, 0.05),
    "C": (0.2, 0.1, 0.6, 0.05, 0.05),
    "D": (0.3, 0.4, 0.1, 0.05, 0.15),
}
"""What four methods say of *La*, for the words The, red, house, is, old."""
_COUNTS = {
    "translated": (
        1,
        {
            2: "the largest number must stand at *The*, not one of the two largest",
            3: "ask for the largest number alone",
        },
    ),
    "deciding": (
        2,
        {
            1: "two words decide *La*: with *a* in place of *The* it would be *Una*",
            3: "that is *house* among the two largest; here it must be the largest",
            4: "*red* decides nothing of *La*",
        },
    ),
    "hidden": (
        3,
        {
            1: "*house* need not be the largest: the second place counts, too",
            2: "*house* as the largest counts, and *house* as the second",
            4: "in one row two other words come first",
        },
    ),
}


@checking
def check_rows(predictions: object) -> Report:
    """Are these the numbers of methods in `ROWS` for which each of the three questions has the answer yes?"""
    answers = dict(each_answer(predictions, _COUNTS, "a number for each of", open_name=None))
    expect_predictions(answers, _COUNTS, tolerance=1e-6)
    return Report(True, "A method may find the hidden decider and still put another word first.")


_NOTHING = {
    "leaving out": (
        0.6,
        {
            -0.6: "leaving out and an exchange both take the old word's number away: mind the sign of the fall",
            1.0: "an exchange puts a new number in the place of the old one: subtract it",
            0.4: "that is the part to be taken from 1",
            -0.4: "the costs are old less new, 0.4, −0.2, 0.2 and 0.1: rank these",
        },
    ),
    "weights": (
        0.2,
        {
            0.8: "that is the part to be taken from 1",
            -0.2: "rank the costs of the exchanges, not those of leaving out",
        },
    ),
    "equal words": (
        1.0,
        {
            0.0: "the same number is taken from every cost; does that change the order?",
            0.6: "each new word has 0.3 now, so the costs are 0.2, −0.1, 0.5 and −0.2",
        },
    ),
}


@checking
def check_nothing(predictions: object) -> Report:
    """Are these the rank correlations of the exercise on a model that adds up random numbers?"""
    answers = dict(each_answer(predictions, _NOTHING, "a number for each of", open_name=None))
    expect_predictions(answers, _NOTHING, tolerance=6e-3)
    return Report(True, "An order can be foretold where nothing was learned.")


def _shares(rows: np.ndarray, hidden: np.ndarray) -> dict[str, float]:
    """The share of rows by each known mistake, ``right`` among them."""

    def found(values: np.ndarray, count: int) -> np.ndarray:
        places = np.argsort(-values, axis=1)[:, :count]
        return np.take_along_axis(hidden, places, axis=1).any(axis=1)

    has = hidden.any(axis=1)
    both = np.take_along_axis(hidden, np.argsort(-rows, axis=1)[:, :2], axis=1)
    return {
        "right": float(found(rows, 2)[has].mean()),
        "Rows without a hidden decider are counted, too: leave them out.": float(found(rows, 2).mean()),
        "Only the largest number is looked at: the second place counts, too.": float(found(rows, 1)[has].mean()),
        "These are the two smallest numbers.": float(found(-rows, 2)[has].mean()),
        "The signs are gone: a large negative number is no large one.": float(found(np.abs(rows), 2)[has].mean()),
        "Three places are looked at.": float(found(rows, 3)[has].mean()),
        "Hidden deciders are counted, and not rows.": float(both.sum() / hidden.sum()),
        "It is a number of rows: divide by the rows with a hidden decider.": float(found(rows, 2)[has].sum()),
    }


@checking
def check_share(candidate: object) -> Report:
    """Does ``candidate(rows, hidden)`` give the share of rows in which a hidden decider is among the two largest?"""
    rng = np.random.default_rng(6)
    for written, words in ((12, 5), (30, 6), (9, 7)):
        rows, hidden = rng.normal(size=(written, words)), rng.random((written, words)) < 0.2
        hidden[0], hidden[1, :2] = False, True
        known = _shares(rows, hidden)
        right = known.pop("right")
        got = expect_number(attempt(candidate, rows, hidden), "the share")
        if abs(got - right) > 1e-6:
            known = {hint: wrong for hint, wrong in known.items() if abs(wrong - right) > 1e-6}
            refuse_number(f"For {written} rows", got, right, known, near(abs_tol=1e-6), ".3f")
    return Report(True, "Right for three sets of rows, some of them without a hidden decider.")
