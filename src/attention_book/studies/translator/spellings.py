"""How texts that look alike, or look short, are spelt: code points, bytes and pieces."""

import unicodedata

from ...data.subwords import Subwords

WORDS = {
    "हिन्दी": "the word *Hindi*",
    "क्ष": "kṣa, letters joined",
    "क्\u200dष": "the same with a joiner, half-form kept",
    "क्\u200cष": "the same with a non-joiner, mark shown",
}
"""Hindi spellings, and what a reader sees. A joiner is a character of its own that has no shape."""
HEADER = ("text", "what it is", "code points", "marks and joiners", "bytes", "pieces")


def spelling_rows(subwords: Subwords) -> list[tuple[str, ...]]:
    """A row per spelling of `WORDS`: its code points, those that are no letters of their own, bytes, and pieces."""
    rows = []
    for text, meaning in WORDS.items():
        joined = sum(unicodedata.category(character) in ("Mn", "Mc", "Cf") for character in text)
        sizes = len(text), joined, len(text.encode("utf-8")), len(subwords.encode(text))
        rows.append((text, meaning.replace("*", ""), *map(str, sizes)))
    return rows


def forms(text: str) -> dict[str, str]:
    """A text in its composed (NFC) and its decomposed (NFD) form."""
    return {form: unicodedata.normalize(form, text) for form in ("NFC", "NFD")}
