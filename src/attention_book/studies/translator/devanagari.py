"""Hindi as a model reads it: signs, marks and pieces."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from tokenizers import pre_tokenizers

from ...data.marked_words import MarkedSubwords
from ...data.subwords import Subwords
from ...little_language.language import sample

SENTENCE = "मुझे बिल्लियाँ पसंद हैं।"
"""*I like cats.* in the little language: to-me cats liking are."""
WORD = "बिल्लियाँ"
"""*cats*"""
HEARD = {
    "ब": "b (ba, if it stood alone)",
    "ि": "i",
    "ल": "l",
    "्": "no vowel",
    "य": "y",
    "ा": "long ā",
    "ँ": "the vowel goes through the nose",
}
SIGN_HEADER = ("sign", "what it is", "read as")
SHRED_HEADER = ("who reads it", "the Hindi word for cats", "parts")
CUT_HEADER = ("cut into", "parts of the sentence", "how many")
_PIECES, _PAIRS = 900, 2000


def is_mark(character: str) -> bool:
    """Whether Unicode calls a character a mark, which belongs to the letter before it."""
    return unicodedata.category(character).startswith("M")


def letters(text: str, belongs: Callable[[str], bool] = is_mark) -> list[str]:
    """A text as the letters that a reader sees: each with the marks after it.

    Args:
        text: in any script.
        belongs: whether a character goes with the one before it.
    """
    found: list[str] = []
    for character in text:
        if belongs(character) and found:
            found[-1] += character
        else:
            found.append(character)
    return found


def shred_rows() -> list[tuple[str, ...]]:
    """`WORD` as it is written, and as the usual pattern of words cuts it before any merge."""
    places = [place for _, place in pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(WORD)]
    parts = [WORD[start:end] for start, end in places]
    return [("a reader", WORD, "1"), ("our models", _shown(parts, len(parts)), str(len(parts)))]


def sign_rows() -> list[tuple[str, ...]]:
    """A row per code point of `WORD`. (A browser draws a dotted circle under a mark that stands alone.)"""
    return [(sign, "mark" if is_mark(sign) else "letter", HEARD[sign]) for sign in WORD]


@cache
def hindi_pieces(keep_marks: bool) -> Subwords:
    """A vocabulary of the little language's Hindi, its words cut before marks or kept whole."""
    texts = [pair.target for pair in sample(_PAIRS, seed=1, target="hi")]
    return (MarkedSubwords if keep_marks else Subwords).train(texts, _PIECES)


def cut_rows(shipped: Subwords) -> list[tuple[str, ...]]:
    """A row per way to cut `SENTENCE`: what the parts look like and how many they are, from the most to the fewest.

    Args:
        shipped: the vocabulary of English and Spanish.
    """
    own, whole = hindi_pieces(False), hindi_pieces(True)
    ways = {
        "pieces of English and Spanish": shipped.tokens(shipped.encode(SENTENCE)),
        "signs": [character.replace(" ", "▁") for character in SENTENCE],
        "pieces of Hindi, usual recipe": own.tokens(own.encode(SENTENCE)),
        "letters with their marks": [letter.replace(" ", "▁") for letter in letters(SENTENCE)],
        "pieces of Hindi, pattern changed": whole.tokens(whole.encode(SENTENCE)),
    }
    return [
        (name, _shown(parts, 6 if parts[0].startswith("⟨") else 24), str(len(parts))) for name, parts in ways.items()
    ]


def _shown(parts: Sequence[str], most: int) -> str:
    """The parts with a dot between, the first of them if they are many: one byte tells as much as all."""
    return " · ".join([*parts[:most], *["…"] * (len(parts) > most)])


def numbers() -> dict[str, int]:
    """What the page's text is given, by name: the sizes of the word and of the vocabularies."""
    return {
        "word_points": len(WORD),
        "word_marks": sum(map(is_mark, WORD)),
        "word_letters": len(letters(WORD)),
        "asked_pieces": _PIECES,
        "cut_pieces": len(hindi_pieces(False)),
    }
