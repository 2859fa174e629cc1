"""Checks for *Where the winner loses*: a mixture of words, a column of the table of words, tokens against time."""

import random
from collections import Counter
from collections.abc import Sequence

from ..known_mistakes import near, predictions_check, refuse_number
from ..report import Report, attempt, checking, expect_number

FOUND = {"A": {"frequent": 75, "rare": 10}, "B": {"frequent": 60, "rare": 50}}
"""How many of a hundred words of each class two translators find."""
_LEVEL = {
    "a": (
        62,
        {
            85: "those are of a hundred words of each class; the test has 80 and 20",
            42.5: "the classes are not equally large",
            23: "the frequent words are 80, and the rare ones 20",
            58: "that is what B finds",
        },
    ),
    "b": (
        58,
        {
            110: "those are of a hundred words of each class; the test has 80 and 20",
            55: "the classes are not equally large",
            52: "the frequent words are 80, and the rare ones 20",
            62: "that is what A finds",
        },
    ),
    "level": (
        3 / 11,
        {
            8 / 11: "that is the share of the frequent words",
            3 / 8: "that is how many rare words come on one frequent word",
            300 / 11: "give it between 0 and 1",
            1 / 5: "there A is still ahead by 4",
            1 / 2: "there B is ahead",
        },
    ),
}


check_level = predictions_check(
    _LEVEL,
    2e-3,
    question="Are these what A and B find in a test of 80 and 20 words, and the share that makes them level?",
    praise="A leads by 15 on frequent words and trails by 40 on rare ones, so 40 to 15 is where the two cancel.",
)


Pairs = list[tuple[list[str], list[str]]]


@checking
def check_class_recall(candidate: object) -> Report:
    """Does ``candidate(pairs, counts, low, high)`` return the share of a class's words that the translations have?"""
    for seed, low, high in ((4, 0, 0), (1, 1, 5), (3, 6, 50), (2, 1, 5)):
        pairs, counts = _sentences(random.Random(seed))
        given = [(list(one), list(two)) for one, two in pairs]
        got = expect_number(attempt(candidate, given, Counter(counts), low, high), "the share")
        right = _share(pairs, counts, low, high)
        if abs(got - right) > 1e-9:
            where = f"For words that were shown {low} to {high} times"
            refuse_number(where, got, right, _mistakes(pairs, counts, low, high), near(abs_tol=1e-9))
    return Report(True, "Right for four tests: different words, added up over the sentences before they are divided.")


def _sentences(rng: random.Random) -> tuple[Pairs, Counter]:
    """Pairs of made-up words, some of which stand twice in a sentence, and how often training showed each word."""
    words = [f"{first}{second}" for first in "mlts" for second in ("a", "e", "o", "ar", "es", "in")]
    counts = Counter({word: rng.choice((1, 3, 5, 6, 20, 50, 900)) for word in words if rng.random() < 0.8})
    pairs = []
    for _ in range(12):
        reference = rng.choices(words, k=rng.randint(4, 9))
        translation = [word if rng.random() < 0.6 else rng.choice(words) for word in reference]
        pairs.append((translation, reference))
    return pairs, counts


def _share(pairs: Pairs, counts: Counter, low: int, high: int) -> float:
    wanted = [[word for word in set(two) if low <= counts[word] <= high] for _, two in pairs]
    return _pooled([one for one, _ in pairs], wanted)


def _pooled(translations: Sequence[list[str]], wanted: Sequence[Sequence[str]]) -> float:
    """The share of the wanted words that their translations have, over all sentences."""
    found = sum(word in one for one, words in zip(translations, wanted, strict=True) for word in words)
    return found / sum(map(len, wanted))


def _mistakes(pairs: Pairs, counts: Counter, low: int, high: int) -> list[tuple[str, float]]:
    """Shares that go wrong in a known way, with the reason for each."""
    translations = [one for one, _ in pairs]
    different = [[word for word in set(two) if low <= counts[word] <= high] for _, two in pairs]
    repeated = [[word for word in two if low <= counts[word] <= high] for _, two in pairs]
    edges = [[word for word in set(two) if low < counts[word] < high] for _, two in pairs]
    shares = [[_pooled([one], [words]) for one, words in zip(translations, some, strict=True) if words]
              for some in (different, repeated)]  # fmt: skip
    written = [[word for word in set(one) if low <= counts[word] <= high] for one in translations]
    mistakes = [
        ("A word that stands twice in a reference counts once.", _pooled(translations, repeated)),
        (
            "That is the mean of the sentences' shares: add up words first, and divide once.",
            sum(shares[0]) / len(shares[0]),
        ),
        (
            "Add up words first, and divide once; and a word that stands twice counts once.",
            sum(shares[1]) / len(shares[1]),
        ),
        (
            "The words are those of the references, and not those of the translations.",
            _pooled([two for _, two in pairs], written),
        ),
        (
            "That is how many are found; divide by how many there are.",
            _share(pairs, counts, low, high) * sum(map(len, different)),
        ),
        ("All words together have this share: keep those of the class alone.", _share(pairs, counts, 0, 10**9)),
    ]
    if any(edges):
        mistakes.append(("Both ends belong to the class.", _pooled(translations, edges)))
    return mistakes


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
