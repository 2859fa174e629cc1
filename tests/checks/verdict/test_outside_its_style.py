"""The checks of *Outside its style* take every right answer and name what is wrong with the others."""

import re

import numpy as np
import pytest

from attention_book.checks.verdict import outside_its_style as checks
from attention_book.data.failures import signs, words

from ..diagnosis import diagnosis

SIGNS = {"a": "repeated", "b": "name", "c": "none", "d": "short", "e": "number"}
SILENT = "Marta come 14:30 panes azules mientras sus tíos cantan, bailan, lloran o duermen bajo aquel árbol tan grande."


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


def by_words(source, translation):
    said = re.findall(r"[\w']+", source.lower())
    negated = any(word in {"not", "never", "cannot"} or word.endswith("n't") for word in said)
    return negated and not set(re.findall(r"\w+", translation.lower())) & set(checks.SPANISH)


def by_patterns(source, translation):
    spanish = "|".join(checks.SPANISH)
    negated = re.search(r"\b(not|never|cannot|\w+n't)\b", source, re.I)
    return np.bool_(bool(negated) and not re.search(rf"\b({spanish})\b", translation, re.I))


@pytest.mark.parametrize("right", [by_words, by_patterns])
def test_a_sign_for_a_lost_not_passes(right):
    assert checks.check_lost_not(right)


def of_words(english, spanish=checks.SPANISH, lower=str.lower, ending="n't"):
    def wrong(source, translation):
        said = re.findall(r"[\w']+", lower(source))
        negated = any(word in english or bool(ending and word.endswith(ending)) for word in said)
        return negated and not set(re.findall(r"\w+", lower(translation))) & set(spanish)

    return wrong


ENGLISH = {"not", "never", "cannot"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda source, translation: "not" in source and "no" not in translation, "capitals do not matter"),
        (lambda source, translation: "not" in source.lower() and "no" not in translation.lower(), "of *not*"),
        (lambda source, translation: by_words(source, translation) and "no" not in translation, "letters of *no*"),
        (lambda source, translation: by_words(source, translation) and "sin" not in translation, "letters of *sin*"),
        (of_words({"not", "cannot"}), "*never* is a negation"),
        (of_words({"not", "never"}), "*cannot* is one word"),
        (of_words(ENGLISH, {"no"}), "*nunca* carries"),
        (of_words(ENGLISH, {"no", "nunca", "jamás"}), "*nadie* carries"),
        (of_words(ENGLISH, ending=""), "ends in *n't*"),
        (of_words(ENGLISH, ending="nt"), "ends in *n't*"),
        (of_words(ENGLISH | {"ant"}), "not in *n't*"),
        (of_words(ENGLISH | {"nobody"}), "none of the words that were named"),
        (of_words(ENGLISH | {"open"}), "no negation"),
        (of_words(ENGLISH, lower=str), "capitals do not matter"),
        (of_words(ENGLISH, {*checks.SPANISH} - {"sin", "jamás"}), "whatever else is wrong"),
        (lambda source, translation: not by_words(source, translation), "*not* is gone"),
        (lambda source, translation: None, "returned None"),
        (lambda source, translation: 1, "True or False"),
    ],
)
def test_a_sign_for_a_lost_not_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_lost_not(wrong))
