"""A translator with packed weights says what the readable one says."""

import pytest
from tiny_translator import KNOWN, tiny_translator

from attention_book.translation.fast.fast_translator import FastTranslator, search
from attention_book.translation.fast.searching import WIDEST
from attention_book.translation.translator import Translator


def fast(**settings):
    parts = tiny_translator()
    return FastTranslator(parts.model, parts.subwords, **settings)


@pytest.mark.parametrize("beam_size", [1, 4, WIDEST + 1])
def test_it_translates_the_same(beam_size):
    texts = [*KNOWN, "", "The cat sleeps.\nYou like cats. Come in!"]
    assert fast().translate(texts, beam_size) == tiny_translator().translate(texts, beam_size)


def test_rounded_weights_know_the_sentences_too():
    for weights in ("bfloat16", "int8"):
        assert fast(weights=weights).translate(list(KNOWN)) == list(KNOWN.values())


def test_the_order_of_sentences_is_kept_whatever_the_batch():
    translator = fast()
    sentences = [[*translator.subwords.encode(text), translator.subwords.eos_id] for text in KNOWN]
    one = [found.tokens for found in search(translator.packed, sentences, 1, 0.6, 1)]
    assert one == [found.tokens for found in search(translator.packed, sentences, 1, 0.6, 3)]
    assert translator.subwords.decode(one[0]) == next(iter(KNOWN.values()))

    texts = ["I like cats.", "Where is the station?", "She would have liked to come."]
    readable = Translator.from_pretrained("en-es")
    assert FastTranslator.from_pretrained("en-es").translate(texts) == readable.translate(texts)
