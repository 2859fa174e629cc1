"""The checks of *Where the winner loses* take every right answer and name what is wrong with the others."""

from collections import Counter
from fractions import Fraction

import pytest

from attention_book.checks.verdict import winner as checks

from ..diagnosis import diagnosis

LEVEL = {"a": 62, "b": 58, "level": Fraction(3, 11)}
TIME = {"a_minutes": 100, "b_minutes": 60, "b_tokens": 15}


def found(name, rare):
    return (1 - rare) * checks.FOUND[name]["frequent"] + rare * checks.FOUND[name]["rare"]


def test_the_mixture_passes_and_is_that_of_the_equation():
    assert checks.check_level(LEVEL) and checks.check_level(LEVEL | {"level": 0.273})
    assert found("A", Fraction(1, 5)) == LEVEL["a"] and found("B", Fraction(1, 5)) == LEVEL["b"]
    assert found("A", LEVEL["level"]) == found("B", LEVEL["level"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 85}, "of each class"),
        ({"a": 42.5}, "equally large"),
        ({"a": 23}, "the rare ones 20"),
        ({"a": 58}, "what B finds"),
        ({"b": 110}, "of each class"),
        ({"b": 55}, "equally large"),
        ({"b": 52}, "the rare ones 20"),
        ({"b": 62}, "what A finds"),
        ({"level": 0.727}, "of the frequent words"),
        ({"level": 0.375}, "on one frequent word"),
        ({"level": 27.2727}, "between 0 and 1"),
        ({"level": 0.2}, "ahead by 4"),
        ({"level": 0.5}, "B is ahead"),
        ({"level": 0.6}, "is not 0.6"),
        ({"level": ...}, "still to be predicted"),
    ],
)
def test_the_mixture_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_level(LEVEL | change))


def by_sets(pairs, counts, low, high):
    wanted = [{w for w in two if low <= counts[w] <= high} for _, two in pairs]
    return sum(len(w & set(one)) for w, (one, _) in zip(wanted, pairs, strict=True)) / sum(map(len, wanted))


def by_loop(pairs, counts, low, high):
    hits = []
    for one, two in pairs:
        hits += [word in one for word in dict.fromkeys(two) if low <= counts[word] <= high]
    return sum(hits) / len(hits)


def test_the_column_passes_however_it_is_computed_and_is_that_of_the_experiment():
    from attention_book.data.normalisation import Pair
    from attention_book.experiments.translator.vocabulary_sizes import word_recall

    assert checks.check_class_recall(by_sets) and checks.check_class_recall(by_loop)
    pair = Pair("I like the cat the cat", "me gusta el gato el gato", ())
    counts = Counter({"me": 9, "el": 9, "gato": 2})
    told = word_recall(["me gusta un gato"], [pair], counts, {"seen": [1, 5], "other": [0, 99]})["seen"]
    assert told == {"words": 1, "found": 1}
    assert by_sets([(["me", "gusta", "un", "gato"], pair.target.split())], counts, 1, 5) == 1


def as_often_written(pairs, counts, low, high):
    shares = []
    for translation, reference in pairs:
        words = [word for word in reference if low <= counts[word] <= high]
        shares.append(sum(word in translation for word in words) / len(words))
    return sum(shares) / len(shares)


def mean_of_shares(collect):
    def wrong(pairs, counts, low, high):
        kept = [([w for w in collect(two) if low <= counts[w] <= high], one) for one, two in pairs]
        shares = [sum(w in one for w in words) / len(words) for words, one in kept if words]
        return sum(shares) / len(shares)

    return wrong


def repeated(pairs, counts, low, high):
    hits = [word in one for one, two in pairs for word in two if low <= counts[word] <= high]
    return sum(hits) / len(hits)


def precision(pairs, counts, low, high):
    return by_sets([(two, one) for one, two in pairs], counts, low, high)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (as_often_written, "ZeroDivisionError"),
        (mean_of_shares(set), "mean of the sentences' shares"),
        (mean_of_shares(list), "and a word that stands twice"),
        (repeated, "counts once"),
        (precision, "not those of the translations"),
        (lambda p, c, low, high: by_sets(p, c, 0, 10**9), "All words together"),
        (
            lambda p, c, low, high: by_sets(p, c, low + 1, high - 1) if high > low else by_sets(p, c, low, high),
            "Both ends",
        ),
        (lambda p, c, low, high: 0.99, "and not"),
        (lambda *given: None, "returned None"),
        (0.5, "Expected a function"),
    ],
)
def test_the_column_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_class_recall(wrong))


def test_the_times_pass():
    assert checks.check_time(TIME) and checks.check_time({name: float(x) for name, x in TIME.items()})
    minutes = {name: checks.BUDGET / rate / 60 for name, rate in checks.RATES.items()}
    assert (minutes["A"], minutes["B"]) == (TIME["a_minutes"], TIME["b_minutes"])
    assert minutes["A"] * 60 * checks.RATES["B"] / 1e6 == TIME["b_tokens"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a_minutes": 6000}, "in seconds"),
        ({"a_minutes": 60}, "B's time"),
        ({"b_minutes": 1}, "in hours"),
        ({"b_minutes": 100}, "A's time"),
        ({"b_tokens": 9}, "its own hour"),
        ({"b_tokens": 5.4}, "A reads"),
        ({"b_tokens": 15_000_000}, "in millions"),
        ({"b_tokens": 7}, "is not 7"),
        ({"b_tokens": ...}, "still to be predicted"),
    ],
)
def test_the_times_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_time(TIME | change))
