"""Checks for *Which head would you show?*: the luck of the best, what it promises and keeps, a head fairly chosen."""

import math
from operator import eq

import numpy as np

from ...experiments.link_study import error_rates
from ..known_mistakes import expect_named_numbers, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts

_PROMISE = {
    "promised": (
        1 / 4,
        {
            1 / 2: "choose on sentence 1 and then on sentence 2: the head with the *fewest* errors there",
            1 / 8: "each choice promises its errors on one sentence of four words",
            1.0: "that is a number of words; divide it by four",
            5 / 8: "that is what the chosen heads keep on the other sentence",
        },
    ),
    "kept": (
        5 / 8,
        {
            1 / 4: "that is what they promise, on the sentence on which they were chosen",
            3 / 4: "that is the first choice alone: choose on sentence 2 as well, and take the mean",
            1 / 2: "that is the second choice alone: choose on sentence 1 as well, and take the mean",
            7 / 16: "that takes in the sentence on which the head was chosen",
            5 / 2: "that is a number of words; divide it by four",
        },
    ),
    "no choice": (
        11 / 24,
        {
            11 / 6: "that is a number of words; divide it by four",
            11 / 12: "there are six shares: three heads on two sentences",
            1 / 4: "that is the best head of each sentence; here no head is chosen",
        },
    ),
}


@checking
def check_promise(answers: object) -> Report:
    """Are these the shares of errors that three heads promise and keep, and that they have if none is chosen?"""
    expect_named_numbers(answers, _PROMISE, tolerance=6e-3)
    return Report(True, "A head chosen on one sentence promises too much: here it errs more than a head drawn by lot.")


_ONE, _BOTH = (2 / 3) ** 6, (2 / 3) ** 12
_LUCK = {
    "one head": (
        _ONE,
        {
            2 / 3: "that is one word, and there are six",
            (2 / 3) ** 5: "that is five words, and there are six",
            1 - _ONE: "that is the probability of at least one error",
            (1 / 3) ** 6: "that is the probability that it links every word wrongly",
            4.0: "a probability is at most 1: multiply the six shares of ⅔",
        },
    ),
    "8 heads": (
        1 - (1 - _ONE) ** 8,
        {
            8 * _ONE: "two heads may be perfect at once, so probabilities do not add up; first ask for none",
            (1 - _ONE) ** 8: "that is the probability that none of them is perfect",
            _ONE**8: "that is the probability that all of them are perfect",
            _ONE: "that is one head, and the best of eight has eight chances",
        },
    ),
    "48 heads": (
        1 - (1 - _ONE) ** 48,
        {
            48 * _ONE: "a probability is at most 1; first ask how probable it is that none of them is perfect",
            (1 - _ONE) ** 48: "that is the probability that none of them is perfect",
            1.0: "nearly, but all of them may fail: give two digits at least",
        },
    ),
    "48 heads, two sentences": (
        1 - (1 - _BOTH) ** 48,
        {
            (1 - (1 - _ONE) ** 48) ** 2: "the figure shows the same head for both sentences, not the best one for each",
            48 * _BOTH: "two heads may be perfect at once; first ask for none",
            (1 - _BOTH) ** 48: "that is the probability that none of them is perfect",
            1 - (1 - (2 / 3) ** 11) ** 48: "twelve words in all: two thirds for each of them",
            _BOTH: "that is one head",
        },
    ),
}


@checking
def check_luck(answers: object) -> Report:
    """Are these the probabilities that a head, right in two words of three, looks perfect, or the best of many?"""
    expect_named_numbers(answers, _LUCK, tolerance=6e-3)
    return Report(True, "Among 48 such heads one nearly always looks perfect on one sentence, and less often on two.")


def head_counts() -> tuple[np.ndarray, np.ndarray]:
    """Counts of four made-up heads on validation and on test sentences, (heads, sentences, 4) each.

    Of each sentence: the links proposed, those that are sure, those that are possible, and the sure links there are.
    """
    random = np.random.default_rng(8)
    quality = np.array([0.62, 0.7, 0.74, 0.3])
    halves = []
    for sentences in (6, 40):
        sure = random.integers(3, 9, size=sentences)
        links = np.maximum(sure - random.integers(0, 2, size=(4, sentences)), 1)
        right = random.binomial(links, quality[:, None])
        halves.append(np.stack([links, right, right, np.broadcast_to(sure, links.shape)], axis=-1))
    return halves[0], halves[1]


@checking
def check_choice(candidate: object) -> Report:
    """Does ``candidate(validation, test)`` choose a head on validation, and give it with its error rate on the test?"""
    cases = [head_counts()]
    for turned in (np.array([2, 0, 3, 1]), np.array([3, 2, 1, 0])):
        cases.append(tuple(half[turned] for half in cases[0]))
    cases.append((cases[0][0][:, :3], cases[0][1][:, 5:25]))
    for validation, test in cases:
        head, rate = expect_parts(attempt(candidate, validation, test), ("the head", "its error rate"))
        head, rate = expect_number(head, "the head"), expect_number(rate, "the error rate")
        on_validation, on_test = error_rates(validation), error_rates(test)
        best = int(on_validation.argmin())
        if head == best and math.isclose(rate, on_test[best], abs_tol=1e-9):
            continue
        each = lambda half: 1 - (half[..., 1] + half[..., 2]) / (half[..., 0] + half[..., 3])  # noqa: E731
        both = error_rates(np.concatenate([validation, test], axis=1))
        peeked = "The head was chosen on the test. Its error rate there is then too good: choose it on validation."
        mistakes = [
            ((best, on_validation[best]), "This is the error rate on validation, where the head was chosen."),
            ((int(on_test.argmin()), on_test.min()), peeked),
            ((int(both.argmin()), on_test[both.argmin()]), "The test took part in the choice of the head."),
            ((int(on_validation.argmax()), on_test[on_validation.argmax()]), "An error rate is better if it is lower."),
            ((best, each(test).mean(axis=1)[best]), "Links are summed over the sentences before they are divided."),
            ((best, 1 - on_test[best]), "That is 1 less the error rate."),
        ]
        same = lambda got, wrong: eq(got[0], wrong[0]) and math.isclose(got[1], wrong[1], abs_tol=1e-9)  # noqa: E731
        hint = recognise((head, rate), mistakes, same)
        raise NotYet(
            hint or f"It gives head {head:g} with {rate:.4f}; it should be head {best} with {on_test[best]:.4f}."
        )
    return Report(True, "The head was chosen where nobody reports, and reported where nobody chose.")
