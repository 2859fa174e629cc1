"""Attributions of one sentence held against what is known of it: its right words, and what exchanges do to it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from .agreement import first_place_right, spearman

Rows = Float[np.ndarray, "rows words"]
Right = Bool[np.ndarray, "rows words"]


@dataclass(frozen=True, eq=False)
class Sentence:
    """One sentence: some of its written tokens are the rows, its source words are the columns.

    Attributes:
        methods: the attributions by name.
        exchanged: for each source word that was exchanged, its column; and for each row the loss of ln P, a mean over
            its exchanges.
    """

    methods: Mapping[str, Rows]
    columns: list[int]
    exchanged: Float[np.ndarray, "rows exchanged"]

    def agreement(self) -> dict[str, Float[np.ndarray, " rows"]]:
        """Spearman's correlation of each pair of methods, row by row, by ``"first/second"``."""
        names = list(self.methods)
        return {
            f"{one}/{other}": spearman(self.methods[one], self.methods[other])
            for n, one in enumerate(names)
            for other in names[n + 1 :]
        }

    def foretold(self, fewest: int = 3) -> dict[str, Float[np.ndarray, " rows"]]:
        """How far each method's order of the exchanged words agrees with that of their effects, row by row.

        Args:
            fewest: without so many exchanged words there are no rows.
        """
        if len(self.columns) < fewest:
            return {}
        return {name: spearman(rows[:, self.columns], self.exchanged) for name, rows in self.methods.items()}

    def hits(self, right: Right) -> dict[str, Bool[np.ndarray, " rows_with_one"]]:
        """For each method, whether the largest attribution is at a right word, in the rows that have one."""
        rows = right.any(1)
        return {name: first_place_right(values[rows], right[rows]) for name, values in self.methods.items()}
