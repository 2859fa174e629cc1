"""The two hundred sentences are what they are called, and none of them is in the corpus."""

from collections import Counter

import pytest

from attention_book.data import corpora
from attention_book.data.failures import names, numbers
from attention_book.data.normalisation import normalise
from attention_book.data.own_sentences import HEADLINE, KINDS, LONG, NAME, QUESTION, own_sentences
from attention_book.data.sentence_splitting import split_sentences


def test_forty_different_ones_of_each_kind():
    sentences = own_sentences()
    assert [sentence.number for sentence in sentences] == list(range(1, 201))
    assert Counter(sentence.kind for sentence in sentences) == dict.fromkeys(KINDS, 40)
    assert len({normalise(sentence.text) for sentence in sentences}) == 200
    assert all(sentence.text == " ".join(sentence.text.split()) for sentence in sentences)


@pytest.mark.parametrize("sentence", own_sentences(), ids=lambda sentence: str(sentence.number))
def test_each_is_of_its_kind(sentence):
    words = sentence.text.split()
    assert split_sentences(sentence.text) == [sentence.text] or sentence.kind == NAME
    assert (len(words) >= 25) is (sentence.kind == LONG)
    assert sentence.text.endswith("?") is (sentence.kind == QUESTION)
    assert sentence.text.endswith((".", "?")) is not (sentence.kind == HEADLINE)
    if sentence.kind == QUESTION:
        assert len(words) >= 11
    if sentence.kind == NAME:
        assert numbers(sentence.text) and (names(sentence.text) or words[0][0].isupper())


@pytest.mark.corpora
def test_none_is_in_the_corpus():
    corpus = corpora.load("tatoeba-en-es")
    pairs = (*corpus.train, *corpus.validation, *corpus.test)
    known = {normalise(pair.source) for pair in pairs}
    assert not [sentence for sentence in own_sentences() if normalise(sentence.text) in known]
