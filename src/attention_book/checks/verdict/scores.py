"""Checks for *How good is it?*: predicted counts, the BLEU of a corpus, a translation without a right word."""

import math
import random
import re

from ...translation.ngram_scores import bleu, brevity, chrf, runs_found
from ..known_mistakes import expect_predictions, near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number

_ENOUGH = 60
_NO_WORD = "Me gustan los gatos"
_COUNTS = {
    "a": (5 / 6, {1.0: "the share is of the translation's words, of which there are 6",
                  4 / 5: "the full stop is a word of its own, on both sides",
                  5.0: "that is how many are found; divide by how many the translation has",
                  2 / 3: "the full stop is found, too"}),
    "b": (3 / 5, {3 / 4: "the share is of the translation's runs, of which there are 5",
                  2 / 5: "the run of *gatos* and the full stop is found, too",
                  3.0: "that is how many are found; divide by how many the translation has",
                  4 / 5: "*gustan los* is not a run of the translation"}),
    "c": (1 / 4, {1 / 3: "the share is of the translation's runs, of which there are 4",
                  0.0: "look at the end of the sentence: the full stop is a word",
                  1.0: "that is how many are found; divide by how many the translation has"}),
    "d": (0.0, {1 / 3: "every run of four words has *mucho* in it"}),
    "e": (0.0, {38.0: "that is what sacreBLEU gives, which puts a small number in place of a share of 0",
                37.99: "that is what sacreBLEU gives, which puts a small number in place of a share of 0",
                1.0: "a factor of 0 makes the whole product 0"}),
}  # fmt: skip


@checking
def check_counts(predictions: object) -> Report:
    """Are the shares of runs found, and the BLEU, right? ``predictions`` holds a number for each letter."""
    expect_predictions(predictions, _COUNTS, 1e-3, known_within=6e-3)
    return Report(True, "One inserted word breaks every run that goes across it, so a right sentence can have BLEU 0.")


@checking
def check_corpus_bleu(candidate: object) -> Report:
    """Does ``candidate(pairs)`` return the BLEU of (translation, reference) pairs, each a list of words?"""
    rng = random.Random(3)
    sizes = [(6, 6), (9, 9), (14, 14)], [(11, 8), (9, 9)], [(12, 6), (7, 13)], [(5, 9), (12, 13)], [(3, 3), (9, 10)]
    cases = [_corpus(rng, of_one) for of_one in sizes]
    for pairs in cases:
        got = expect_number(attempt(candidate, [(list(one), list(two)) for one, two in pairs]), "the BLEU of a corpus")
        right = _corpus_bleu(pairs)
        if abs(got - right) < 1e-6:
            continue
        hint = recognise(got, _mistakes(pairs), near(abs_tol=1e-6))
        lengths = ", ".join(f"{len(one)} and {len(two)}" for one, two in pairs)
        where = f"For pairs of {lengths} words it gives {got:.4f} and should give {right:.4f}"
        raise NotYet(where + (f": {hint}." if hint else "."))
    return Report(True, "Counts and lengths are added over all sentences before anything is divided.")


@checking
def check_no_word(translation: object) -> Report:
    """Has a translation of *I like cats* no word of the reference, and a chrF of 60 or more all the same?"""
    if not isinstance(translation, str):
        raise NotYet("Give the translation as a string.")
    words = re.findall(r"\w+|[^\w\s]", translation)
    if not words:
        raise NotYet("There is no word in it yet.")
    shared = [word for word in words if word in _NO_WORD.split()]
    if shared:
        raise NotYet(f"It has “{shared[0]}”, which is a word of the reference, so BLEU finds a run of one word.")
    score = chrf(translation, _NO_WORD)
    if score < _ENOUGH:
        raise NotYet(f"BLEU finds nothing in it, but its chrF is {score:.1f}, and should be {_ENOUGH} or more.")
    return Report(True, f"BLEU finds no word of the reference, and chrF gives {score:.1f}.")


Pairs = list[tuple[list[str], list[str]]]


def _corpus(rng: random.Random, sizes: list[tuple[int, int]]) -> Pairs:
    """Pairs of a translation and a reference with these numbers of words, most of them alike and in one order."""
    pairs = []
    for translated, wanted in sizes:
        longest = [rng.choice("abcdefgh") for _ in range(max(translated, wanted))]
        translation, reference = longest[:translated], longest[:wanted]
        if len(translation) > 5:
            translation[rng.randrange(1, 3)] = rng.choice("aex")
        pairs.append((translation, reference))
    return pairs


def _sums(pairs: Pairs) -> list[tuple[int, int]]:
    found = [[runs_found(one, two, n) for one, two in pairs] for n in (1, 2, 3, 4)]
    return [(sum(map(sum, runs)), sum(map(len, runs))) for runs in found]


def _mean_of_logs(sums: list[tuple[int, int]]) -> float:
    return math.exp(sum(math.log(hits / runs) for hits, runs in sums) / 4)


def _lengths(pairs: Pairs) -> tuple[int, int]:
    return sum(len(one) for one, _ in pairs), sum(len(two) for _, two in pairs)


def _corpus_bleu(pairs: Pairs) -> float:
    return 100 * brevity(*_lengths(pairs)) * _mean_of_logs(_sums(pairs))


def _mistakes(pairs: Pairs) -> dict[str, float]:
    """What comes out of other ways to count."""
    sums, (translated, wanted) = _sums(pairs), _lengths(pairs)
    mean, short = _mean_of_logs(sums), brevity(translated, wanted)
    each = sum(brevity(len(one), len(two)) for one, two in pairs) / len(pairs)
    unclipped = []
    for n in (1, 2, 3, 4):
        runs = [(one[i : i + n], two) for one, two in pairs for i in range(len(one) - n + 1)]
        hits = sum(any(two[k : k + n] == run for k in range(len(two) - n + 1)) for run, two in runs)
        unclipped.append((hits, len(runs)))
    return {
        "that is the mean of the sentences' scores; add up the counts first": (
            sum(bleu(one, two) for one, two in pairs) / len(pairs)
        ),
        "the brevity penalty is missing": 100 * mean,
        "that is the mean of the sentences' brevity penalties; add up the lengths first": 100 * each * mean,
        "that is a share; BLEU goes up to 100": short * mean,
        "the four shares are multiplied, and the fourth root is taken": (
            100 * short * sum(hits / runs for hits, runs in sums) / 4
        ),
        "the fourth root is missing": 100 * short * mean**4,
        "a translation that is longer than its reference is rewarded; the penalty is at most 1": (
            100 * math.exp(1 - wanted / translated) * mean
        ),
        "in the brevity penalty the length of the translation stands below the bar": (
            100 * brevity(wanted, translated) * mean
        ),
        "a run of the reference is found more than once": 100 * short * _mean_of_logs(unclipped),
    }
