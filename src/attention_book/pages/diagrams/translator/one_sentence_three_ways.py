"""The figure of one sentence in three vocabularies: a row of boxes for each, one word shaded."""

from collections.abc import Mapping, Sequence

from matplotlib.colors import to_rgb

from ...figures.plotting import INK
from ..shapes import SMALL, box, said, sheet

_LETTER, _BETWEEN, _ROW, _LEFT = 6.6, 2.5, 42.0, 6.0


def inside(pieces: Sequence[str], word: str) -> list[bool]:
    """Which pieces hold letters of a word, whose first place in the text is meant.

    Raises:
        ValueError: if the pieces do not spell the word anywhere.
    """
    start = "".join(pieces).index(word)
    end, place, found = start + len(word), 0, []
    for piece in pieces:
        found.append(place < end and place + len(piece) > start)
        place += len(piece)
    return found


def one_sentence_three_ways(cuts: Mapping[int, Sequence[str]], word: str):
    """A row per vocabulary: the sentence in its pieces, those of the word shaded, and how many there are.

    Args:
        cuts: size of the vocabulary to the pieces of the sentence, which are texts without ⟨…⟩.
        word: the word that is shaded, as it stands in the sentence.
    """
    height = _ROW * len(cuts) + 2
    with sheet(height) as axes:
        for row, (size, pieces) in enumerate(cuts.items()):
            top = height - row * _ROW
            head = f"vocabulary of {size:,} pieces: {len(pieces)} in the sentence"
            said(axes, (_LEFT, top - 10), head, ha="left")
            x = _LEFT
            for place, (piece, shaded) in enumerate(zip(pieces, inside(pieces, word), strict=True)):
                width = _LETTER * len(piece) + 4
                fill = (*to_rgb(INK), 0.16) if shaded else "none"
                box(axes, (x + width / 2, top - 28), (width, 16), f"{row}-{place}", facecolor=fill, linewidth=0.7)
                said(axes, (x + width / 2, top - 28), piece, fontsize=SMALL)
                x += width + _BETWEEN
    return axes.figure


def one_sentence_three_ways_told(cuts: Mapping[int, Sequence[str]], word: str) -> str:
    """The figure of :func:`one_sentence_three_ways` in words."""
    told = []
    for size, pieces in cuts.items():
        part = [piece for piece, shaded in zip(pieces, inside(pieces, word), strict=True) if shaded]
        told.append(f"With {size:,} pieces in the vocabulary, the sentence has {len(pieces)}: {' '.join(pieces)}.")
        told.append(f"Of these, {len(part)} hold letters of {word}.")
    return " ".join(told)
