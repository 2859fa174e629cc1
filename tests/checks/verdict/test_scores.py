"""The checks of *How good is it?* on right answers and on wrong ones, each of which they must name."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from attention_book.checks.verdict.scores import check_corpus_bleu, check_counts, check_no_word
from attention_book.translation.ngram_scores import bleu, brevity, runs_found

from ..diagnosis import diagnosis

RIGHT = {"a": 5 / 6, "b": 3 / 5, "c": 1 / 4, "d": 0, "e": 0}


def test_right_predictions_pass():
    assert check_counts(RIGHT)
    assert check_counts(RIGHT | {"a": Fraction(5, 6), "b": np.float64(0.6), "d": 0.0})
    assert check_counts(RIGHT | {"a": 0.833})


@pytest.mark.parametrize(
    ("letter", "wrong", "said"),
    [
        ("a", 1, "translation's words"),
        ("a", 4 / 5, "full stop is a word"),
        ("a", 5, "divide by how many"),
        ("a", 2 / 3, "full stop is found"),
        ("b", 3 / 4, "translation's runs"),
        ("b", 2 / 5, "full stop is found"),
        ("b", 4 / 5, "is not a run"),
        ("c", 1 / 3, "translation's runs"),
        ("c", 0, "end of the sentence"),
        ("d", 1 / 3, "has *mucho* in it"),
        ("e", 37.99, "sacreBLEU"),
        ("e", 38, "sacreBLEU"),
        ("e", 50, "(e) is not 50"),
        ("e", ..., "still to be predicted"),
    ],
)
def test_wrong_predictions_are_named(letter, wrong, said):
    assert said in diagnosis(check_counts(RIGHT | {letter: wrong}))


def test_the_predictions_are_what_the_package_counts():
    translation, reference = ["Me", "gustan", "mucho", "los", "gatos", "."], ["Me", "gustan", "los", "gatos", "."]
    shares = [np.mean(runs_found(translation, reference, n)) for n in (1, 2, 3, 4)]
    assert [*shares, bleu(translation, reference)] == pytest.approx(list(RIGHT.values()))


def counts(pairs):
    for n in (1, 2, 3, 4):
        found = [hit for one, two in pairs for hit in runs_found(one, two, n)]
        yield sum(found), len(found)


def corpus_bleu(pairs):
    translated, wanted = sum(len(one) for one, _ in pairs), sum(len(two) for _, two in pairs)
    product = math.prod(hits / runs for hits, runs in counts(pairs))
    return 100 * brevity(translated, wanted) * product**0.25


def by_sacrebleu(pairs):
    mine, theirs = ([" ".join(words) for words in side] for side in zip(*pairs, strict=True))
    return BLEU(tokenize="none", smooth_method="none").corpus_score(mine, [theirs]).score


def unclipped(pairs):
    product = 1.0
    for n in (1, 2, 3, 4):
        runs = lambda words: [words[i : i + n] for i in range(len(words) - n + 1)]  # noqa: B023, E731
        hits = [run in runs(two) for one, two in pairs for run in runs(one)]
        product *= sum(hits) / len(hits)
    return 100 * brevity(*lengths(pairs)) * product**0.25


def lengths(pairs):
    return sum(len(one) for one, _ in pairs), sum(len(two) for _, two in pairs)


def mean_product(pairs):
    return math.prod(hits / runs for hits, runs in counts(pairs)) ** 0.25


def test_right_corpus_scores_pass():
    assert check_corpus_bleu(corpus_bleu)
    assert check_corpus_bleu(by_sacrebleu)
    assert check_corpus_bleu(lambda pairs: np.array(corpus_bleu(pairs)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda pairs: sum(bleu(*pair) for pair in pairs) / len(pairs), "mean of the sentences' scores"),
        (lambda pairs: 100 * mean_product(pairs), "brevity penalty is missing"),
        (
            lambda pairs: 100 * mean_product(pairs) * np.mean([brevity(len(a), len(b)) for a, b in pairs]),
            "mean of the sentences' brevity",
        ),
        (lambda pairs: corpus_bleu(pairs) / 100, "goes up to 100"),
        (
            lambda pairs: 100 * brevity(*lengths(pairs)) * np.mean([h / r for h, r in counts(pairs)]),
            "fourth root is taken",
        ),
        (lambda pairs: 100 * brevity(*lengths(pairs)) * mean_product(pairs) ** 4, "fourth root is missing"),
        (
            lambda pairs: 100 * math.exp(1 - lengths(pairs)[1] / lengths(pairs)[0]) * mean_product(pairs),
            "is rewarded",
        ),
        (lambda pairs: 100 * brevity(*lengths(pairs)[::-1]) * mean_product(pairs), "below the bar"),
        (unclipped, "found more than once"),
        (lambda pairs: 50.0, "should give"),
        (lambda pairs: bleu(*pairs[0]), "should give"),
        (lambda pairs: None, "`return` missing"),
        (lambda pairs: "50", "one number"),
    ],
)
def test_wrong_corpus_scores_are_named(wrong, said):
    assert said in diagnosis(check_corpus_bleu(wrong))


@pytest.mark.parametrize("right", ["Megustan losgatos", "Mee gustann loss gatoss", "me gustanlos gato"])
def test_translations_without_a_right_word_pass(right):
    assert check_no_word(right)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("Me gustan los gatos", "“Me”"),
        ("te gustan las gatas", "“gustan”"),
        ("Yo adoro a mi perro", "its chrF is"),
        ("", "no word"),
        ("   ", "no word"),
        (["Megustan", "losgatos"], "as a string"),
        ("gato", "its chrF is"),
        ("los, perros", "“los”"),
    ],
)
def test_translations_with_a_right_word_or_too_low_a_score_are_named(wrong, said):
    assert said in diagnosis(check_no_word(wrong))
