"""The checks of *Counting and regression* on the right answer and on wrong ones, each of which they must name."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from attention_book.checks.before.counting import (
    check_em_round,
    check_fair_perplexity,
    check_same_to_model_one,
    check_shares,
    check_two_directions,
    check_witten_bell,
)

from ..diagnosis import diagnosis

SHARES = {"a": 1 / 36, "b": 0, "c": 55 / 252, "d": 8 / 9}


def witten_bell(following, lower):
    total, kinds = sum(following.values()), len(following)
    return {word: (following.get(word, 0) + kinds * p) / (total + kinds) for word, p in lower.items()}


def fair_perplexity(model, sentences, words, divide=None):
    unknown = len(words - set(model.vocabulary)) if divide is None else divide
    surprises = []
    for sentence in sentences:
        for context, word in model.events(sentence):
            p = model.prob(word, context)
            surprises.append(-math.log(p / unknown if word == "<unk>" else p))
    return math.exp(sum(surprises) / len(surprises))


def em_round(pairs, t, side=1):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            total = sum(t[word, given] for given in x)
            for given in x:
                counts[word, given] += t[word, given] / total
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] for cell, count in counts.items()}


def two_directions(forward, backward):
    turned = {(i, j) for j, i in backward}
    return forward & turned, forward | turned


def test_the_right_answers_pass():
    assert check_shares(SHARES)
    assert check_shares({"a": Fraction(1, 36), "b": 0, "c": Fraction(55, 252), "d": Fraction(8, 9)})
    assert check_witten_bell(witten_bell)
    assert check_fair_perplexity(fair_perplexity)
    assert check_em_round(em_round)
    assert check_two_directions(two_directions)
    assert check_same_to_model_one("I like cats, and you like dogs.", "You like cats, and I like dogs.")


def test_the_predicted_shares_are_those_of_fractions():
    """Counted anew here: three sentences, and four rounds over the three doors."""
    sentences = [["<s>", *s.split(), "</s>"] for s in ("I like cats", "I like dogs", "cats like fish")]
    follow = Counter(pair for s in sentences for pair in pairwise(s))
    before = Counter(word for s in sentences for word in s[:-1])
    product = Fraction(1)
    for pair in pairwise(["<s>", "cats", "like", "cats", "</s>"]):
        product *= Fraction(follow[pair], before[pair[0]])
    assert SHARES["a"] == pytest.approx(float(product))
    ones = Counter(word for s in sentences for word in s[1:])
    dogs = (ones["dogs"] + len(ones) * Fraction(1, len(ones) + 1)) / (sum(ones.values()) + len(ones))
    kinds = len([pair for pair in follow if pair[0] == "like"])
    assert SHARES["c"] == pytest.approx(float((follow["like", "dogs"] + kinds * dogs) / (before["like"] + kinds)))
    doors = [("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros")]
    doors = [(x.split(), y.split()) for x, y in doors]
    t = {(word, given): Fraction(1, 3) for x in ("cats", "dogs", "birds") for given in [x] for word in
         ("gatos", "perros", "pájaros")}  # fmt: skip
    for _ in range(4):
        t = em_round(doors, t)
    assert SHARES["d"] == pytest.approx(float(t["gatos", "cats"]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": ...}, "(a) is still to be predicted"),
        ({"a": 1 / 18}, "the sentence ends"),
        ({"b": 1 / 18}, "no sentence begins with *dogs*"),
        ({"c": 1 / 3}, "bare share"),
        ({"c": 5 / 24}, "smoothed too"),
        ({"d": 0.8}, "after three rounds"),
        ({"d": 16 / 17}, "one other word in place of two"),
        ({"c": 1 / 3}, "T(like) = 3 more words"),
        ({"c": 5 / 21}, "not 1/7"),
        ({"b": 13 / 315}, "here there is none"),
        ({"d": Fraction(2, 3)}, "after two rounds"),
        ({"d": "8/9"}, "to be one number"),
    ],
)
def test_a_wrong_share_is_recognised(change, said):
    assert said in diagnosis(check_shares(SHARES | change))


def kinds_forgotten(following, lower):
    total = sum(following.values())
    return {word: (following.get(word, 0) + len(following) * p) / total for word, p in lower.items()}


def over_vocabulary(following, lower):
    total, kinds = sum(following.values()), len(following)
    return {word: (following.get(word, 0) + kinds * p) / (total + len(lower)) for word, p in lower.items()}


def by_rote(following, lower):
    """Right for the three sentences of the page, whose contexts have at most three words of at most three kinds."""
    right = witten_bell(following, lower)
    return right if "like" in lower else {word: 1 / len(lower) for word in lower}


def by_fractions(following, lower):
    total, kinds = sum(following.values()), len(following)
    return {w: (following.get(w, 0) + kinds * Fraction(p)) / (total + kinds) for w, p in lower.items()}


def by_loop(following, lower):
    result = Counter(following)
    kinds = sum(1 for _ in following)
    for word in lower:
        result[word] = (result[word] + kinds * lower[word]) / (kinds + sum(following.values()))
    return result


@pytest.mark.parametrize("right", [by_fractions, by_loop])
def test_smoothing_of_other_kinds_passes(right):
    report = check_witten_bell(right)
    assert report, report.message


def all_for_kinds(following, lower):
    total = sum(following.values())
    return {word: (following.get(word, 0) + total * p) / (2 * total) for word, p in lower.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, low: {w: c / sum(f.values()) for w, c in f.items()}, "no probability of"),
        (lambda f, low: {w: f.get(w, 0) / sum(f.values()) for w in low}, "bare shares"),
        (kinds_forgotten, "below the bar"),
        (all_for_kinds, "*different* words"),
        (lambda f, low: {w: (f.get(w, 0) + 1) / (sum(f.values()) + len(low)) for w in low}, "add-one"),
        (lambda f, low: {w: (f.get(w, 0) + len(f) / len(low)) / (sum(f.values()) + len(f)) for w in low}, "evenly"),
        (lambda f, low: dict(low), "at "),
        (lambda f, low: dict.fromkeys(low, 0.5), "they sum to"),
        (lambda f, low: 0.5, "Expected a dictionary"),
        (over_vocabulary, "size of the vocabulary in place of T"),
        (lambda f, low: {w: witten_bell(f, low)[w] for w in f}, "no probability of"),
        (lambda f, low: dict.fromkeys(low, ...), "to be one number"),
        (by_rote, "at "),
    ],
)
def test_a_wrong_smoothing_is_recognised(wrong, said):
    assert said in diagnosis(check_witten_bell(wrong))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda model, sentences, words: model.perplexity(sentences), "as if it had been named"),
        (lambda model, sentences, words: fair_perplexity(model, sentences, words, len(words)), "divided by all words"),
        (
            lambda model, sentences, words: fair_perplexity(
                model, sentences, words, 1 / len(words - set(model.vocabulary))
            ),
            "multiplied",
        ),
        (lambda model, sentences, words: 7.0, "gets 7 and should get"),
        (lambda *given: math.log(fair_perplexity(*given)), "its exponential is asked for"),
        (lambda *given: fair_perplexity(*given) ** (sum(map(len, given[1])) / 2 + 1), "divide by the tokens"),
        (lambda *given: fair_perplexity(*given) ** (1 + 2 / sum(map(len, given[1]))), "`</s>` is a token too"),
        (lambda *given: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_perplexity_is_recognised(wrong, said):
    assert said in diagnosis(check_fair_perplexity(wrong))


def overwriting(pairs, t):
    counts, sums = {}, Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] = t[word, given] / sum(t[word, other] for other in x)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


def not_divided(pairs, t):
    counts = Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[word, other] for other in x)
    return counts


def shared_out_over_y(pairs, t):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[other, given] for other in y)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda pairs, t: em_round(pairs, t, side=0), "wrong side"),
        (overwriting, "overwrites"),
        (not_divided, "still to be divided"),
        (shared_out_over_y, "a word of x is shared out"),
        (lambda pairs, t: dict(t), "nothing has changed"),
        (lambda pairs, t: {cell: 2 * share for cell, share in em_round(pairs, t).items()}, "not to 1"),
        (lambda pairs, t: {}, "same keys"),
    ],
)
def test_a_wrong_round_is_recognised(wrong, said):
    assert said in diagnosis(check_em_round(wrong))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, b: (f & b, f | b), "turn it first"),
        (lambda f, b: two_directions(f, b)[::-1], "exchanged"),
        (lambda f, b: tuple({(j, i) for i, j in part} for part in two_directions(f, b)), "gold links are (x, y)"),
        (lambda f, b: (set(), two_directions(f, b)[1]), "the links of both are []"),
        (lambda f, b: (two_directions(f, b)[0], set(f)), "the links of either are [(0, 0), (1, 2), (3, 1)], expected"),
        (lambda f, b: (two_directions(f, b)[0], f | b), "the links of either are"),
        (lambda f, b: (*two_directions(f, b), f), "Expected 2 values"),
        (lambda f, b: (..., ...), "Expected two sets of links"),
        (lambda f, b: ([1, 2], [3]), "Expected two sets of links"),
        (lambda f, b: (len(f), len(b)), "Expected two sets of links"),
        (lambda f, b: f, "Expected 2 values"),
    ],
)
def test_wrong_directions_are_recognised(wrong, said):
    assert said in diagnosis(check_two_directions(wrong))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("I like cats.", "I like cats.", "one sentence"),
        ("I like cats.", "I like dogs.", "differ in their words"),
        ("I like cats.", "Cats I like.", "little language"),
        ("I like cats, and you like dogs.", "", "Give two"),
        ("I like cats, and you like dogs.", "You like dogs, and I like cats.", "clauses in another order"),
        ("I like cats, but you like dogs.", "You like dogs, but I like cats.", "clauses in another order"),
        ("I like cats, and you like dogs, and Tom eats.", "I like cats.", "little language"),
        ("I like cats, and you like dogs.", "You like cats, and you like dogs.", "differ in their words"),
        ("I like cats, and you like dogs.", "You like cats, but I like dogs.", "not only in the order: and, but"),
        (..., ..., "Give two"),
    ],
)
def test_sentences_that_are_not_the_same_to_model_one(first, second, said):
    report = check_same_to_model_one(first, second)
    assert not report
    assert said in report.message


@pytest.mark.parametrize("as_links", [set, frozenset, list, sorted, lambda links: [list(link) for link in links]])
def test_links_of_every_kind_pass(as_links):
    report = check_two_directions(lambda f, b: [as_links(part) for part in two_directions(f, b)])
    assert report, report.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("You like cats, and I like dogs.", "I like cats, and you like dogs."),
        ("Do you like cats, and do we like dogs?", "Do we like cats, and do you like dogs?"),
        ("I do not like cats, and I like dogs.", "I like cats, and I do not like dogs."),
    ],
)
def test_other_sentences_that_are_one_to_model_one_pass(first, second):
    report = check_same_to_model_one(first, second)
    assert report, report.message
