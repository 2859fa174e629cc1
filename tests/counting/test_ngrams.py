"""N-gram models against the definition in exact fractions, and the laws of a distribution."""

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.counting.ngrams import END, START, UNKNOWN, NGramModel

SENTENCES = [["a", "cat", "sleeps"], ["a", "dog", "sleeps"], ["the", "cat", "eats", "a", "dog"]]
corpora = st.lists(st.lists(st.sampled_from("abc"), max_size=5), min_size=1, max_size=5)


def witten_bell(sentences, order, word, context):
    """The definition, counted anew for each question, in fractions."""
    vocabulary = {w for sentence in sentences for w in sentence} | {END, UNKNOWN}
    filled = [[START] * (order - 1) + list(sentence) + [END] for sentence in sentences]

    def p(context):
        after = Counter(
            line[i]
            for line in filled
            for i in range(order - 1, len(line))
            if tuple(line[i - len(context) : i]) == context
        )
        lower = Fraction(1, len(vocabulary)) if not context else p(context[1:])
        if not after:
            return lower
        return (after[word] + len(after) * lower) / (sum(after.values()) + len(after))

    return p(tuple(context)[max(0, len(context) - order + 1) :])


@settings(deadline=None)
@given(corpora, st.integers(1, 4), st.lists(st.sampled_from(["a", "b", "c", START]), max_size=4))
def test_probabilities_are_the_definition_and_sum_to_one(sentences, order, context):
    model = NGramModel(sentences, order)
    known = {word for sentence in sentences for word in sentence} | {START}
    seen = [word if word in known else UNKNOWN for word in context]
    for word in model.vocabulary:
        assert model.prob(word, context) == pytest.approx(float(witten_bell(sentences, order, word, seen)), abs=1e-12)
    assert sum(model.distribution(context).values()) == pytest.approx(1, abs=1e-12)


def test_a_bigram_by_hand():
    """After "a" stand cat, dog and dog: 3 tokens, 2 kinds. Of 14 tokens 2 are "dog", of 8 kinds of word."""
    model = NGramModel(SENTENCES, 2)
    lower = (2 + 7 / 8) / (14 + 7)  # 7 kinds were seen; <unk> is the eighth word of the vocabulary
    assert model.prob("dog") == pytest.approx(lower)
    assert model.prob("dog", ["a"]) == pytest.approx((2 + 2 * lower) / (3 + 2))


def test_without_smoothing_one_new_pair_makes_a_sentence_impossible():
    bare, smooth = NGramModel(SENTENCES, 2, smoothing="none"), NGramModel(SENTENCES, 2)
    new = ["the", "dog", "sleeps"]
    assert bare.prob("dog", ["a"]) == 2 / 3 and bare.prob("dog", ["the"]) == 0
    assert bare.log_prob(new) == -math.inf and smooth.log_prob(new) > -20
    assert bare.perplexity(SENTENCES) < smooth.perplexity(SENTENCES)
    assert bare.prob("dog", ["zebra"]) == 0


def test_the_sentence_is_the_product_of_its_words_and_of_its_end():
    model = NGramModel(SENTENCES, 3)
    factors = [
        model.prob("a", [START, START]),
        model.prob("dog", [START, "a"]),
        model.prob("sleeps", ["a", "dog"]),
        model.prob(END, ["dog", "sleeps"]),
    ]
    assert model.log_prob(["a", "dog", "sleeps"]) == pytest.approx(math.log(math.prod(factors)))
    assert model.cross_entropy([["a", "dog", "sleeps"]]) == pytest.approx(-math.log(math.prod(factors)) / 4)


def test_unknown_words_share_one_place():
    model = NGramModel(SENTENCES, 2, least_count=2)
    assert set(model.vocabulary) == {"a", "cat", "dog", "sleeps", END, UNKNOWN}
    assert model.prob("zebra", ["the"]) == model.prob("eats", ["the"]) == model.prob(UNKNOWN, [UNKNOWN])


def test_samples_are_repeatable_and_follow_the_probabilities():
    model = NGramModel(SENTENCES, 2)
    assert model.sample(3) == model.sample(3)
    first = Counter((model.sample(seed) or [END])[0] for seed in range(600))
    for word, p in model.distribution([START]).items():
        assert abs(first[word] / 600 - p) < 4 * math.sqrt(p * (1 - p) / 600)
    assert len(model.sample(1, longest=1)) <= 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([],), "at least one sentence"),
        ((SENTENCES, 0), "order must be at least 1"),
        ((SENTENCES, 2, "laplace"), "witten-bell"),
        (([["a", END]],), "must not stand in a sentence"),
    ],
)
def test_bad_input_is_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        NGramModel(*arguments)


def test_no_sentence_has_no_cross_entropy():
    with pytest.raises(ValueError, match="at least one sentence"):
        NGramModel(SENTENCES).cross_entropy([])


def test_the_three_sentences_of_the_page_by_hand():
    sentences = [text.split() for text in ("I like cats", "I like dogs", "cats like fish")]
    bare, smooth = NGramModel(sentences, 2, smoothing="none"), NGramModel(sentences, 2)
    assert math.exp(bare.log_prob(["I", "like", "fish"])) == pytest.approx(2 / 9)
    assert math.exp(bare.log_prob(["cats", "like", "dogs"])) == pytest.approx(1 / 18)
    assert bare.log_prob(["dogs", "like", "cats"]) == -math.inf
    assert smooth.prob("dogs", [START]) == pytest.approx(13 / 315)
    assert smooth.prob("I", [START]) == pytest.approx(146 / 315)
