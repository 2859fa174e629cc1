"""From text to text by counting: capitals, both ways of translating, and what `evaluate` asks for."""

import pytest

from attention_book.counting.text import Capitals, CountingTranslator, with_capitals
from attention_book.data.normalisation import Pair
from attention_book.little_language.language import log_prob, sample
from attention_book.little_language.words import tokenize
from attention_book.translation.evaluation import evaluate

SENTENCES = ["Cats sleep.", "I see cats.", "Tom sleeps.", "I see Tom. Cats see Tom."]


def test_a_capital_is_taken_off_only_where_the_small_word_is_the_usual_one():
    capitals = Capitals(map(tokenize, SENTENCES))
    assert capitals.off(["Cats", "sleep", "."]) == ["cats", "sleep", "."]
    assert capitals.off(["Tom", "sees", "Cats", "."]) == ["Tom", "sees", "Cats", "."]
    assert capitals.off(["I", "see", ".", "Cats", "see"]) == ["I", "see", ".", "cats", "see"]
    assert capitals.off(["Zebra"]) == ["Zebra"] and capitals.off([]) == []


def test_capitals_come_back_where_sentences_begin():
    assert with_capitals(["¿", "te", "gusta", "?", "no", "."]) == ["¿", "Te", "gusta", "?", "No", "."]


@pytest.fixture(scope="module")
def pairs():
    return sample(800, 1, clauses=1)


@pytest.mark.parametrize("word_for_word", [True, False])
def test_it_translates_text_into_text(pairs, word_for_word):
    translator = CountingTranslator([(p.source, p.target) for p in pairs], least_count=1, word_for_word=word_for_word)
    (translation,) = translator.translate(["The cats drink milk."])
    assert translation[0].isupper() and translation.endswith(".") and "gatos" in translation.lower()
    assert translator.translate([""]) == [""]
    assert "Zebulon" in translator.translate(["Zebulon drinks milk."])[0]


@pytest.mark.slow
def test_the_channel_is_right_more_often_than_word_for_word(pairs):
    """A translation is right if the grammar of the little language gives it."""
    known = {pair.source for pair in pairs}
    new = [pair for pair in sample(50, 2, clauses=1) if pair.source not in known]
    right = {}
    for word_for_word in (True, False):
        texts = [(p.source, p.target) for p in pairs]
        translator = CountingTranslator(texts, 3, 6, 1, beam_size=8, word_for_word=word_for_word)
        translations = translator.translate([pair.source for pair in new])
        found = [log_prob(p.source, t, "es") > float("-inf") for p, t in zip(new, translations, strict=True)]
        right[word_for_word] = sum(found) / len(found)
    assert right[False] > right[True] + 0.1


def test_evaluate_takes_it_for_a_translator(pairs):
    translator = CountingTranslator([(p.source, p.target) for p in pairs], rounds=3)
    scores = evaluate(translator, [Pair(p.source, p.target, (p.target,)) for p in pairs[:8]])
    assert scores["sentences"] == 8 and scores["all_references"]["bleu"] > 5
