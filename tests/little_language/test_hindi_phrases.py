"""The Hindi phrases of *Translation as probability*: unequal lengths in one batch, and letters with two spellings."""

from unicodedata import normalize

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from attention_book.attention.masks import padding_mask
from attention_book.little_language.words import WordVocabulary

PHRASES = ["बधाई हो", "धन्यवाद", "मैं बढ़िया हूँ"]
ONE, TWO = "मैं ब\u095dिया हूँ", "मैं ब\u0922\u093cिया हूँ"


@pytest.fixture
def vocabulary():
    return WordVocabulary.train(PHRASES)


def test_phrases_of_unequal_length_are_padded(vocabulary):
    rows = [[*vocabulary.encode(text), vocabulary.eos_id] for text in PHRASES]
    batch = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=vocabulary.pad_id)
    assert batch.shape == (3, 4)
    assert padding_mask(batch)[:, 0, 0].tolist() == [[True] * 3 + [False], [True] * 2 + [False] * 2, [True] * 4]
    assert [vocabulary.decode(row.tolist()) for row in batch] == [normalize("NFC", text) for text in PHRASES]


@pytest.mark.parametrize("trained_on", [ONE, TWO])
def test_two_spellings_of_one_sentence_are_one_row_of_ids(trained_on):
    vocabulary = WordVocabulary.train([trained_on])
    assert ONE != TWO and len(TWO) == len(ONE) + 1
    assert vocabulary.encode(ONE) == vocabulary.encode(TWO)
    assert vocabulary.unk_id not in vocabulary.encode(ONE)


def test_without_the_normal_form_they_would_be_two_words():
    assert set(ONE.split()) != set(TWO.split())
    assert normalize("NFC", ONE) == normalize("NFC", TWO)
