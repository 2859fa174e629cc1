"""Byte-pair encoding by itself: learn merges from counted words, and cut a word into pieces with them.

Sennrich et al. 2016, §3.2. The symbols to begin with are the characters of the words; the book's :mod:`.subwords` begin
with bytes, written as characters, and leave the work to the tokenizers library, which does the same much faster.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Merge = tuple[str, str]
"""Two pieces that become one wherever they are neighbours."""


def merge_pieces(pieces: Sequence[str], pair: Merge) -> list[str]:
    """Join the two pieces of a pair wherever they are neighbours, from left to right.

    Args:
        pieces: of one word, in order.
        pair: the pieces to join.

    Returns:
        The new pieces; together they spell what the old ones spelt.

    Pitfall: in three equal pieces a a a the first two are joined, and the third is left over.
    """
    merged, place = [], 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            merged.append(pieces[place] + pieces[place + 1])
            place += 2
        else:
            merged.append(pieces[place])
            place += 1
    return merged


def count_pairs(words: Iterable[tuple[Sequence[str], int]]) -> Counter[Merge]:
    """Count the neighbouring pairs in words.

    Args:
        words: each word as its pieces, with how often it stands in the text.

    Returns:
        How often each pair stands in the text.
    """
    counts: Counter[Merge] = Counter()
    for pieces, count in words:
        for pair in pairwise(pieces):
            counts[pair] += count
    return counts


def learn_merges(counts: Mapping[str, int], n_merges: int) -> list[Merge]:
    """Learn merges: join the most frequent neighbouring pair, count anew, and so on.

    Of pairs that are equally frequent the one is joined whose first piece is older, and of these the one whose second
    piece is. The characters are the oldest, in the order of Unicode; then come the pieces in the order of their merges.

    Args:
        counts: how often each word stands in the text, at least once.
        n_merges: how many merges are wanted; few words may give fewer.

    Returns:
        The merges in the order in which they were learnt.

    Raises:
        ValueError: if the number of merges is negative, or a count is not positive.
    """
    if n_merges < 0 or any(count < 1 for count in counts.values()):
        raise ValueError("need n_merges of at least 0 and counts of at least 1")
    words = [(list(word), count) for word, count in counts.items()]
    age = {piece: n for n, piece in enumerate(sorted(set("".join(counts))))}
    merges: list[Merge] = []
    while len(merges) < n_merges:
        pairs = count_pairs(words)
        if not pairs:  # every word is one piece
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        words = [(merge_pieces(w, best), count) for w, count in words]
        age.setdefault("".join(best), len(age))
        merges.append(best)
    return merges


def split_word(word: str, merges: Sequence[Merge]) -> list[str]:
    """Cut a word into pieces: of the merges that fit, make the one that was learnt first, and look again.

    Args:
        word: any text; characters that no merge knows stay single.
        merges: in the order in which they were learnt.

    Returns:
        Its pieces, which together spell the word.
    """
    return stages_of(word, merges)[-1]


def stages_of(word: str, merges: Sequence[Merge]) -> list[list[str]]:
    """The pieces of a word at each stage of :func:`split_word`, from its characters to its final pieces.

    Args:
        word, merges: as for :func:`split_word`.
    """
    rank = {pair: n for n, pair in enumerate(merges)}
    stages = [list(word)]
    while True:
        pieces = stages[-1]
        fitting = [p for p in pairwise(pieces) if p in rank]
        if not fitting:
            return stages
        first = min(fitting, key=rank.__getitem__)
        stages.append(merge_pieces(pieces, first))
