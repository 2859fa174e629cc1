"""The checks of *N-grams* on right answers and on wrong ones, each of which they must name."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from attention_book.checks.before.ngrams import check_fair_perplexity, check_shares, check_witten_bell

from ..diagnosis import diagnosis

SHARES = {"a": 1 / 36, "b": 7 / 18, "c": 55 / 252}


def witten_bell(following, lower):
    total, kinds = sum(following.values()), len(following)
    if not following:
        return lower
    return {word: (following.get(word, 0) + kinds * p) / (total + kinds) for word, p in lower.items()}


def fair_perplexity(model, sentences, words, divide=None):
    unknown = len(words - set(model.vocabulary)) if divide is None else divide
    surprises = []
    for sentence in sentences:
        for context, word in model.events(sentence):
            p = model.prob(word, context)
            surprises.append(-math.log(p / unknown if word == "<unk>" else p))
    return math.exp(sum(surprises) / len(surprises))


def test_the_right_answers_pass():
    assert check_shares(SHARES)
    assert check_shares({"a": Fraction(1, 36), "b": Fraction(7, 18), "c": Fraction(55, 252)})
    assert check_witten_bell(witten_bell)
    assert check_fair_perplexity(fair_perplexity)


def test_the_predicted_shares_are_those_of_fractions():
    """Counted anew here: the pairs of words in three sentences."""
    sentences = [["<s>", *s.split(), "</s>"] for s in ("I like cats", "I like dogs", "cats like fish")]
    follow = Counter(pair for s in sentences for pair in pairwise(s))
    before = Counter(word for s in sentences for word in s[:-1])
    for letter, asked in (("a", [["<s>", "cats", "like", "cats", "</s>"]]), ("b", sentences)):
        products = [math.prod(Fraction(follow[pair], before[pair[0]]) for pair in pairwise(s)) for s in asked]
        assert SHARES[letter] == pytest.approx(float(sum(products)))
    ones = Counter(word for s in sentences for word in s[1:])
    dogs = (ones["dogs"] + len(ones) * Fraction(1, len(ones) + 1)) / (sum(ones.values()) + len(ones))
    kinds = len([pair for pair in follow if pair[0] == "like"])
    assert SHARES["c"] == pytest.approx(float((follow["like", "dogs"] + kinds * dogs) / (before["like"] + kinds)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": ...}, "(a) is still to be predicted"),
        ({"a": 1 / 18}, "the sentence ends"),
        ({"b": 1}, "other ways"),
        ({"b": 11 / 18}, "*not* one of the three"),
        ({"b": 1 / 729}, "are added"),
        ({"b": 1 / 2}, "ends after *cats*"),
        ({"b": 4 / 9}, "*cats like fish*"),
        ({"b": 5 / 9}, "each of the two"),
        ({"c": 1 / 3}, "bare share"),
        ({"c": 5 / 24}, "smoothed too"),
        ({"c": 1 / 3}, "T(like) = 3 more words"),
        ({"c": 5 / 21}, "not 1/7"),
        ({"c": "55/252"}, "to be one number"),
        ({"b": 13 / 315}, "(b) is not"),
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


def only_where_something_came(following, lower):
    total, kinds = sum(following.values()), len(following)
    return {word: (following.get(word, 0) + kinds * p) / (total + kinds) for word, p in lower.items()}


def by_fractions(following, lower):
    if not following:
        return {w: Fraction(p) for w, p in lower.items()}
    total, kinds = sum(following.values()), len(following)
    return {w: (following.get(w, 0) + kinds * Fraction(p)) / (total + kinds) for w, p in lower.items()}


def by_loop(following, lower):
    result = Counter(following or lower)
    if not following:
        return dict(result)
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
        (only_where_something_came, "is empty, and the shorter context speaks alone; yours divides by 0"),
        (lambda f, low: witten_bell(f, low) if f else dict.fromkeys(low, 0.0), "speaks alone: at "),
        (lambda f, low: witten_bell(f, low) if f else dict.fromkeys(low, 1 / len(low)), "speaks alone: at "),
        (lambda f, low: witten_bell(f, low) if f else {}, "After *a context that never came* there is no probability"),
        (lambda f, low: witten_bell(f, low) if max(f) else 0, "ValueError"),
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
