"""Checks for *Where translators fail*: an interval, kappa, what a program's signs find and what they let pass."""

import math
import random
import re

from ...data.failures import SIGNS, missing_names, missing_numbers, repeated, short
from ...studies.verdict.agreement import cohens_kappa
from ..answers import each_answer
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_number

_HALF = 1.96 * math.sqrt(0.65 * 0.35 / 100)
_SHARE = {
    "half": (
        100 * _HALF,
        {
            100 * _HALF / 1.96: "that is one standard deviation; the interval goes 1.96 of them to each side",
            200 * _HALF: "that is the whole width; give what stands behind the ±",
            _HALF: "give it in points of a hundred, as the table does",
            1.96 * math.sqrt(65 * 35): "the variance of a share is divided by the number of sentences",
            19.6 * math.sqrt(65 * 35 / 100): "multiply by 100 once",
        },
    ),
    "needed": (
        0.65 * 0.35 * (1.96 / 0.03) ** 2,
        {
            0.65 * 0.35 * (1 / 0.03) ** 2: "three points are to be 1.96 standard deviations, not one",
            100 * _HALF / 0.03: "the half width falls with the root of the number of sentences, not with the number",
            0.65 * 0.35 * 1.96 / 0.03: "take the square: the half width falls with the root of the number",
            4 * 0.65 * 0.35 * (1.96 / 0.03) ** 2: "three points to each side, not three in all",
        },
    ),
}


@checking
def check_share(predictions: object) -> Report:
    """Is this the half width of a share of 65 in 100, and the number of sentences that makes it three points?"""
    answers = dict(each_answer(predictions, _SHARE, "a number for each of", open_name=None))
    if not isinstance(answers["needed"], type(...)):
        needed = expect_number(answers["needed"], "needed")
        if abs(needed - _SHARE["needed"][0]) < 12:  # rounded, up or down, or with 2 for 1.96 left to `half`
            answers["needed"] = _SHARE["needed"][0]
        else:  # a known mistake, rounded to whole sentences
            answers["needed"] = next((wrong for wrong in _SHARE["needed"][1] if abs(needed - wrong) < 1), needed)
    expect_predictions(answers, _SHARE, tolerance=0.06)
    return Report(True, "A third of the width costs about ten times the reading: the width falls with the root.")


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


CASES = {
    "a": ("The boat is old and the sail is new.", "El barco es viejo y el barco es viejo."),
    "b": ("Please call Marta before 17:30.", "Por favor, llama antes de las 17:30."),
    "c": ("The boat is not for sale.", "El barco está en venta."),
    "d": ("We stayed at home because the road to the harbor was closed.", "Nos quedamos en casa."),
    "e": ("The fisherman sold 120 crabs.", "El pescador vendió 12 cangrejos."),
}
"""Five sentences and their translations; each shows one sign, or none."""
_FOUND = {"a": "repeated", "b": "name", "c": "none", "d": "short", "e": "number"}
_WHY = {
    "a": "two runs of three words come back",
    "b": "the 17:30 is there; look for a word with a capital",
    "c": "the translation says the opposite, but no program has complained of a missing *not*",
    "d": "count the words of both: 4 of 12",
    "e": "compare the digits of both",
}


@checking
def check_signs(answers: object) -> Report:
    """Is this the sign that each of `CASES` shows, ``"none"`` if it shows none?"""
    known = [*SIGNS, "none"]
    for name, answer in each_answer(answers, CASES, "the name of a sign for each of"):
        if not isinstance(answer, str) or answer not in known:
            raise NotYet(f"({name}) must be one of {', '.join(known)}.")
        if answer != _FOUND[name]:
            raise NotYet(f"({name}) is not {answer}: {_WHY[name]}.")
    return Report(True, "All five. The worst translation of the five is the one without a sign.")


SOURCE = "At 14:30 the two boats left the harbor, and Marta waved to the sailors from the window of her room."
RIGHT = "A las 14:30 los dos barcos salieron del puerto, y Marta saludó a los marineros desde la ventana de su cuarto."
_ALLOWED = {"las", "los", "dos", "del", "desde", "marta"}


@checking
def check_silent(translation: object) -> Report:
    """Does this "translation" of `SOURCE` share no longer word with the right one, and show no sign all the same?"""
    if not isinstance(translation, str):
        raise NotYet("Give the translation as a string.")
    said = [word.lower() for word in re.findall(r"[^\W\d_]+", translation)]
    if not said:
        raise NotYet("There is no word in it yet.")
    right = {word.lower() for word in re.findall(r"[^\W\d_]+", RIGHT)}
    kept = [word for word in said if len(word) > 2 and word in right - _ALLOWED]
    if kept:
        raise NotYet(f"It has “{kept[0]}”, which is a word of the right translation.")
    english = {word.lower() for word in re.findall(r"[^\W\d_]+", SOURCE)} - {"marta"}
    if left := [word for word in said if len(word) > 2 and word in english]:
        raise NotYet(f"“{left[0]}” is a word of the English sentence: write Spanish.")
    if any(len(word) == 1 and word not in "aeouy" for word in said):
        raise NotYet("Write words, not single letters.")
    for sign, find in (("repeated", repeated), ("short", short), ("number", missing_numbers), ("name", missing_names)):
        if found := find(SOURCE, translation):
            raise NotYet(f"It shows the sign “{SIGNS[sign]}”: {', '.join(found)}.")
    return Report(True, "No sign of the four, and nothing of what the sentence says.")
