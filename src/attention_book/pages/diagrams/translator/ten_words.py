"""The figure of ten words under byte-pair encoding: a row of boxes per word, a column per merge."""

from matplotlib.colors import to_rgb

from ....data.byte_pair_encoding import learn_merges, merge_pieces
from ...figures.plotting import INK
from ..shapes import SMALL, box, said, sheet

TEN_WORDS = {"cats": 3, "cat": 1, "hats": 2, "hat": 1, "eats": 1, "eat": 2}
"""Ten running words: how often each of the six different ones stands in the text."""
MERGES = 4
_LETTER, _BETWEEN, _ROW = 7.0, 2.5, 25.0
_LEFT, _COLUMN = 53.5, 60.0
_HEAD = 34.0


def columns() -> list[dict[str, list[str]]]:
    """The pieces of each word: at the start, and after each of the first merges."""
    found = [{word: list(word) for word in TEN_WORDS}]
    for pair in learn_merges(TEN_WORDS, MERGES):
        found.append({word: merge_pieces(pieces, pair) for word, pieces in found[-1].items()})
    return found


def ten_words():
    """Six words, and how four merges join their letters to pieces; a piece that has just been made is shaded."""
    height = _HEAD + _ROW * len(TEN_WORDS) + 4
    merges = learn_merges(TEN_WORDS, MERGES)
    with sheet(height) as axes:
        for row, (word, count) in enumerate(TEN_WORDS.items()):
            y = height - _HEAD - (row + 0.5) * _ROW
            said(axes, (_LEFT - 8, y), f"{count} × {word}", ha="right")
        for column, split in enumerate(columns()):
            left = _LEFT + column * _COLUMN
            head = "letters" if column == 0 else f"{merges[column - 1][0]} + {merges[column - 1][1]}"
            said(axes, (left, height - 10), "start" if column == 0 else f"merge {column}", ha="left")
            said(axes, (left, height - 23), head, ha="left", fontweight="bold" if column else "normal")
            new = "".join(merges[column - 1]) if column else None
            for row, pieces in enumerate(split.values()):
                x, y = left, height - _HEAD - (row + 0.5) * _ROW
                for place, piece in enumerate(pieces):
                    width = _LETTER * len(piece) + 4
                    fill = (*to_rgb(INK), 0.16) if piece == new else "none"
                    name = f"{column}-{row}-{place}"
                    box(axes, (x + width / 2, y), (width, 16), name, facecolor=fill, linewidth=0.7)
                    said(axes, (x + width / 2, y), piece, fontsize=SMALL)
                    x += width + _BETWEEN
    return axes.figure


def ten_words_told() -> str:
    """The figure of :func:`ten_words` in words."""
    merges = learn_merges(TEN_WORDS, MERGES)
    words = ", ".join(f"{count} times {word}" for word, count in TEN_WORDS.items())
    told = [f"Ten words: {words}. At the start each word is its letters."]
    before = columns()[0]
    for n, (pair, split) in enumerate(zip(merges, columns()[1:], strict=True), start=1):
        changed = "; ".join(f"{word} is {' '.join(split[word])}" for word in split if split[word] != before[word])
        told.append(f"Merge {n} joins {pair[0]} and {pair[1]}: {changed}.")
        before = split
    return " ".join(told)
