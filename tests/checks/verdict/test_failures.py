"""The checks of *Where translators fail* take every right answer and name what is wrong with the others."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.verdict import failures as checks
from attention_book.data.failures import signs, words

from ..diagnosis import diagnosis

SHARE = {"half": 9.35, "needed": 971}
SIGNS = {"a": "repeated", "b": "name", "c": "none", "d": "short", "e": "number"}
SILENT = "Marta come 14:30 panes azules mientras sus tíos cantan, bailan, lloran o duermen bajo aquel árbol tan grande."


@pytest.mark.parametrize("answer", [SHARE, {"half": 9.3, "needed": 972}, {"half": 9.4, "needed": 971.07}])
def test_the_share_passes(answer):
    assert checks.check_share(answer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"half": 4.77}, "one standard deviation"),
        ({"half": 18.7}, "whole width"),
        ({"half": 0.0935}, "points of a hundred"),
        ({"half": 12}, "(half) is not 12"),
        ({"needed": 252.8}, "not one"),
        ({"needed": 311.6}, "falls with the root"),
        ({"needed": 312}, "falls with the root"),
        ({"needed": 15}, "take the square"),
        ({"needed": 14.863}, "take the square"),
        ({"needed": 3884.3}, "three points to each side"),
        ({"needed": 600}, "(needed) is not 600"),
        ({"half": ...}, "still to be predicted"),
        ({"needed": "many"}, "one number"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_the_share_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_share(SHARE | change))


def parts(first, second):
    n = len(first)
    a, b = Counter(first), Counter(second)
    return sum(x == y for x, y in zip(first, second, strict=True)) / n, sum(a[v] * b[v] for v in a) / n**2


def by_counter(first, second):
    agreed, expected = parts(first, second)
    return (agreed - expected) / (1 - expected)


def by_matrix(first, second):
    names = sorted({*first, *second})
    table = np.zeros((len(names), len(names)))
    for a, b in zip(first, second, strict=True):
        table[names.index(a), names.index(b)] += 1 / len(first)
    expected = table.sum(0) @ table.sum(1)
    return (np.trace(table) - expected) / (1 - expected)


def by_fractions(first, second):
    n = len(first)
    differ = Fraction(sum(a != b for a, b in zip(first, second, strict=True)), n)
    return 1 - differ / (1 - sum(Fraction(first.count(v) * second.count(v), n * n) for v in set(first)))


@pytest.mark.parametrize("right", [by_counter, by_matrix, by_fractions])
def test_kappa_passes(right):
    assert checks.check_kappa(right)


def of_parts(formula):
    return lambda first, second: formula(*parts(first, second))


def own_chance(first, second):
    agreed, _ = parts(first, second)
    own = sum(n * n for n in Counter(first).values()) / len(first) ** 2
    return (agreed - own) / (1 - own)


def pooled_chance(first, second):
    agreed, _ = parts(first, second)
    pooled = sum((n / 2 / len(first)) ** 2 for n in Counter([*first, *second]).values())
    return (agreed - pooled) / (1 - pooled)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (of_parts(lambda agreed, expected: agreed), "takes off what chance would give"),
        (pooled_chance, "Scott's pi"),
        (of_parts(lambda agreed, expected: agreed - expected), "what chance leaves to win"),
        (of_parts(lambda agreed, expected: (agreed - 0.5) / 0.5), "one over the number of verdicts"),
        (of_parts(lambda agreed, expected: expected), "That is p_e"),
        (own_chance, "first reading alone"),
        (of_parts(lambda agreed, expected: (10 * agreed - expected) / (1 - expected)), "not their share"),
        (of_parts(lambda agreed, expected: (agreed - expected) / expected), "not by p_e"),
        (lambda first, second: 0.123, "not 0.1230"),
        (lambda first, second: None, "returned None"),
        (lambda first, second: math.nan, "finite"),
    ],
)
def test_kappa_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_kappa(wrong))


def test_the_signs_pass_and_are_those_of_the_program():
    assert checks.check_signs(SIGNS)
    for name, (source, translation) in checks.CASES.items():
        found = signs(source, translation, {word.lower() for word in words(translation)})
        assert list(found) == ([] if SIGNS[name] == "none" else [SIGNS[name]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": "none"}, "three words come back"),
        ({"b": "number"}, "a word with a capital"),
        ({"c": "short"}, "says the opposite"),
        ({"d": "none"}, "4 of 12"),
        ({"e": "none"}, "compare the digits"),
        ({"e": "wrong"}, "must be one of repeated"),
        ({"e": 3}, "must be one of repeated"),
        ({"e": ...}, "still open"),
        ({"f": "none"}, "Give a dictionary"),
    ],
)
def test_the_signs_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_signs(SIGNS | change))


@pytest.mark.parametrize(
    "right",
    [
        SILENT,
        "Nadie sabe por qué Marta tiene 1430 gatos negros ni quién les compra leche fresca cada domingo.",
    ],
)
def test_a_silent_failure_passes(right):
    assert checks.check_silent(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("", "no word in it yet"),
        (None, "as a string"),
        (checks.RIGHT, "“barcos”"),
        (checks.SOURCE, "“the” is a word of the English sentence"),
        (SILENT + " Harbor.", "“harbor” is a word of the English sentence"),
        (SILENT + " Puerto.", "“puerto”"),
        (SILENT.replace("14:30 ", ""), "a number is missing”: 1430"),
        (SILENT.replace("Marta", "Ana"), "a name is missing”: Marta"),
        ("Marta come 14:30 panes azules.", "much shorter than the source”: 6 of 21"),
        (SILENT.replace("bailan", "cantan"), "says something twice”: cantan"),
        ("Marta 14:30 " + "x " * 20, "single letters"),
    ],
)
def test_a_silent_failure_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_silent(wrong))
