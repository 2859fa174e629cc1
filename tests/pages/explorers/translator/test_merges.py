"""The Python side of the explorer *merge by merge*: its pieces are those of the shipped vocabulary."""

import re
import unicodedata

import pytest
import traitlets

from attention_book.data.subwords import Subwords
from attention_book.pages.explorers.translator.merges import LONGEST, MergeByMerge, shipped_merges
from attention_book.translation.shipped_translator import shipped

TEXTS = ["I like cats.", "Cafe\u0301  con leche, ¿no?", "आप कैसे हैं", "it's 1234\t☕", " ", "x\u200dy ÿĀ"]


@pytest.mark.parametrize("text", TEXTS)
def test_with_all_merges_the_pieces_are_those_of_the_vocabulary(text):
    explorer, subwords = MergeByMerge(text=text, allowed=len(shipped_merges())), shipped().subwords
    assert explorer.pieces == subwords.tokens(subwords.encode(text))


def test_without_merges_the_pieces_are_bytes():
    for text in TEXTS:
        assert len(MergeByMerge(text=text, allowed=0).pieces) == len(unicodedata.normalize("NFC", text).encode())


def test_the_first_merges_alone_are_a_smaller_vocabulary():
    texts = ["the cat sat on the mat", "that hat"] * 4
    few, many = Subwords.train(texts, 265), Subwords.train(texts, 275)
    pairs = lambda subwords: re.findall(r'"merges": \[(.*?)\n  \]', subwords._json, re.DOTALL)  # noqa: E731
    assert pairs(many)[0].startswith(pairs(few)[0])


def test_the_words_count_and_list_the_pieces():
    assert MergeByMerge(text="a a", allowed=1).in_words() == (
        "With the first 1 merge, the text is 3 pieces: “a”, “▁”, “a”."
    )
    assert MergeByMerge(text="").in_words() == "There is no text."


@pytest.mark.parametrize("bad", [{"text": "x" * (LONGEST + 1)}, {"text": "\ud800"}, {"allowed": -1}, {"looked": -1}])
def test_what_does_not_fit_is_refused(bad):
    with pytest.raises(traitlets.TraitError):
        MergeByMerge(**bad)


def test_the_page_stays_small():
    assert len(MergeByMerge().static_html().encode()) < 200_000
    assert sum(len(merge.encode()) + 1 for merge in shipped_merges()) < 100_000
