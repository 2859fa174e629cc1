"""The checks of *Subwords*: they pass what is right and name what is wrong."""

import unicodedata
from itertools import pairwise

import numpy as np
import pytest
import torch

from attention_book.checks.translator import subwords as checks
from attention_book.data.byte_pair_encoding import learn_merges, merge_pieces, split_word
from attention_book.pages.diagrams.translator.ten_words import TEN_WORDS
from attention_book.translation.shipped_translator import shipped

from ..diagnosis import diagnosis

HAND = {"fourth": ["h", "at"], "fifth": ["e", "at"], "chat": ["c", "hat"], "cheats": ["c", "h", "e", "ats"]}


def test_by_hand_passes_and_is_what_the_package_finds():
    assert checks.HAND_WORDS == TEN_WORDS | {"that": 2}
    assert checks.check_by_hand(HAND) and checks.check_by_hand(HAND | {"fifth": ("e", "at"), "chat": "c hat"})
    merges = learn_merges(checks.HAND_WORDS, 5)
    assert [list(pair) for pair in merges[3:]] == [HAND["fourth"], HAND["fifth"]]
    assert list(learn_merges(TEN_WORDS, 5)[3]) != HAND["fourth"], "the page itself would say it"
    assert all(split_word(word, merges) == HAND[word] for word in ("chat", "cheats"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fifth": ["c", "at"]}, "c + at stands once in the twelve words by then, and another pair more often"),
        ({"fourth": ["e", "at"]}, "e + at stands 2 times in the twelve words by then"),
        ({"fifth": ["h", "ats"]}, "the pair wins whose first piece is older"),
        ({"fifth": ["t", "hat"]}, "the pair wins whose first piece is older"),
        ({"fifth": ["h", "at"]}, "one of the first 4 merges"),
        ({"fourth": ["c", "ats"]}, "one of the first 3 merges"),
        ({"fifth": ["h", "a"]}, "are no neighbours"),
        ({"fifth": ["eat"]}, "give the two pieces"),
        ({"cheats": ["c", "h", "eat", "s"]}, "the longest piece does not win"),
        ({"cheats": ["c", "h", "e", "at", "s"]}, "can be joined further"),
        ({"chat": ["chat"]}, "some piece there was never made"),
        ({"chat": ["c", "h", "at"]}, "can be joined further"),
        ({"chat": ["c", "at"]}, "spell *cat*"),
        ({"chat": 3}, "Expected `chat` to be a list of texts"),
        ({"chat": ...}, "`chat` is still open"),
        (dict.fromkeys(HAND, ...), "Every answer is still open"),
    ],
)
def test_by_hand_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_by_hand(HAND | change))


def tally(words, pieces_of=lambda p: p, times=lambda n: n, key=lambda a, b: (a, b)):
    found = {}
    for pieces, n in words:
        pieces = pieces_of(pieces)
        for a, b in pairwise(pieces):
            found[key(a, b)] = found.get(key(a, b), 0) + times(n)
    return found


def top(found):
    return max(found, key=found.get)


def test_next_merge_passes():
    assert checks.check_next_merge(lambda words: top(tally(words)))
    assert checks.check_next_merge(lambda words: list(top(tally(words))))


def most_pieces(words):
    found = {}
    for pieces, n in words:
        for piece in pieces:
            found[piece] = found.get(piece, 0) + n
    return tuple(sorted(found, key=found.get, reverse=True)[:2])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda words: top(tally(words, times=lambda n: 1)), "Every word was counted once"),
        (lambda words: top(tally(words, pieces_of=lambda p: list("".join(p)))), "Letters were counted"),
        (lambda words: top(tally([([p for ps, n in words for p in ps * n], 1)])), "across the end of a word"),
        (lambda words: top(tally(words, key=lambda a, b: tuple(sorted((a, b))))), "The order was ignored"),
        (lambda words: min(tally(words), key=tally(words).get), "This is the rarest pair"),
        (most_pieces, "the two most frequent pieces"),
        (lambda words: ("q", "q"), "is more frequent."),
        (lambda words: "at", "Expected a pair of pieces"),
        (lambda words: (1, 2), "Expected a pair of pieces"),
    ],
)
def test_next_merge_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_next_merge(wrong))


