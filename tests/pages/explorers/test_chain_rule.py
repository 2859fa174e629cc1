"""The explorer of the chain rule as Python sees it: its numbers, its words, and what it refuses."""

import math

import pytest
import traitlets

from attention_book.pages.explorers.chain_rule import ChainRule
from attention_book.translation.token_probabilities import factors

SENTENCES = [
    {"source": "a b", "target": "x y", "tokens": ["x", "▁y", "</s>"], "probabilities": [0.5, 0.25, 1.0],
     "likeliest": [[["x", 0.5], ["z", 0.4]], [["z", 0.6], ["▁y", 0.25]], [["</s>", 1.0], ["x", 0.0]]]},
    {"source": "c", "target": "z", "tokens": ["z", "</s>"], "probabilities": [0.0001, 0.9],
     "likeliest": [[["x", 0.9]], [["</s>", 0.9]]]},
]  # fmt: skip


def test_the_words_are_the_arithmetic():
    words = ChainRule(sentences=SENTENCES, place=1, bits=True).in_words()
    assert "3 factors, whose product is 0.125." in words
    assert "sum to 3.000 bits, 1.000 per token, perplexity 2.000" in words
    assert "Given <s> x, the next token ▁y has the probability 0.250, a surprise of 2.000 bits." in words
    assert words.endswith("Likeliest here: z 0.600, ▁y 0.250.")
    assert "product is 9.00e−5" in ChainRule(sentences=SENTENCES, sentence=1).in_words()


def test_it_holds_the_translators_probabilities(translator):
    pair = ("I like cats.", "Me gustan los gatos.")
    explorer, found = ChainRule.of(translator, [pair]), factors(translator, *pair)
    (known,) = explorer.sentences
    assert known["tokens"] == [factor.token for factor in found]
    assert known["probabilities"] == pytest.approx([factor.probability for factor in found], rel=1e-5)
    assert math.prod(known["probabilities"]) > 0.5


@pytest.mark.parametrize("traits", [{"sentence": 2}, {"place": 3}, {"sentence": 1, "place": 2}, {"sentences": []}])
def test_what_does_not_fit_is_refused(traits):
    with pytest.raises(traitlets.TraitError):
        ChainRule(**{"sentences": SENTENCES, **traits})


def test_choosing_a_shorter_sentence_shows_its_last_token():
    explorer = ChainRule(sentences=SENTENCES, place=2)
    explorer.sentence = 1
    assert "the next token </s>" in explorer.in_words()
