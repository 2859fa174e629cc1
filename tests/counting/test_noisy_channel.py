"""The noisy channel against trying every translation, and what it does with words that it does not know."""

from itertools import permutations, product

import pytest

from attention_book.counting.ibm1 import IBMModel1
from attention_book.counting.ngrams import NGramModel
from attention_book.counting.noisy_channel import NoisyChannel

PAIRS = [
    ("I like cats", "me gustan los gatos"),
    ("I like dogs", "me gustan los perros"),
    ("cats sleep", "los gatos duermen"),
    ("dogs eat", "los perros comen"),
    ("black cats sleep", "los gatos negros duermen"),
    ("black dogs eat", "los perros negros comen"),
]
PAIRS = [(english.split(), spanish.split()) for english, spanish in PAIRS]


def translator(**settings):
    channel = IBMModel1([(spanish, english) for english, spanish in PAIRS]).fit(10)
    return NoisyChannel(NGramModel([spanish for _, spanish in PAIRS], 3), channel, **settings)


@pytest.mark.parametrize("source", ["cats eat", "black cats eat", "I like dogs"])
def test_a_wide_beam_finds_the_best_of_all_translations(source):
    source = source.split()
    channel = translator(choices=5, beam_size=100_000)
    words = sorted({word for one in source for word, _ in channel.candidates(one)})
    every = (list(target) for length in range(1, 4) for target in product(words, repeat=length))
    best = max(every, key=lambda target: channel.log_score(source, target))
    assert channel.translate(source, longest=3) == best


def test_the_score_is_the_sum_of_the_two_models():
    model, (source, target) = translator(), PAIRS[4]
    expected = model.language_model.log_prob(target) + model.channel.log_prob(target, source)
    assert model.log_score(source, target) == pytest.approx(expected)


def test_the_order_comes_from_the_language_model():
    """To the channel a sentence is a bag of words, so the order of the source cannot matter."""
    model, right = translator(), ["los", "gatos", "negros", "duermen"]
    likelihoods = {round(model.channel.log_prob(order, ["black", "cats"]), 9) for order in permutations(right)}
    assert len(likelihoods) == 1
    assert model.translate(["black", "cats", "sleep"]) == model.translate(["sleep", "cats", "black"]) == right


@pytest.mark.parametrize("source", ["I cats eat", "I sleep dogs", "black cats sleep"])
def test_a_beam_of_two_finds_what_a_wide_one_finds(source):
    """Only because words not yet accounted for are credited: else a beam begins with what explains most at once."""
    assert translator(beam_size=2).translate(source.split()) == translator(beam_size=1000).translate(source.split())


def test_unknown_words_stay_and_an_unknown_sentence_is_left_as_it_is():
    assert "Tom" in translator().translate(["Tom", "sleep"])
    assert translator().translate(["Tom", "Anna"]) == ["Tom", "Anna"]
    assert translator().translate([]) == []


def test_candidates_are_ranked_by_both_tables():
    model = translator()
    ranked = model.candidates("cats")
    assert ranked[0][0] == "gatos"
    expected = [model.channel.t("cats", word) * model.language_model.prob(word) for word, _ in ranked]
    assert [score for _, score in ranked] == pytest.approx(expected)
    assert expected == sorted(expected, reverse=True)


def test_sizes_below_one_are_named():
    with pytest.raises(ValueError, match="at least 1"):
        translator(beam_size=0)