def test_split_passes():
    assert checks.check_split(split_word)

    def by_passes(word, merges):
        pieces = list(word)
        for pair in merges:
            pieces = merge_pieces(pieces, pair)
        return tuple(pieces)

    assert checks.check_split(by_passes)


def longest(word, merges):
    known, found = {a + b for a, b in merges}, []
    while word:
        n = next((n for n in range(len(word), 1, -1) if word[:n] in known), 1)
        found, word = [*found, word[:n]], word[n:]
    return found


def from_the_left(word, merges):
    pieces = list(word)
    while True:
        place = next((n for n in range(len(pieces) - 1) if (pieces[n], pieces[n + 1]) in merges), None)
        if place is None:
            return pieces
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]


def once(word, merges):
    pieces = list(word)
    for a, b in merges:
        for n in range(len(pieces) - 1):
            if (pieces[n], pieces[n + 1]) == (a, b):
                pieces[n : n + 2] = [a + b]
                break
    return pieces


def reversed_word(word, merges):
    flipped = split_word(word[::-1], [(b[::-1], a[::-1]) for a, b in merges])
    return [piece[::-1] for piece in flipped[::-1]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (longest, "The longest piece was taken from the left"),
        (lambda word, merges: split_word(word, merges[::-1]), "from the last to the first"),
        (from_the_left, "The first neighbours from the left that fit"),
        (once, "at one place only"),
        (lambda word, merges: list(word), "No merge was made"),
        (lambda w, m: split_word("".join(c for c in w if any(c in a + b for a, b in m)), m), "got lost"),
        (reversed_word, "in aaa the first two are joined"),
        (lambda word, merges: split_word(word, merges)[::-1], "must spell the word"),
        (lambda word, merges: " ".join(split_word(word, merges)), "Expected a list of pieces"),
        (lambda word, merges: [list(p) for p in split_word(word, merges)], "Expected a list of pieces"),
        (lambda word, merges: merges.clear() or [], "changes `merges` in place"),
    ],
)
def test_split_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_split(wrong))


NUMBERS = {"a": 5000, "b": 5000 * 512, "c": 2 * 5000 * 512, "d": 3}


def test_numbers_pass_and_are_those_of_torch():
    assert checks.check_lookup_numbers(NUMBERS) and checks.check_lookup_numbers(NUMBERS | {"b": 2.56e6})
    embedding = torch.nn.Embedding(5000, 512)
    assert embedding.weight.numel() == NUMBERS["b"]
    embedding(torch.tensor([5, 9, 5, 2])).sum().backward()
    assert int((embedding.weight.grad != 0).any(dim=1).sum()) == NUMBERS["d"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 512}, "the width of a vector"),
        ({"a": 3}, "the length of one row"),
        ({"b": 5512}, "that is a sum"),
        ({"b": 3 * 5000 * 512}, "three tables"),
        ({"c": 5000 * 512}, "two are saved"),
        ({"c": 3 * 5000 * 512}, "one table stays"),
        ({"d": 4}, "stands twice"),
        ({"d": 5000}, "gets no gradient"),
        ({"d": 2}, "(d) is not 2"),
        ({"d": ...}, "(d) is still open"),
        ({"a": "many"}, "Expected (a) to be one number"),
    ],
)
def test_numbers_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_lookup_numbers(NUMBERS | change))


def by_product(ids, weights, fill=0.0, hot=1.0, shift=0):
    rows = torch.full((*ids.shape, len(weights)), fill, dtype=weights.dtype)
    rows.scatter_(-1, ((ids + shift) % len(weights))[..., None], fill + hot)
    return rows @ weights


def test_lookup_passes():
    assert checks.check_lookup(by_product)
    assert checks.check_lookup(lambda ids, weights: weights[ids])
    assert checks.check_lookup(lambda ids, weights: by_product(ids, weights).numpy())
    assert checks.check_lookup(lambda ids, weights: np.eye(7)[ids.numpy()] @ weights.numpy())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda i, w: by_product(i, w, shift=-1), "they are counted from 0"),
        (lambda i, w: by_product(i, w, shift=1), "the id is the row itself"),
        (lambda i, w: by_product(i, w) * i[..., None], "multiplied by its id"),
        (lambda i, w: by_product(i, w, fill=1 / 7), "all other entries of a one-hot row are 0"),
        (lambda i, w: by_product(i, w).reshape(-1, 5).sum(0).expand(*i.shape, 5), "keep one row per id"),
        (lambda i, w: 2 * by_product(i, w), "A wrong number at"),
        (lambda i, w: by_product(i, w).mT if i.ndim else by_product(i, w), "wrong shape"),
        (lambda i, w: torch.nn.functional.one_hot(i, 7), "wrong shape"),
    ],
)
def test_lookup_names_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_lookup(wrong))


