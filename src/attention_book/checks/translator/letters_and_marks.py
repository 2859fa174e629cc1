"""Checks for *Letters and marks*: letters as the eye sees them, the fewest pieces of a word, a cut in Latin letters."""

import unicodedata
from collections.abc import Callable
from itertools import groupby

from ...studies.translator.devanagari import is_mark, letters
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, attempt, checking, expect_number

_TEXTS = ("दो कुत्ते।", "कमल", "हिन्दी", "किताबें", "पढ़ना", "क्या?", "ँ क", "cafe\u0301", "e\u0301\u20dd", "")


@checking
def check_letters(candidate: object) -> Report:
    """Does ``candidate(text)`` cut a text into letters, each with the marks after it?"""
    for text in _TEXTS:
        got = attempt(candidate, text)
        if not isinstance(got, (list, tuple)) or not all(isinstance(part, str) for part in got):
            raise NotYet("Expected a list of texts.")
        got = list(got)
        if got == letters(text):
            continue
        without = [sign for sign in text if not is_mark(sign)]
        wrong = [
            (
                "Marks have a third category, Me. Ask only whether the category begins with M.",
                letters(text, lambda sign: unicodedata.category(sign) in ("Mn", "Mc")),
            ),
            ("Every sign stands alone: a mark goes with the letter before it.", list(text)),
            ("The marks are gone: put together, the parts must spell the text.", without),
            (
                "`combining` tells only marks that are reordered. Ask for the category, which begins with M.",
                letters(text, lambda sign: unicodedata.combining(sign) > 0),
            ),
            (
                "Only the category Mn counts there; the mark of the long a is of the category Mc.",
                letters(text, lambda sign: unicodedata.category(sign) == "Mn"),
            ),
            (
                "Only the category Mc counts there; the mark of the u is of the category Mn.",
                letters(text, lambda sign: unicodedata.category(sign) == "Mc"),
            ),
            (
                "A mark goes with the letter before it, and not with the next.",
                [p[::-1] for p in letters(text[::-1])][::-1],
            ),
            ("Those are words.", text.split()),
            ("Those are words.", [text]),
        ]
        reason = recognise(got, wrong, lambda one, other: one == other) or f"Expected {letters(text)}."
        raise NotYet(f"For {text!r} it gives {got}. {reason}")
    return Report(True, f"Right for {len(_TEXTS)} texts, one of which begins with a mark.")


PRINTED = "किताबें"
"""*books*, whose signs the exercise prints."""
_SIZES = {
    "letters": (3, {7: "that counts the marks, too", 4: "that counts the marks alone"}),
    "bytes": (
        21,
        {7: "each sign of this script has three bytes", 9: "the marks have bytes, too", 14: "three bytes, not two"},
    ),
    "fewest_usual": (
        6,
        {
            7: "the last two marks stand together, and no letter parts them",
            3: "the usual pattern does not keep a letter and its mark together",
            1: "no merge goes from a letter to a mark with the usual pattern",
        },
    ),
    "fewest_kept": (1, {3: "merges may go on from letter to letter", 7: "merges may go across marks now"}),
}


@checking
def check_sizes(predictions: object) -> Report:
    """Are these the letters and bytes of the printed word, and the fewest pieces with either pattern of words?"""
    expect_predictions(predictions, _SIZES, 1e-6)
    return Report(True, "However many merges are learned, the usual pattern leaves six pieces.")


_WORDS = ("कमल", "दो", "हिन्दी", "किताबें", "पढ़ना", "पसंद", "caf\u00e9", "cafe\u0301", "cafe\u0302\u0301", "ที่")


def _runs(word: str, *classes: bool, belongs: Callable[[str], bool] = is_mark) -> int:
    return sum(1 for mark, _ in groupby(word, belongs) if mark in (classes or (True, False)))


_MISCOUNTED: dict[str, Callable[[str], int]] = {
    "It counts the places where the class changes; each place makes one part more.": lambda word: _runs(word) - 1,
    "It takes each run of marks for two parts. A word may also end with a letter.": lambda word: max(
        1, 2 * _runs(word, True)
    ),
    "It makes a part of every sign: neighbours of one class stay together.": len,
    "It counts the letters with their marks, which the usual pattern parts.": lambda word: len(letters(word)),
    "It counts bytes.": lambda word: len(word.encode()),
    "It counts the runs of letters alone: the runs of marks are parts, too.": lambda word: _runs(word, False),
    "It counts the runs of marks alone: the runs of letters are parts, too.": lambda word: _runs(word, True),
    "It counts the marks alone: marks that stand together are one part, and letters are in parts, too.": lambda word: (
        sum(map(is_mark, word))
    ),
    "It takes only the category Mn for marks; others begin with M as well.": lambda word: _runs(
        word, belongs=lambda sign: unicodedata.category(sign) == "Mn"
    ),
    "`combining` tells only marks that are reordered. Ask for the category, which begins with M.": lambda word: _runs(
        word, belongs=lambda sign: unicodedata.combining(sign) > 0
    ),
}


@checking
def check_fewest(candidate: object) -> Report:
    """Does ``candidate(word)`` count the parts into which the usual pattern cuts a word of letters and marks?"""
    got = [expect_number(attempt(candidate, word), f"the number for {word!r}") for word in _WORDS]
    right = [_runs(word) for word in _WORDS]
    if got != right:
        place = next(n for n, (one, other) in enumerate(zip(got, right, strict=True)) if one != other)
        wrong = {why: [count(word) for word in _WORDS] for why, count in _MISCOUNTED.items()}
        reason = recognise(got, wrong, lambda one, other: one == other) or ""
        raise NotYet(f"For {_WORDS[place]!r} it gives {got[place]:g} and not {right[place]}. {reason}".rstrip())
    return Report(True, f"Right for {len(_WORDS)} words: as many parts as the library makes of them.")


@checking
def check_latin(word: object) -> Report:
    """Is this a word in Latin letters that the usual pattern cuts even in NFC?"""
    if word is ... or not isinstance(word, str):
        raise NotYet("Put a word in place of the dots, as a text.")
    spelt = unicodedata.normalize("NFC", word)
    for sign in spelt:
        name = unicodedata.name(sign, "a sign without a name")
        if is_mark(sign) and not name.startswith("COMBINING"):
            raise NotYet(f"{name} is a mark of another script, or none that is drawn.")
        if not is_mark(sign) and not sign.isalpha():
            raise NotYet(f"{sign!r} is neither a letter nor a mark.")
        if not is_mark(sign) and "LATIN" not in name:
            raise NotYet(f"{name} is no Latin letter.")
    if not spelt or is_mark(spelt[0]):
        raise NotYet("A word begins with a letter.")
    if not any(map(is_mark, spelt)):
        if any(map(is_mark, word)):
            raise NotYet(f"NFC makes single letters of it, {spelt!r}, and no mark is left to cut at.")
        raise NotYet("Every sign of it is a letter, so nothing is cut: a mark must be left in NFC.")
    parts = ["".join(run) for _, run in groupby(spelt, is_mark)]
    return Report(True, f"In NFC it still has a mark, and the pattern cuts it into {len(parts)} parts.")
