"""Signs of a failed translation that a program can see without a reference: it finds them, and judges nothing.

Each function compares a translation with its source and says what it found: words or numbers, an empty list where there
is nothing to complain of. A sign is not yet a failure, and a translation without a sign may be wrong.
"""

import re
from collections.abc import Collection

SHORTEST, ENOUGH = 0.6, 10
"""A translation is short if it has fewer words than this share of its source's, which has so many words or more."""
REACH = 5
"""A word comes back soon if it stands again among as many words that follow it."""
SIGNS = {
    "repeated": "says something twice",
    "short": "much shorter than the source",
    "number": "a number is missing",
    "name": "a name is missing",
    "copied": "an English word is left",
    "made_up": "a word that is none",
}
"""The signs, and what each means in words."""

_STUTTER = re.compile(r"([^\W_]{1,3})\1\1")
_TITLES = ("Mr", "Mrs", "Ms", "Dr")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July")
_MONTHS += ("August", "September", "October", "November", "December")
_NO_NAMES = {"I", "English", "Spanish", *_TITLES, *_DAYS, *(f"{day}s" for day in _DAYS), *_MONTHS}


def words(text: str) -> list[str]:
    """The words and numbers of a text as they are written, without punctuation; *don't* is two."""
    return re.findall(r"[^\W_]+", text)


def _comes_back(text: str) -> list[str]:
    """Words of four letters and more that come back soon, runs of three words that come back, stutters in a word."""
    said = [word.lower() for word in words(text)]
    soon = [word for i, word in enumerate(said) if len(word) > 3 and word in said[i + 1 : i + 1 + REACH]]
    runs = [" ".join(said[i : i + 3]) for i in range(len(said) - 2)]
    again = [run for i, run in enumerate(runs) if run in runs[i + 3 :]]
    stutters = [word for word in said if not word.isdigit() and _STUTTER.search(word)]
    return soon + again + stutters


def repeated(source: str, translation: str) -> list[str]:
    """What a translation says again: a word of four letters or more soon, three words in a row, a piece three times.

    Args:
        source: it may repeat something itself; then as many repetitions of the translation are allowed.
        translation: what is examined.

    Returns:
        Words and runs of words, in small letters; none unless there are more than the source has.
    """
    found = _comes_back(translation)
    return found if len(found) > len(_comes_back(source)) else []


def short(source: str, translation: str) -> list[str]:
    """The length of a translation and of its source in words, if the first is less than `SHORTEST` of the second.

    Short sources are left alone: *Let us go and sit down* may be *Sentémonos* in Spanish.
    """
    has, wanted = len(words(translation)), len(words(source))
    return [f"{has} of {wanted}"] if wanted >= ENOUGH and has < SHORTEST * wanted else []


def numbers(text: str) -> list[str]:
    """The numbers of a text as their digits: 1,250 and 1.250 and 1250 are one number."""
    return [re.sub(r"\D", "", found) for found in re.findall(r"\d+(?:[.,:]\d+)*", text)]


def missing_numbers(source: str, translation: str) -> list[str]:
    """Numbers written in digits in the source that the translation has not.

    Pitfall: a number that the translation spells in words counts as missing.
    """
    has = numbers(translation)
    return [number for number in numbers(source) if number not in has]


def names(text: str) -> list[str]:
    """Words with a capital letter that do not begin the sentence; *I*, days, months and titles are none.

    Pitfall: a name at the beginning is not seen, and *Vienna* is called *Viena* in Spanish.
    """
    text = re.sub(rf"\b({'|'.join(_TITLES)})\.", r"\1 ", text)  # its dot ends no sentence
    found = [(place.start(), place[0]) for place in re.finditer(r"[^\W_]+", text)]
    begins = [not re.search(r"[^\W_]", re.split(r"[.!?\"“”]\s*", text[:start])[-1]) for start, _ in found]
    return [
        word
        for (_, word), first in zip(found, begins, strict=True)
        if word[0].isupper() and not first and word not in _NO_NAMES
    ]


def missing_names(source: str, translation: str) -> list[str]:
    """Names of the source that do not stand in the translation, letter by letter."""
    has = words(translation)
    return [name for name in names(source) if name not in has]


def _unheard(source: str, translation: str, spanish: Collection[str]) -> list[str]:
    """Words of a translation that are not Spanish, but for names: a capital inside the sentence makes one."""
    spelt, kept = words(translation), [word for word in words(source) if word[0].isupper()]
    return [
        word.lower()
        for i, word in enumerate(spelt)
        if len(word) > 2 and word.lower() not in spanish and word not in kept and (i == 0 or word[0].islower())
    ]


def copied(source: str, translation: str, spanish: Collection[str]) -> list[str]:
    """Words of the source, in small letters, that stand in the translation and are not Spanish.

    Args:
        source, translation: the two texts.
        spanish: known Spanish words in small letters; *piano* and *hotel* are among them.
    """
    english = [word.lower() for word in words(source)]
    return [word for word in _unheard(source, translation, spanish) if word in english]


def made_up(source: str, translation: str, spanish: Collection[str]) -> list[str]:
    """Words of a translation that are neither Spanish nor words of the source.

    Args:
        source, translation: the two texts.
        spanish: known Spanish words in small letters, as many as possible: a rare right word that is not among them is
            taken for made up.
    """
    english = [word.lower() for word in words(source)]
    return [word for word in _unheard(source, translation, spanish) if word not in english]


def signs(source: str, translation: str, spanish: Collection[str]) -> dict[str, list[str]]:
    """What each of `SIGNS` found; signs that found nothing are left out.

    Args:
        source, translation: the two texts.
        spanish: known Spanish words in small letters.
    """
    found = {
        "repeated": repeated(source, translation),
        "short": short(source, translation),
        "number": missing_numbers(source, translation),
        "name": missing_names(source, translation),
        "copied": copied(source, translation, spanish),
        "made_up": made_up(source, translation, spanish),
    }
    return {sign: what for sign, what in found.items() if what}
