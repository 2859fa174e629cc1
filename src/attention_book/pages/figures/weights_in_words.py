"""A matrix of weights in words, for the alternative text of its figure."""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from ...analysis.seed_statistics import number

Matrix = Float[np.ndarray, "rows columns"]


def rows_told(matrix: Iterable[Iterable[float]], labels: Sequence[str], spec: str = ".2f") -> str:
    """All numbers, row by row: ``"Cross 0: 0.12, 0.34."``

    Args:
        matrix: the numbers.
        labels: what each row is called.
        spec: the format of a number.
    """
    rows = zip(labels, matrix, strict=True)
    return " ".join(f"{label}: {', '.join(number(value, spec) for value in row)}." for label, row in rows)


def largest_told(weights: Matrix, rows: Sequence[str], columns: Sequence[str], least: float = 0.1) -> str:
    """The weights above ``least``, row by row: ``"cats: 0.61 on like, 0.20 on I."``

    Args:
        weights: one row per query.
        rows, columns: the tokens of the queries and of the keys.
        least: the weights that are told are larger.
    """
    told = []
    for token, row in zip(rows, weights, strict=True):
        large = [f"{number(x, '.2f')} on {key}" for key, x in zip(columns, row, strict=True) if x > least]
        told.append(f"{token}: {', '.join(large)}.")
    return " ".join(told)


def writing_told(weights: Matrix, written: Sequence[str], read: Sequence[str]) -> str:
    """On which source piece each written piece has its largest weight: ``"Writing gusta: most weight, 0.41, on like."``

    Args:
        weights: of a decoder's attention to the source, one row per written piece.
        written, read: the pieces of the target, in the order of the rows, and of the source.
    """
    most = [(piece, row.max(), read[row.argmax()]) for piece, row in zip(written, weights, strict=True)]
    return " ".join(f"Writing {piece}: most weight, {number(x, '.2f')}, on {key}." for piece, x, key in most)
