"""The checks of *How many subwords?*: they pass what is right and name what is wrong."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.translator import vocabulary_sizes as checks
from attention_book.data.byte_pair_encoding import split_word
from attention_book.studies.translator.vocabularies_by_size import piece_counts

from ..diagnosis import diagnosis

LOW = {"a": 33, "b": 17, "c": 12, "d": 10, "e": 4}


def test_low_words_pass_and_are_what_the_package_counts():
    assert checks.LOW_MERGES == [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]
    assert checks.check_low_words(LOW) and checks.check_low_words({name: float(n) for name, n in LOW.items()})
    lengths = [piece_counts(checks.LOW_WORDS, checks.LOW_MERGES[:n]).total() for n in (0, 2, 4)]
    found = piece_counts(checks.LOW_WORDS, checks.LOW_MERGES)
    assert [*lengths, len(found), list(found.values()).count(0)] == list(LOW.values())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 13}, "as often as it stands"),
        ({"a": 6}, "not the different ones"),
        ({"b": 8}, "as often as it stands"),
        ({"b": 25}, "the second merge joins lo and w"),
        ({"b": 12}, "after four merges"),
        ({"c": 9}, "*newer* is still in parts"),
        ({"c": 14}, "joins low and er"),
        ({"d": 6}, "each merge adds a piece"),
        ({"d": 4}, "the letters stay in the vocabulary"),
        ({"e": 3}, "look at *lo*"),
        ({"e": 0}, "letters stay in the vocabulary"),
        ({"e": 6}, "do not stand in the text any more"),
        ({"d": 11}, "(d) is not 11."),
        ({"a": "33"}, "one number"),
        ({"e": ...}, "(e) is still open"),
        (dict.fromkeys(LOW, ...), "Every answer is still open"),
        ({"f": 1}, "Give a dictionary"),
    ],
)
def test_low_words_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_low_words(LOW | change))


def by_loop(counts, merges):
    found = {letter: 0 for word in counts for letter in word}
    for left, right in merges:
        found[left + right] = 0
    for word, n in counts.items():
        for piece in split_word(word, merges):
            found[piece] += n
    return found


def with_counter(counts, merges):
    found = Counter(by_loop(counts, merges))
    return Counter({piece: np.int64(n) for piece, n in found.items()})


@pytest.mark.parametrize("right", [by_loop, with_counter, piece_counts])
def test_piece_counts_pass(right):
    assert checks.check_piece_counts(right)


def without_zeros(counts, merges):
    return {piece: n for piece, n in by_loop(counts, merges).items() if n}


def off_by_one(counts, merges):
    found = by_loop(counts, merges)
    return found | {max(found): found[max(found)] + 1}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (without_zeros, "do not stand in the text are missing"),
        (lambda c, m: by_loop(dict.fromkeys(c, 1), m), "Each word was counted once"),
        (
            lambda c, m: without_zeros(dict.fromkeys(c, 1), m),
            "Each word was counted once, and pieces with a count of 0",
        ),
        (lambda c, m: {a + b: by_loop(c, m)[a + b] for a, b in m}, "The letters are missing"),
        (lambda c, m: {x: by_loop(c, m)[x] for x in set("".join(c))}, "that merges made are missing"),
        (lambda c, m: {p: sum(n * w.count(p) for w, n in c.items()) for p in by_loop(c, m)}, "cut the words first"),
        (lambda c, m: by_loop(c, []), "before any merge"),
        (
            lambda c, m: {p: sum(n for w, n in c.items() if p in split_word(w, m)) for p in by_loop(c, m)},
            "it may stand twice in a word",
        ),
        (lambda c, m: by_loop(c, m) | {"<s>": 0}, "It has '<s>', which is no piece"),
        (lambda c, m: {p: n for p, n in by_loop(c, m).items() if p != "e"}, "It lacks the piece 'e'"),
        (off_by_one, "times and not"),
        (lambda c, m: list(by_loop(c, m).items()), "Expected a dictionary"),
        (lambda c, m: {p: [n] for p, n in by_loop(c, m).items()}, "one number"),
        (lambda c, m: None, "It returned None"),
        (lambda c, m: c.clear() or {}, "in place"),
    ],
)
def test_piece_counts_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_piece_counts(wrong))


BITS = {"A": 600 / 1000 / math.log(2), "B": 550 / 1000 / math.log(2), "C": 580 / 1000 / math.log(2), "best": "B"}


def test_bits_pass_in_every_dress():
    assert checks.check_bits(BITS)
    assert checks.check_bits(BITS | {"A": 0.866, "B": np.float64(0.793), "C": torch.tensor(0.837)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": 1.2}, "per piece, and in nats"),
        ({"A": 1.2 / math.log(2)}, "in bits, but per piece"),
        ({"B": 0.55}, "that is in nats"),
        ({"B": 0.55 * math.log(2)}, "divide by log 2"),
        ({"C": 580}, "the whole text, in nats"),
        ({"C": 580 / math.log(2)}, "divide it by the characters"),
        ({"A": math.exp(1.2)}, "a perplexity"),
        ({"C": 5.0}, "characters per piece"),
        ({"A": 0.5}, "(A) is not 0.5."),
        ({"best": "A"}, "the least loss per piece"),
        ({"best": "C"}, "the fewest pieces"),
        ({"best": 2}, "one of the letters"),
        ({"best": ["A", "B"]}, "one of the letters"),
        ({"A": "0.87"}, "one number"),
        ({"best": ...}, "`best` is still open"),
        (dict.fromkeys(BITS, ...), "Every answer is still open"),
        ({"D": 1}, "Give a dictionary"),
    ],
)
def test_bits_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_bits(BITS | change))


EQUAL = {"a": 4, "b": 6, "c": 18, "d": 4}


def test_equal_text_passes_and_is_what_sums_say():
    text, tokens = 6_000_000, 12_000_000
    passes = [tokens * characters / text for characters in (2, 3)]
    assert passes == [EQUAL["a"], EQUAL["b"]] and passes[1] * text / 2 == EQUAL["c"] * 1e6
    assert (tokens / 1000) / (tokens / 4000) == EQUAL["d"]
    assert checks.check_equal_text(EQUAL) and checks.check_equal_text(EQUAL | {"d": Fraction(8, 2)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": 2}, "are more text"),
        ({"a": 24}, "how often is that the whole text"),
        ({"a": 6}, "3 characters per piece"),
        ({"b": 4}, "2 characters per piece"),
        ({"b": 36}, "how often is that the whole text"),
        ({"c": 12}, "makes fewer passes"),
        ({"c": 8}, "not fewer"),
        ({"c": 36}, "has two of them"),
        ({"c": 6}, "asked are all of its tokens"),
        ({"d": 0.25}, "over that of the large one"),
        ({"d": 12000}, "divide it by the other"),
        ({"d": 6}, "only the number of rows differs"),
        ({"d": 5}, "(d) is not 5."),
        ({"b": None}, "one number"),
        ({"b": ...}, "(b) is still open"),
        (dict.fromkeys(EQUAL, ...), "Every answer is still open"),
    ],
)
def test_equal_text_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_equal_text(EQUAL | change))
