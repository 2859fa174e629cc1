"""The checks of *The noisy channel* on right answers and on wrong ones, each of which they must name."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from attention_book.checks.before.noisy_channel import check_products, check_same_to_model_one, check_search
from attention_book.counting.ibm1 import IBMModel1
from attention_book.counting.ngrams import NGramModel

from ..diagnosis import diagnosis

PRODUCTS = {"a": 1 / 9, "b": 0, "c": 11 / 168}
PHRASES = [("black cats", "gatos negros"), ("white cats", "gatos blancos"), ("black dogs", "perros negros")]


def test_the_predicted_products_are_those_of_the_models():
    phrases = [(x.split(), y.split()) for x, y in PHRASES]
    channel = IBMModel1([(y, x) for x, y in phrases]).fit(50)
    bare, smooth = (NGramModel([y for _, y in phrases], 2, kind) for kind in ("none", "witten-bell"))
    x, words = ["white", "dogs"], ["gatos", "perros", "negros", "blancos"]
    assert math.exp(channel.log_prob(["perros", "blancos"], x)) == pytest.approx(PRODUCTS["a"], abs=1e-6)
    products = {
        model: {y: math.exp(model.log_prob(y) + channel.log_prob(y, x)) for y in every(words, (1, 2, 3))}
        for model in (bare, smooth)
    }
    assert max(products[bare].values()) == pytest.approx(PRODUCTS["b"], abs=1e-7)
    assert max(products[smooth], key=products[smooth].get) == ("perros", "blancos")
    assert smooth.prob("blancos", ["perros"]) == pytest.approx(PRODUCTS["c"])


@pytest.mark.parametrize("kind", [float, lambda p: Fraction(p).limit_denominator(1000), np.float64])
def test_right_products_pass(kind):
    assert check_products({letter: kind(p) for letter, p in PRODUCTS.items()})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 1 / 4}, "divide by 3²"),
        ({"a": 1 / 6}, "each sum is 1"),
        ({"a": 1}, "divide by the number of ways"),
        ({"a": 0}, "each word by itself"),
        ({"b": 1 / 27}, "without smoothing"),
        ({"b": 1 / 9}, "that is P(x | y)"),
        ({"b": 1 / 18}, "makes *dogs*"),
        ({"c": 0}, "more than 0"),
        ({"c": 1 / 12}, "smoothed, too"),
        ({"c": 11 / 84}, "after *perros*"),
        ({"c": ...}, "(c) is still to be predicted"),
        ({"a": "1/6"}, "to be one number"),
    ],
)
def test_a_wrong_product_is_recognised(change, said):
    assert said in diagnosis(check_products(PRODUCTS | change))


def every(words, lengths):
    return (y for n in lengths for y in product(words, repeat=n))


def search(x, words, longest, score):
    return list(max(every(words, range(1, longest + 1)), key=lambda y: score(x, y)))


def by_loop(x, words, longest, score):
    best, known, beginnings = -math.inf, None, [()]
    for _ in range(longest):
        beginnings = [(*y, word) for y in beginnings for word in words]
        for y in beginnings:
            if score(x, y) > best:
                best, known = score(x, y), y
    return known


@pytest.mark.parametrize("right", [search, by_loop])
def test_right_searches_pass(right):
    report = check_search(right)
    assert report, report.message


def greedy(x, words, longest, score):
    y = []
    while len(y) < longest:
        longer = max(([*y, word] for word in words), key=lambda z: score(x, z))
        if y and score(x, longer) <= score(x, y):
            break
        y = longer
    return y


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (greedy, "the best next word each time"),
        (lambda x, w, n, s: max(every(w, [n]), key=lambda y: s(x, y)), "shorter sentences count"),
        (lambda x, w, n, s: max(every(w, [len(x)]), key=lambda y: s(x, y)), "as many words as x"),
        (lambda x, w, n, s: max(every(w, range(1, n)), key=lambda y: s(x, y)), "words are allowed"),
        (lambda x, w, n, s: min(every(w, range(1, n + 1)), key=lambda y: s(x, y)), "the worst"),
        (
            lambda x, w, n, s: max((y for k in range(1, n + 1) for y in permutations(w, k)), key=lambda y: s(x, y)),
            "more than once",
        ),
        (lambda x, w, n, s: " ".join(search(x, w, n, s)), "as a list or a tuple"),
        (lambda x, w, n, s: [*x], "is none of the words"),
        (lambda x, w, n, s: [], "Expected 1 to 3 words, got 0"),
        (lambda x, w, n, s: [w[0]] * (n + 1), "got 4"),
        (lambda x, w, n, s: [w[0]], "it finds"),
        (lambda x, w, n, s: (1, 2), "as a list or a tuple"),
    ],
)
def test_a_wrong_search_is_recognised(wrong, said):
    assert said in diagnosis(check_search(wrong))


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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like cats, and you like dogs.", "You like cats, and I like dogs."),
        ("You like cats, and I like dogs.", "I like cats, and you like dogs."),
        ("Do you like cats, and do we like dogs?", "Do we like cats, and do you like dogs?"),
        ("I do not like cats, and I like dogs.", "I like cats, and I do not like dogs."),
    ],
)
def test_other_sentences_that_are_one_to_model_one_pass(first, second):
    report = check_same_to_model_one(first, second)
    assert report, report.message
