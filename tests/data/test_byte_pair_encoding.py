"""Byte-pair encoding by itself, against the tokenizers library, the book's own vocabulary, and pencil and paper."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from attention_book.data.byte_pair_encoding import count_pairs, learn_merges, merge_pieces, split_word, stages_of
from attention_book.paths import PRETRAINED
from attention_book.translation.shipped_translator import shipped

WORDS = st.dictionaries(st.text("abcdé", min_size=1, max_size=7), st.integers(1, 9), min_size=1, max_size=9)


def of_the_library(counts: dict[str, int], n_merges: int) -> tuple[Tokenizer, list[tuple[str, str]]]:
    """A tokenizer that the library trained on the same words, and its merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=len(set("".join(counts))) + n_merges, show_progress=False)
    tokenizer.train_from_iterator([" ".join([word] * count) for word, count in counts.items()], trainer)
    return tokenizer, [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


@settings(deadline=None, max_examples=200)
@given(WORDS, st.integers(0, 12), st.data())
def test_merges_and_pieces_are_those_of_the_library(counts, n_merges, data):
    tokenizer, theirs = of_the_library(counts, n_merges)
    assert learn_merges(counts, len(theirs)) == theirs  # two merges may make one piece, which it counts once
    letters = "".join(sorted(set("".join(counts))))
    word = data.draw(st.text(letters, min_size=1, max_size=12))
    assert split_word(word, theirs) == tokenizer.encode(word).tokens


@settings(deadline=None, max_examples=100)
@given(WORDS)
def test_it_stops_where_the_library_stops(counts):
    _, theirs = of_the_library(counts, 1000)
    merges = learn_merges(counts, 1000)
    assert merges == theirs
    assert all(split_word(word, merges) == [word] for word in counts)


def test_a_letter_that_no_merge_knows_stays_where_the_library_drops_it():
    tokenizer, merges = of_the_library({"cat": 2}, 9)
    assert "s" not in "".join(tokenizer.encode("cast").tokens)  # the library has no piece for it, and says nothing
    assert split_word("scat", merges) == ["s", "cat"] and split_word("cast", merges) == list("cast")


@pytest.mark.parametrize("word", [" cats", " Krankenversicherung", " ÿĀ", " आप", "¿"])
def test_with_the_shipped_merges_it_finds_the_pieces_of_the_shipped_vocabulary(word):
    settings = json.loads((PRETRAINED / "en-es" / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    ((spelt, _),) = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(word)
    pieces = split_word(spelt, [tuple(pair) for pair in settings["merges"]])
    assert [settings["vocab"][piece] for piece in pieces] == shipped().subwords.encode(word)


def test_merging_goes_from_left_to_right():
    assert merge_pieces(list("aaa"), ("a", "a")) == ["aa", "a"]
    assert merge_pieces(list("banana"), ("a", "n")) == ["b", "an", "an", "a"]
    assert merge_pieces([], ("a", "n")) == []


def test_pairs_are_counted_with_their_words():
    assert count_pairs([(list("cat"), 3), (list("at"), 2), (["a"], 5)]) == {("c", "a"): 3, ("a", "t"): 5}


def test_ties_go_to_the_older_piece():
    assert learn_merges({"ba": 1, "ab": 1}, 1) == [("a", "b")]
    assert learn_merges({"ac": 1, "ab": 1}, 1) == [("a", "b")]
    # "cd" is a letter's junior: the merge of letters comes first although "b" and "cd" are as frequent
    assert learn_merges({"cd": 9, "cdb": 2, "bz": 2}, 2) == [("c", "d"), ("b", "z")]


@settings(deadline=None)
@given(WORDS, st.integers(0, 9), st.text("abcdéxyz", max_size=9))
def test_pieces_spell_the_word_at_every_stage(counts, n_merges, word):
    stages = stages_of(word, learn_merges(counts, n_merges))
    assert all("".join(pieces) == word for pieces in stages)
    assert stages[0] == list(word)
    assert all(len(after) < len(before) for before, after in pairwise(stages))


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match="n_merges"):
        learn_merges({"a": 1}, -1)
    with pytest.raises(ValueError, match="counts of at least 1"):
        learn_merges({"ab": 0}, 1)
    assert learn_merges({}, 3) == []
