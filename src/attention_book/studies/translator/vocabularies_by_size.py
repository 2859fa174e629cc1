"""What more merges change, counted: ten words by pencil, and one sentence in three vocabularies."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from ...data.byte_pair_encoding import Merge, learn_merges, split_word
from ...data.subwords import SPECIALS, Subwords
from ...pages.diagrams.translator.ten_words import TEN_WORDS
from ...paths import PRETRAINED

MERGES = (0, 2, 4)
"""The three vocabularies of the ten words, by their number of merges."""
WORDS = {"cats": "stands 3 times", "hat": "stands once", "chat": "never stands"}
"""A frequent word, a rare one and one that is not in the text, and how the page says so."""
HEADER = ("pieces in the vocabulary", *(f"{word}, which {often}" for word, often in WORDS.items()))
TRADE_HEADER = ("pieces in the vocabulary", "pieces in the text", "times per piece", "pieces that never stand")


def piece_counts(counts: Mapping[str, int], merges: Sequence[Merge]) -> Counter[str]:
    """How often each piece of a vocabulary stands in a text, when all words are cut with all merges.

    Args:
        counts: how often each word stands in the text.
        merges: in the order in which they were learnt.

    Returns:
        A count for each character of the text and each piece that a merge makes; some may be 0.
    """
    found = Counter(dict.fromkeys([*sorted(set("".join(counts))), *("".join(pair) for pair in merges)], 0))
    for word, count in counts.items():
        for piece in split_word(word, merges):
            found[piece] += count
    return found


def word_rows() -> list[tuple[str, ...]]:
    """A row per vocabulary of the ten words: its size, and the pieces of each word of `WORDS`."""
    rows = []
    for n in MERGES:
        merges = learn_merges(TEN_WORDS, n)
        rows.append((str(len(piece_counts(TEN_WORDS, merges))), *(" ".join(split_word(w, merges)) for w in WORDS)))
    return rows


def trade_rows() -> list[tuple[str, ...]]:
    """A row per vocabulary of the ten words: its size, the length of the text, and how often a piece is seen."""
    rows = []
    for n in MERGES:
        found = piece_counts(TEN_WORDS, learn_merges(TEN_WORDS, n))
        length = found.total()
        unseen = [piece for piece, count in found.items() if count == 0]
        rows.append((str(len(found)), str(length), f"{length / len(found):.1f}", ", ".join(unseen) or "none"))
    return rows


@cache
def with_size(size: int) -> Subwords:
    """The vocabulary that one gets by stopping early: the first pieces of the shipped one, and their merges.

    Args:
        size: how many pieces, from 260, the special pieces and the bytes, to all of the shipped ones.

    Raises:
        ValueError: if there are not so many, or fewer than the bytes need.
    """
    settings = json.loads((PRETRAINED / "en-es" / "tokenizer.json").read_text(encoding="utf-8"))
    model = settings["model"]
    least, most = len(SPECIALS) + 256, len(model["vocab"])
    if not least <= size <= most:
        raise ValueError(f"size is {size}; it can be from {least}, the bytes alone, to {most}, all pieces")
    model["merges"] = model["merges"][: size - least]
    model["vocab"] = {piece: place for piece, place in model["vocab"].items() if place < size}
    return Subwords(json.dumps(settings, ensure_ascii=False))


def pieces_of(text: str, size: int) -> list[str]:
    """A text in the pieces of :func:`with_size`, readable, each space as a mark before the piece that follows it."""
    subwords = with_size(size)
    return subwords.tokens(subwords.encode(text))
