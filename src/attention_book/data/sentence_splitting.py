"""What a reader types, made ready for a model that was trained on single, tidy sentences."""

import unicodedata
from itertools import pairwise

from .normalisation import tidy

_ABBREVIATIONS = frozenset(["mr", "mrs", "ms", "dr", "mt", "st", "prof", "rev", "gen", "capt", "sr", "jr", "vs", "etc"])


def split_sentences(text: str) -> list[str]:
    """Cut a text where one sentence ends and the next begins; nothing but space is lost.

    A sentence ends at `.`, `!`, `?` or `…`, with closing quotes and brackets, before a space and anything but a small
    letter. A single full stop does not end one after a title or a known abbreviation (Mr., Mt., etc.), after an initial
    (J.), after a word with a full stop inside (p.m., U.S.), nor between `No.` and a digit.

    Args:
        text: any text; its spaces are folded first (`normalisation.tidy`).

    Returns:
        The sentences; joined by single spaces they are the tidy text. None for a blank text.

    Pitfall: the rules err towards too few cuts: "I live in the U.S. Come and see me." stays whole.
    """
    words = tidy(text).split(" ")
    cuts = [place for place, (word, after) in enumerate(pairwise(words), start=1) if _is_end(word, after)]
    sentences = [" ".join(words[start:end]) for start, end in pairwise([0, *cuts, len(words)])]
    return sentences if sentences != [""] else []


def _is_end(word: str, after: str) -> bool:
    """Whether a sentence ends with this word, given the one after it."""
    closed = word.rstrip("\"'”’»)]")
    stem = closed.rstrip(".!?…")
    mark = closed[len(stem) :]
    if not mark or after[0].islower():
        return False
    if mark != ".":
        return True
    stem = stem.lstrip("\"'“‘«([¿¡").lower()
    initial = len(stem) == 1 and stem.isalpha() and stem != "i"
    number = stem == "no" and after[0].isdigit()
    return not (stem in _ABBREVIATIONS or "." in stem or initial or number)


def without_controls(text: str) -> tuple[str, list[str]]:
    """Put a space for every control character that is no kind of space itself.

    A control character (Unicode category Cc: NUL, BEL, ESC, DEL, …) has no meaning in a sentence, and no model of this
    book has seen one. Tabs and line ends are spaces already and stay as they are.

    Returns:
        The text, and the names of the replaced characters, such as `U+0000`, in the order of the text.
    """
    found = [c for c in text if unicodedata.category(c) == "Cc" and not c.isspace()]
    return text.translate({ord(c): " " for c in found}), [f"U+{ord(c):04X}" for c in found]
