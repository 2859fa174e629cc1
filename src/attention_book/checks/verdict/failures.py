"""Checks for *Where translators fail*: an interval, kappa, and verdicts that agree without it."""

import math
import random

from ...studies.verdict.agreement import cohens_kappa
from ..answers import each_answer
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_number

_HALF = 1.96 * math.sqrt(0.8 * 0.2 / 100)
_SHARE = {
    "half": (
        100 * _HALF,
        {
            100 * _HALF / 1.96: "that is one standard deviation; the interval goes 1.96 of them to each side",
            200 * _HALF: "that is the whole width; give what stands behind the ±",
            _HALF: "give it in points of a hundred, as the table does",
            1.96 * math.sqrt(80 * 20): "the variance of a share is divided by the number of sentences",
        },
    ),
    "needed": (
        0.8 * 0.2 * (1.96 / 0.02) ** 2,
        {
            0.8 * 0.2 * (1 / 0.02) ** 2: "two points are to be 1.96 standard deviations, not one",
            100 * _HALF / 0.02: "the half width falls with the root of the number of sentences, not with the number",
            0.8 * 0.2 * 1.96 / 0.02: "take the square: the half width falls with the root of the number",
            4 * 0.8 * 0.2 * (1.96 / 0.02) ** 2: "two points to each side, not two in all",
        },
    ),
}


@checking
def check_share(predictions: object) -> Report:
    """Is this the half width of a share of 80 in 100, and the number of sentences that makes it two points?"""
    answers = dict(each_answer(predictions, _SHARE, "a number for each of", open_name=None))
    if not isinstance(answers["needed"], type(...)):
        needed = expect_number(answers["needed"], "needed")
        if abs(needed - _SHARE["needed"][0]) < 16:  # rounded, up or down, or from a rounded `half`
            answers["needed"] = _SHARE["needed"][0]
        else:  # a known mistake, rounded to whole sentences
            answers["needed"] = next((wrong for wrong in _SHARE["needed"][1] if abs(needed - wrong) < 1), needed)
    expect_predictions(answers, _SHARE, tolerance=0.06)
    return Report(True, "A quarter of the width costs about sixteen times the reading: the width falls with the root.")


def _blind(first: list[str], second: list[str]) -> float:
    return sum((first.count(v) / len(first)) * (second.count(v) / len(second)) for v in set(first))


@checking
def check_kappa(candidate: object) -> Report:
    """Does ``candidate(first, second)`` give Cohen's kappa of two lists of verdicts?"""
    rng = random.Random(3)
    for verdicts, n, noise in (("ab", 10, 0.2), ("abcd", 40, 0.3), ("abcde", 25, 0.9), ("abc", 30, 0.0)):
        first = [rng.choice(verdicts) for _ in range(n)]
        second = [rng.choice(verdicts + verdicts[0]) if rng.random() < noise else one for one in first]
        right = cohens_kappa(first, second)
        got = expect_number(attempt(candidate, first, second), "kappa")
        if agrees(got, right):
            continue
        agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
        expected = _blind(first, second)
        k = len(set(first) | set(second))
        own = sum((first.count(v) / n) ** 2 for v in set(first))
        pooled = sum(((first.count(v) + second.count(v)) / (2 * n)) ** 2 for v in {*first, *second})
        mistakes = {
            "That is the share of agreement; kappa takes off what chance would give.": agreed,
            "Divide by what chance leaves to win, 1 − p_e.": agreed - expected,
            "Chance is taken as one over the number of verdicts; use how often each reading gives each of them.": (
                (agreed - 1 / k) / (1 - 1 / k)
            ),
            "That is p_e, what chance would give.": expected,
            "Chance is taken from the first reading alone; multiply its shares by those of the second.": (
                (agreed - own) / (1 - own)
            ),
            "Both readings are pooled (Scott's pi); multiply the shares of the first by those of the second.": (
                (agreed - pooled) / (1 - pooled)
            ),
            "Agreements are counted, not their share.": (agreed * n - expected) / (1 - expected),
            "Divide by 1 − p_e, not by p_e.": (agreed - expected) / expected,
        }
        told = recognise(got, mistakes)
        raise NotYet(told or f"For {n} things and {k} verdicts kappa is {right:.4f}, not {got:.4f}.")
    return Report(True, "Kappa of four pairs of readings, from full agreement to hardly any.")


_VERDICTS, _PLACES, _AGREED = ("right", "wrong"), 20, 18


@checking
def check_lopsided(first: object, second: object) -> Report:
    """Do two lists of 20 verdicts agree in 18 places and have a kappa below 0?"""
    for name, verdicts in (("first", first), ("second", second)):
        if not isinstance(verdicts, list | tuple):
            raise NotYet(f"Give the {name} reader's verdicts as a list.")
        if len(verdicts) != _PLACES:
            raise NotYet(f"The {name} reader has {len(verdicts)} verdicts; give {_PLACES}.")
        if odd := [one for one in verdicts if one not in _VERDICTS]:
            raise NotYet(f'The {name} reader says {odd[0]!r}; each verdict is "right" or "wrong".')
    agreed = sum(a == b for a, b in zip(first, second, strict=True))
    if agreed != _AGREED:
        raise NotYet(f"They agree in {agreed} places; let them agree in {_AGREED}.")
    kappa, chance = cohens_kappa(list(first), list(second)), _blind(list(first), list(second))
    if abs(kappa) < 1e-9:
        raise NotYet(
            "Kappa is 0: one of them says the same of all, so chance explains everything. A little less is asked."
        )
    if kappa > 0:
        raise NotYet(
            f"Kappa is {kappa:.2f}: blindly they would agree in a share of {chance:.2f}. Let chance give more."
        )
    return Report(
        True,
        f"They agree in {agreed} of {_PLACES}, and blindly they would in {_PLACES * chance:.1f}: kappa is {kappa:.2f}.",
    )
