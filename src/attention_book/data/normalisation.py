"""Text made comparable: the forms in which two sentences count as the same, and in which readers get them."""

import unicodedata
from dataclasses import dataclass

_ZERO_WIDTH_SPACES = {0x200B: None, 0x2060: None, 0xFEFF: None}


@dataclass(frozen=True)
class Pair:
    """A sentence and a translation of it.

    Attributes:
        source: the sentence.
        target: one of its translations.
        references: every translation that the corpus has for exactly this source; the first is `target`.
    """

    source: str
    target: str
    references: tuple[str, ...]


class _LettersAndDigits(dict):
    """A table for `str.translate` that keeps letters, marks and digits and drops all else."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_KEPT = _LettersAndDigits()


def normalise(text: str) -> str:
    """The form in which two sentences count as the same: NFKC, case folded, with letters, marks and digits only.

    Spaces go too, so that "well-known", "well known" and "wellknown" are one, whichever way punctuation is taken. So
    does a zero-width joiner or non-joiner: in Hindi it chooses between two shapes of the same letters.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", folded.translate(_KEPT))


def tidy(text: str) -> str:
    """The form in which readers and models get a sentence: NFC, runs of any spaces folded into one, none at either end.

    Zero-width spaces are removed. Zero-width joiners and non-joiners stay: Hindi spelling uses them.
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(_ZERO_WIDTH_SPACES)).split())
