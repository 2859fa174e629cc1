"""Words that keep their marks: merges go across them, and everything else is as with other subwords."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from attention_book.data.marked_words import MarkedSubwords
from attention_book.data.subwords import Subwords
from attention_book.little_language.language import sample

TEXTS = [pair.target for pair in sample(300, seed=2, target="hi")]
MARKED, USUAL = MarkedSubwords.train(TEXTS, 900), Subwords.train(TEXTS, 700)


def test_a_word_with_marks_becomes_one_piece_and_with_the_usual_pattern_it_never_does():
    text = "मुझे बिल्लियाँ पसंद हैं।"
    assert MARKED.tokens(MARKED.encode(text)) == ["मुझे", "▁बिल्लियाँ", "▁पसंद", "▁हैं", "।"]
    assert len(USUAL.encode(text)) > 2 * len(MARKED.encode(text))
    for piece in USUAL.tokens(range(260, len(USUAL))):  # a mark begins a piece, and never stands behind a letter
        marks = [unicodedata.category(character)[0] == "M" for character in piece]
        assert not any(then and not before for before, then in pairwise(marks)), piece


def test_the_usual_pattern_is_that_of_the_library():
    pieces = [text for text, _ in pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str("हिन्दी")]
    assert len(pieces) == 6


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_decoding_undoes_encoding(text):
    assert MARKED.decode(MARKED.encode(text)) == unicodedata.normalize("NFC", text)


def test_words_without_marks_are_cut_as_ever():
    texts = ["I like 12 cats, and 3 dogs.", "Cats like cats!", "Do dogs like 12 cats?"]
    marked, usual = MarkedSubwords.train(texts, 300), Subwords.train(texts, 300)
    for text in texts:
        assert marked.tokens(marked.encode(text)) == usual.tokens(usual.encode(text))


def test_several_spaces_stand_apart_and_english_endings_have_no_rule():
    marked = MARKED._tokenizer.pre_tokenizer.pre_tokenize_str("a b  c don't")
    assert [text for text, _ in marked] == ["a", "Ġb", "ĠĠ", "c", "Ġdon", "'", "t"]


def test_joiners_do_not_end_a_word():
    text = "क्\u200dष"
    assert len(MarkedSubwords.train([text] * 3, 300).encode(text)) == 1


def test_it_can_be_saved_and_comes_back(tmp_path):
    MARKED.save(tmp_path / "words.json")
    again = MarkedSubwords.load(tmp_path / "words.json")
    assert again.digest == MARKED.digest and again.encode(TEXTS[0]) == MARKED.encode(TEXTS[0])
    assert (len(MARKED), MARKED.eos_id) == (again._tokenizer.get_vocab_size(), USUAL.eos_id)


def test_the_same_texts_in_another_order_give_the_same_vocabulary():
    assert MarkedSubwords.train(reversed(TEXTS), 900).digest == MARKED.digest


def test_what_subwords_refuse_is_refused():
    with pytest.raises(ValueError, match="need 260"):
        MarkedSubwords.train(TEXTS, 100)
    with pytest.raises(ValueError, match="lone surrogate"):
        MarkedSubwords.train(["a\ud800"], 300)


def test_the_usual_alternatives_that_the_page_prints_are_those_of_the_library():
    usual = Regex(r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+")
    ours = pre_tokenizers.Split(usual, behavior="isolated")
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for text in ("I like cats.", "बिल्लियाँ 12 हैं।", "café m\u0303o"):
        assert [place for _, place in ours.pre_tokenize_str(text)] == [
            place for _, place in theirs.pre_tokenize_str(text)
        ]