@pytest.mark.parametrize(
    ("one", "other"),
    [("\u212b", "Å"), ("\u2126", "Ω"), ("5 \u212a", "5 K"), ("a\u037eb", "a;b"), ("\uf900", "豈")],
)
def test_same_ids_passes(one, other):
    assert checks.check_same_ids(one, other) and checks.check_same_ids(other, one)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("café", "café", "the same to Python as well"),
        ("café", "cafe", "Their ids differ"),
        ("ﬁn", "fin", "NFC keeps them apart"),
        ("I", "i", "capitals from small"),
        ("a b", "a  b", "Spaces are bytes"),
        ("caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9"), "a mark that is a character of its own"),
        ("क\u200dष", "कष", "Their ids differ"),
        (3, "a", "Give two texts"),
        (..., "a", "Put a text"),
        ("\ud800", "a", "lone surrogate"),
    ],
)
def test_same_ids_name_the_mistake(one, other, message):
    assert message in diagnosis(checks.check_same_ids(one, other))


def shipped_id(text):
    (found,) = shipped().subwords.encode(text)
    return found


RULES = {"entry": 0, "words": ("hedgehog", "something"), "singular": "friend"}


def test_rules_are_broken_in_many_ways():
    for text in (".", " 2", "?", ".."):
        assert checks.check_rules(RULES | {"entry": shipped_id(text)}), text
    entry = RULES | {"entry": np.int64(shipped_id("."))}
    assert checks.check_rules(entry) and checks.check_rules(entry | {"words": [" hedgehog", "something "]})
    assert checks.check_rules(entry | {"singular": "house", "words": ["mow", "together"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entry": 2}, "is </s>, and no text leads to it"),
        ({"entry": 8000}, "a whole number from 0 to 7999"),
        ({"entry": 20.5}, "a whole number from 0 to 7999"),
        ({"entry": "."}, "Expected `entry` to be one number"),
        ({"entry": "the"}, "Expected `entry` to be one number"),
        ({"entry": -1}, "a whole number from 0 to 7999"),
        ({"words": ("something", "hedgehog")}, "put the shorter one first"),
        ({"words": ("cat", "hedgehog")}, "as the rule says"),
        ({"words": ("cat", "something")}, "has 1 pieces and *something* 1"),
        ({"words": "hedgehog something"}, "two words, the shorter first"),
        ({"words": ("hedgehog", 3)}, "Expected `words[1]` to be a word"),
        ({"words": ("hedge hog", "something")}, "one word in lower case"),
        ({"words": ("XQZW", "something")}, "one word in lower case"),
        ({"singular": "river"}, "the pieces of the singular and then s"),
        ({"singular": "cats"}, "ends in s"),
        ({"singular": "cat"}, "stands in an output of the page"),
        ({"singular": "mouse"}, "does not only add s"),
        ({"singular": "city"}, "does not only add s"),
        ({"singular": "box"}, "does not only add s"),
        ({"singular": ["cat"]}, "Expected `singular` to be a word"),
        ({"singular": ...}, "`singular` is still open"),
        (dict.fromkeys(RULES, ...), "Every answer is still open"),
        ({"plural": "cats"}, "Give a dictionary"),
    ],
)
def test_rules_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_rules(RULES | {"entry": shipped_id(".")} | change))


@pytest.mark.parametrize(("text", "message"), [(" the", "has letters"), (" cats", "has letters"), ("ñ", "has letters")])
def test_an_entry_with_letters_breaks_no_rule(text, message):
    assert message in diagnosis(checks.check_rules(RULES | {"entry": shipped_id(text)}))


def test_a_byte_of_a_character_breaks_no_rule():
    first, *_ = shipped().subwords.encode("☕")
    assert "only part of a character" in diagnosis(checks.check_rules(RULES | {"entry": first}))
