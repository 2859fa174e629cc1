"""The checks of *Letters and marks* take every right answer and name what is wrong with the others."""

import re
import unicodedata
from itertools import pairwise

import pytest
import torch
from tokenizers import pre_tokenizers

from attention_book.checks.translator import letters_and_marks as checks
from attention_book.data.marked_words import MarkedSubwords

from ..diagnosis import diagnosis

SIZES = {"letters": 3, "bytes": 21, "fewest_usual": 6, "fewest_kept": 1}
USUAL = pre_tokenizers.ByteLevel(add_prefix_space=False)


def letters(text):
    found = []
    for sign in text:
        if found and unicodedata.category(sign) in ("Mn", "Mc", "Me"):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def letters_by_places(text):
    starts = [i for i, sign in enumerate(text) if i == 0 or unicodedata.category(sign)[0] != "M"]
    return tuple(text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=bool(text)))


@pytest.mark.parametrize("right", [letters, letters_by_places])
def test_the_letters_pass(right):
    assert checks.check_letters(right)


def joined_where(is_mark):
    def cut(text):
        found = []
        for sign in text:
            if found and is_mark(sign):
                found[-1] += sign
            else:
                found.append(sign)
        return found

    return cut


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (list, "Every sign stands alone"),
        (lambda t: [s for s in t if unicodedata.category(s)[0] != "M"], "The marks are gone"),
        (joined_where(unicodedata.combining), "`combining` tells"),
        (joined_where(lambda s: unicodedata.category(s) == "Mn"), "Only the category Mn"),
        (joined_where(lambda s: unicodedata.category(s) == "Mc"), "Only the category Mc"),
        (lambda t: [p[::-1] for p in letters(t[::-1])][::-1], "not with the next"),
        (joined_where(lambda s: unicodedata.category(s) in ("Mn", "Mc")), "a third category"),
        (joined_where(lambda s: not s.isalnum() and s not in " ।"), "Expected ["),
        (joined_where(lambda s: "\u0900" <= s <= "\u0903" or "\u093a" <= s <= "\u094f"), "For 'cafe"),
        (str.split, "words"),
        (lambda t: [t], "words"),
        (lambda t: [*letters(t), "x"], "Expected ["),
        (lambda t: letters(t) if t[:1] != "ँ" else [t[1:]], "Expected ["),
        (lambda t: t, "list of texts"),
        (lambda t: 3, "list of texts"),
        (lambda t: letters(t)[0], "list of texts"),
    ],
)
def test_the_letters_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_letters(wrong))


def test_the_sizes_pass_and_are_what_is_so():
    assert checks.check_sizes(SIZES) and checks.check_sizes({name: float(x) for name, x in SIZES.items()})
    word = checks.PRINTED
    usual = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(word)
    many = MarkedSubwords.train([word] * 9, 400)
    sizes = len(letters(word)), len(word.encode()), len(usual), len(many.encode(word))
    assert dict(zip(SIZES, sizes, strict=True)) == SIZES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"letters": 7}, "marks, too"),
        ({"letters": 4}, "marks alone"),
        ({"bytes": 7}, "three bytes"),
        ({"bytes": 9}, "the marks have bytes"),
        ({"bytes": 14}, "not two"),
        ({"fewest_usual": 7}, "stand together"),
        ({"fewest_usual": 3}, "does not keep"),
        ({"fewest_usual": 1}, "no merge"),
        ({"fewest_kept": 3}, "letter to letter"),
        ({"fewest_kept": 7}, "across marks"),
        ({"fewest_kept": ...}, "still to be predicted"),
    ],
)
def test_the_sizes_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_sizes(SIZES | change))


def is_mark(sign):
    return unicodedata.category(sign)[0] == "M"


def fewest(word):
    return 1 + sum(is_mark(one) != is_mark(other) for one, other in pairwise(word))


def fewest_of_the_library(word):
    return len(USUAL.pre_tokenize_str(word))


def fewest_by_pattern(word):
    return torch.tensor(len(re.findall("M+|L+", "".join("M" if is_mark(sign) else "L" for sign in word))))


@pytest.mark.parametrize("right", [fewest, fewest_of_the_library, fewest_by_pattern])
def test_the_fewest_pieces_pass(right):
    assert checks.check_fewest(right)


def changes(is_mark):
    return lambda word: 1 + sum(is_mark(a) != is_mark(b) for a, b in pairwise(word))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda w: fewest(w) - 1, "one part more"),
        (len, "every sign"),
        (lambda w: max(1, 2 * len(re.findall("M+", "".join("M" if is_mark(s) else "L" for s in w)))), "two parts"),
        (lambda w: len(letters(w)), "letters with their marks"),
        (lambda w: sum(not is_mark(sign) for sign in w), "letters with their marks"),
        (lambda w: len(w.encode()), "bytes"),
        (lambda w: sum(map(is_mark, w)), "It counts the marks alone"),
        (lambda w: len(re.findall("M+", "".join("M" if is_mark(s) else "L" for s in w))), "runs of marks alone"),
        (lambda w: len(re.findall("L+", "".join("M" if is_mark(s) else "L" for s in w))), "runs of letters alone"),
        (changes(lambda s: unicodedata.category(s) == "Mn"), "only the category Mn"),
        (changes(lambda s: unicodedata.combining(s) > 0), "`combining` tells"),
        (lambda w: 0.5, "and not 1."),
        (lambda w: "3", "one number"),
        (lambda w: None, "returned None"),
        (7, "Expected a function"),
    ],
)
def test_the_fewest_pieces_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_fewest(wrong))


@pytest.mark.parametrize(
    "right", ["ọ\u0300rẹ\u0301", "m\u0303", "o\u0323\u0300re\u0323\u0301", "o\u0300\u0323", "Ẹ\u0301", "x\u0301\u0302y"]
)
def test_a_word_in_latin_letters_that_is_cut_passes_and_the_library_cuts_it(right):
    assert checks.check_latin(right)
    assert fewest_of_the_library(unicodedata.normalize("NFC", right)) > 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("cafe\u0301", "single letters"),
        ("ế", "Every sign of it is a letter"),
        ("cats", "Every sign of it is a letter"),
        ("don't", "neither a letter"),
        ("m\u0303 m", "neither a letter"),
        ("हिन्दी", "no Latin letter"),
        ("aि", "another script"),
        ("a\ufe0f", "another script"),
        ("\u0301a", "begins with a letter"),
        ("", "begins with a letter"),
        ("я\u0303", "no Latin letter"),
        (..., "Put a word"),
        (["m\u0303"], "Put a word"),
    ],
)
def test_a_word_that_is_not_cut_or_not_latin_is_told_why(wrong, message):
    assert message in diagnosis(checks.check_latin(wrong))
