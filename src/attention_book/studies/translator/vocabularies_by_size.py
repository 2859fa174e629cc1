"""What more merges change, counted: ten words by pencil, and one sentence in three vocabularies."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ...data.byte_pair_encoding import Merge, learn_merges, split_word
from ...data.subwords import SPECIALS, Subwords
from ...pages.diagrams.translator.ten_words import TEN_WORDS
from ...paths import PRETRAINED

MERGES = (0, 2, 4)
"""The three vocabularies of the ten words, by their number of merges."""
WORDS = {"cats": "occurs 3 times", "hat": "occurs once", "chat": "never occurs"}
"""A frequent word, a rare one and one that is not in the text, and how the page says so."""
HEADER = ("pieces in the vocabulary", *(f"{word}, which {often}" for word, often in WORDS.items()))
LEAST = len(SPECIALS) + 256
"""The size of a vocabulary without merges: the special pieces and the bytes."""
SENTENCE, RARE, SIZES = "Vimos un erizo en el jardín.", "erizo", (500, 2000, 8000)
"""The sentence of the figure, its rare word, and the sizes of the vocabularies that cut it."""
TRADE_HEADER = ("pieces in the vocabulary", "pieces in the text", "mean count of a piece", "pieces never used")


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


def stopped_early(model: Mapping[str, Any], size: int) -> dict[str, Any]:
    """What is left of a vocabulary if the learning of merges had stopped at a size.

    Args:
        model: ``vocab``, from pieces to ids, and ``merges``, in the order in which they were learnt.
        size: how many pieces to keep; the first `LEAST` are no merges.

    Raises:
        ValueError: if there are not so many pieces, or fewer than `LEAST` are wanted.
    """
    if not LEAST <= size <= len(model["vocab"]):
        raise ValueError(f"size is {size}, and it can be from {LEAST} to {len(model['vocab'])}")
    merges = model["merges"][: size - LEAST]
    vocab = {piece: i for piece, i in model["vocab"].items() if i < size}
    return {**model, "merges": merges, "vocab": vocab}


@cache
def with_size(size: int) -> Subwords:
    """The shipped vocabulary, :func:`stopped_early`.

    Args:
        size: how many pieces, from `LEAST` to all of the shipped ones.

    Raises:
        ValueError: if there are not so many, or fewer than `LEAST` are wanted.
    """
    settings = json.loads((PRETRAINED / "en-es" / "tokenizer.json").read_text(encoding="utf-8"))
    return Subwords(json.dumps(settings | {"model": stopped_early(settings["model"], size)}, ensure_ascii=False))


def pieces_of(text: str, size: int) -> list[str]:
    """A text in the pieces of :func:`with_size`, readable, each space as a mark before the piece that follows it."""
    subwords = with_size(size)
    return subwords.tokens(subwords.encode(text))


def sentence_cuts() -> tuple[dict[int, list[str]], str]:
    """The pieces of `SENTENCE` by the size of the vocabulary, and its rare word."""
    return {size: pieces_of(SENTENCE, size) for size in SIZES}, RARE
