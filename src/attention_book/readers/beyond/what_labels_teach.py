"""What *what-labels-teach* measured: right labels of a linear layer on a frozen encoder, by its hint."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, number, over_seeds
from ..reader import ResultReader

HINTS = {"hidden": "both", "lowest": "what to compare", "verb": "where to look", "mean": "no hint"}
"""The hints that the page compares, as it calls them."""
TOLD = (0, 3, 5, -1)
"""The places among the sizes that the page's table shows."""


@dataclass(frozen=True)
class WhatLabelsTeach(ResultReader):
    """The result, as its page reads it."""

    @property
    def sizes(self) -> list[int]:
        """Numbers of labelled sentences, the smallest first."""
        return self.setting["labelled"]

    def right(self, hint: str, size: int) -> Measured:
        """The share of right labels after so many labelled sentences: mean and standard deviation."""
        return over_seeds(self.of(hint)[:, self.sizes.index(size)])

    @property
    def few(self) -> int:
        """The smallest number of labels with which the comparison, told alone, judges nine of ten rightly."""
        return next(size for size in self.sizes if self.right("lowest", size).value >= 0.9)

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " sizes"]]]:
        """Numbers of labelled sentences and mean per cent of right labels, by hint."""
        return {name: (self.sizes, 100 * self.of(hint).mean(0)) for hint, name in HINTS.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [f"Right labels in per cent over labelled sentences, logarithmic axis, mean of {self.n_seeds} seeds."]
        for name, (sizes, share) in self.lines().items():
            told.append(
                f"{name[0].upper()}{name[1:]}: {share[0]:.0f} with {sizes[0]}, {share[-1]:.0f} with {sizes[-1]:,}."
            )
        return " ".join(told)

    def header(self) -> list[str]:
        """The header of :meth:`rows`."""
        return ["labelled sentences", *HINTS.values()]

    def rows(self) -> list[tuple[str, ...]]:
        """A row for some numbers of labelled sentences, a column per hint."""
        some = [self.sizes[at] for at in TOLD]
        return [(f"{size:,}", *(f"{self.right(hint, size):.1%}" for hint in HINTS)) for size in some]

    def guess_rows(self) -> list[tuple[str, str, str]]:
        """Each form of the example's verb, its probability in the first seed, and the number that the rule reads."""
        guess = self.seeds[0]["example"]
        rows = []
        for form, p in guess.items():
            best = max(other for name, other in guess.items() if name != form)
            rows.append((form, f"{p:.4f}", number(math.log(p / best), "+.2f")))
        return rows

    def numbers(self) -> dict[str, int | str]:
        """What the page's text is given, by name."""
        few, most = self.few, self.sizes[-1]
        return {
            "hint_few": few,
            "hint_most": most,
            "hint_steps": self.setting["long_steps"],
            "hidden_few": f"{self.right('hidden', few):.1%}",
            "lowest_few": f"{self.right('lowest', few):.1%}",
            "shown_few": f"{self.right('shown', few):.1%}",
            "verb_most": f"{self.right('verb', most):.1%}",
            "verb_long": f"{self.measured('verb_long'):.1%}",
            "mean_long": f"{self.measured('mean_long'):.1%}",
        }


def read() -> WhatLabelsTeach:
    """The result on record."""
    return WhatLabelsTeach(experiments.read("what-labels-teach"))
