"""From attention weights to links between words, and links counted beside gold ones."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..translation.evaluation import Alignment

READINGS = ("to come", "just read")
"""Whose word a row of cross-attention is: the one that it helps to predict, or the one that the decoder has just read.
"""


def word_weights(
    weights: Float[Tensor, "*heads rows columns"], source: Sequence[int], target: Sequence[int], reading: str
) -> Float[Tensor, "*heads target_words source_words_and_end"]:
    """Weights between words, made of weights between pieces.

    A word's weight is the sum over its pieces in the source, and the mean over its pieces in the target.

    Args:
        weights: a row for ``<s>`` and for each piece of the target that the decoder reads, a column for each piece of
            the source and one for ``</s>``.
        source, target: for each piece, the word that it is part of; words are counted from 0.
        reading: one of `READINGS`. The row of a piece *to come* is the row at the piece before it; the row of a piece
            *just read* is the row at the piece itself.

    Returns:
        A row per word of the target; a column per word of the source, and the column of ``</s>`` last.

    Raises:
        ValueError: if there is no such reading, or rows and columns are not those of the pieces.
    """
    if reading not in READINGS:
        raise ValueError(f"reading must be one of {', '.join(READINGS)}, got {reading!r}")
    if weights.shape[-2:] != (len(target) + 1, len(source) + 1):
        raise ValueError(
            f"weights of {weights.shape[-2]} rows and {weights.shape[-1]} columns do not fit {len(target)} pieces and "
            f"<s>, {len(source)} pieces and </s>"
        )
    first = READINGS.index(reading)
    rows = weights[..., first : first + len(target), :]
    to_columns = torch.nn.functional.one_hot(torch.tensor([*source, max(source) + 1])).to(rows)
    to_rows = torch.nn.functional.one_hot(torch.tensor(target)).T.to(rows)
    return (to_rows / to_rows.sum(dim=1, keepdim=True)) @ rows @ to_columns


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> list[int]:
    """For each readable piece of a sentence the word that it is part of, counted from 0.

    Args:
        pieces: as `Subwords.tokens` gives them, "▁" for a space.
        words: of the same sentence; marks are words of their own.

    Raises:
        ValueError: if the pieces do not spell the words, or a piece holds parts of two.
    """
    found, word, spelt = [], 0, ""
    for piece in pieces:
        if word == len(words):
            raise ValueError(f"the piece {piece!r} comes after the last of the words {' '.join(words)!r}")
        spelt += piece.replace("▁", "")
        if not words[word].startswith(spelt):
            raise ValueError(f"the piece {piece!r} does not go on with {words[word]!r}")
        found.append(word)
        if spelt == words[word]:
            word, spelt = word + 1, ""
    if word < len(words):
        raise ValueError(f"the pieces end before {words[word]!r}")
    return found


class Counts(NamedTuple):
    """What the alignment error rate of a sentence is made of.

    Attributes:
        links: how many links were proposed, |A|.
        in_sure, in_possible: how many of them are sure, |A ∩ S|, and how many at least possible, |A ∩ P|.
        sure: how many sure links there are, |S|.
    """

    links: int
    in_sure: int
    in_possible: int
    sure: int


def links_of(choices: Sequence[int], n_source: int) -> frozenset[tuple[int, int]]:
    """The links (source, target) of one source word for each target word, where ``n_source`` stands for none."""
    return frozenset((int(i), j) for j, i in enumerate(choices) if i < n_source)


def counted(links: Alignment, sure: Alignment, possible: Collection[tuple[int, int]] = ()) -> Counts:
    """Links beside the gold ones of their sentence; ``possible`` need not repeat the sure ones."""
    proposed, sure = set(links), set(sure)
    return Counts(len(proposed), len(proposed & sure), len(proposed & (sure | set(possible))), len(sure))


def error_rates(counts: Int[np.ndarray, "*heads sentences four"]) -> Float[np.ndarray, "*heads"] | np.float64:
    """The alignment error rate of each head: counts are summed over sentences before they are divided."""
    links, in_sure, in_possible, sure = np.moveaxis(counts.sum(axis=-2), -1, 0)
    return 1 - (in_sure + in_possible) / (links + sure)


def precisions(counts: Int[np.ndarray, "*heads sentences four"]) -> Float[np.ndarray, "*heads"] | np.float64:
    """The share of proposed links that are possible ones; 1 where nothing was proposed."""
    links, _, in_possible, _ = np.moveaxis(counts.sum(axis=-2), -1, 0)
    return np.where(links > 0, in_possible / np.maximum(links, 1), 1.0)


def recalls(counts: Int[np.ndarray, "*heads sentences four"]) -> Float[np.ndarray, "*heads"] | np.float64:
    """The share of sure links that were proposed."""
    _, in_sure, _, sure = np.moveaxis(counts.sum(axis=-2), -1, 0)
    return in_sure / np.maximum(sure, 1)


def diagonal(n_source: int, n_target: int) -> list[int]:
    """For each target word the source word that stands as far into its sentence: what one can say without looking."""
    return [min(int((j + 0.5) * n_source / n_target), n_source - 1) for j in range(n_target)]


def picked(
    counts: Int[np.ndarray, "candidates sentences four"], size: int, draws: int, random: np.random.Generator
) -> tuple[float, float]:
    """What choosing the best candidate on a few sentences promises, and what it keeps on all others.

    Args:
        counts: of each candidate on each sentence.
        size: how many sentences are looked at when a candidate is chosen.
        draws: how often such sentences are drawn.
        random: draws them.

    Returns:
        The mean error rate of the chosen candidate on the sentences that it was chosen on, and on the others.
    """
    promised, kept = [], []
    for _ in range(draws):
        order = random.permutation(counts.shape[1])
        seen = error_rates(counts[:, order[:size]])
        best = int(seen.argmin())
        promised.append(seen[best])
        kept.append(error_rates(counts[best, order[size:]]))
    return float(np.mean(promised)), float(np.mean(kept))
