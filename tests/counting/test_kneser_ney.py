"""Kneser–Ney smoothing against the definition in exact fractions, a bigram by hand, and the laws of a distribution."""

import math
from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.counting.kneser_ney import KneserNeyModel
from attention_book.counting.ngrams import END, START, UNKNOWN, NGramModel

THREE = [text.split() for text in ("I like cats", "I like dogs", "cats like fish")]
corpora = st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=6)


def kneser_ney(sentences, order, word, context):
    """The definition, counted anew for each question, in fractions."""
    vocabulary = {w for sentence in sentences for w in sentence} | {END, UNKNOWN}
    lines = [[START] * (order - 1) + list(sentence) + [END] for sentence in sentences]
    places = [(line, i) for line in lines for i in range(order - 1, len(line))]

    def kept(length):
        """The counts of n-grams whose context has this length."""
        occurring, before = Counter(), defaultdict(set)
        for line, i in places:
            gram = tuple(line[i - length : i + 1])
            occurring[gram] += 1
            if i > length:
                before[gram].add(line[i - length - 1])
        if length == order - 1:
            return occurring
        return {g: n if length and g[0] == START else len(before[g]) for g, n in occurring.items()}

    def p(context):
        counts = kept(len(context))
        once, twice = (sum(n == number for n in counts.values()) for number in (1, 2))
        discount = Fraction(once, once + 2 * twice) if once and twice else Fraction(1, 2)
        lower = p(context[1:]) if context else Fraction(1, len(vocabulary))
        after = {gram[-1]: n for gram, n in counts.items() if gram[:-1] == context}
        if not after:
            return lower
        total = sum(after.values())
        return max(after.get(word, 0) - discount, Fraction(0)) / total + discount * len(after) / total * lower

    return p(tuple(context)[max(0, len(context) - order + 1) :])


@settings(deadline=None, max_examples=60)
@given(corpora, st.integers(1, 4), st.lists(st.sampled_from(["a", "b", "c", START]), max_size=4))
def test_probabilities_are_the_definition_and_sum_to_one(sentences, order, context):
    model = KneserNeyModel(sentences, order)
    known = {word for sentence in sentences for word in sentence} | {START}
    seen = [word if word in known else UNKNOWN for word in context]
    for word in model.vocabulary:
        assert model.prob(word, context) == pytest.approx(float(kneser_ney(sentences, order, word, seen)), abs=1e-12)
    distribution = model.distribution(context)
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    assert min(distribution.values()) > 0


def test_a_bigram_by_hand():
    """Eight pairs were seen once and two twice, so D = 8/12. Ten different pairs end in six kinds of words.

    *dogs* ends one pair, and of the words three end one pair and two end two, so D is 3/7 for the empty context.
    """
    model = KneserNeyModel(THREE, 2)
    assert model.discounts == pytest.approx([3 / 7, 2 / 3])
    dogs = (1 - 3 / 7) / 10 + (3 / 7) * 6 / 10 / 7
    assert dogs == pytest.approx(23 / 245)
    assert model.prob("dogs") == pytest.approx(dogs)
    assert model.prob("dogs", [START]) == pytest.approx((2 / 3) * 2 / 3 * dogs)
    assert model.prob("cats", ["like"]) == pytest.approx((1 - 2 / 3) / 3 + (2 / 3) * 3 / 3 * model.prob("cats"))


def test_a_word_of_one_context_is_not_expected_in_others():
    """*Francisco* is frequent, after *San* only. After a word never seen a count expects it, Kneser and Ney do not."""
    sentences = [["San", "Francisco"]] * 6 + [["a", "glass"], ["my", "glass"], ["the", "glass"], ["a", "cup"]]
    counted, smooth = NGramModel(sentences, 2), KneserNeyModel(sentences, 2)
    assert counted.prob("Francisco", ["cup"]) > counted.prob("glass", ["cup"])
    assert smooth.prob("Francisco", ["cup"]) < smooth.prob("glass", ["cup"])
    assert smooth.prob("Francisco", ["San"]) > 0.5


def test_it_is_an_ngram_model_in_all_else():
    model = KneserNeyModel(THREE, 3, least_count=2)
    assert set(model.vocabulary) == {"I", "like", "cats", END, UNKNOWN}
    assert model.prob("zebra", ["I", "like"]) == model.prob("fish", ["I", "like"])
    factors = [model.prob(word, context) for context, word in model.events(["I", "like", "cats"])]
    assert model.log_prob(["I", "like", "cats"]) == pytest.approx(math.log(math.prod(factors)))
    assert model.perplexity(THREE) == pytest.approx(math.exp(model.cross_entropy(THREE)))
    assert model.sample(3) == model.sample(3)
    with pytest.raises(ValueError, match="order must be at least 1"):
        KneserNeyModel(THREE, 0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_where_the_counts_of_counts_say_nothing_the_discount_is_a_half(count):
    """Every n-gram once, or none once: leaving one out would take everything, or nothing."""
    model = KneserNeyModel([["a"]] * count, 1)
    assert model.discounts == [0.5]
    assert model.prob(UNKNOWN) > 0
