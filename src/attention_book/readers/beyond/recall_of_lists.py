"""What *recall-of-lists* measured: how often a trained attention finds the right symbol, by the length of the list."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, over_seeds
from ..reader import ResultReader


@dataclass(frozen=True)
class RecallOfLists(ResultReader):
    """The result, as its page reads it."""

    @property
    def lengths(self) -> list[int]:
        """Rows in a list, the fewest first."""
        return self.setting["lengths"]

    @property
    def arms(self) -> dict[str, str]:
        """The arms, as the page calls them."""
        return {arm: f"{kind}, width {d_k}" for arm, (kind, d_k) in self.setting["arms"].items()}

    def right(self, arm: str) -> Float[np.ndarray, "seeds lengths"]:
        """The share of right symbols."""
        return self.of(f"{arm}_right")

    def at(self, arm: str, length: int) -> Measured:
        """The share of right symbols in lists of one length, in per cent."""
        return over_seeds(100 * self.right(arm)[:, self.lengths.index(length)])

    @property
    def chance(self) -> float:
        """The share of right symbols for a guess."""
        return 1 / self.setting["symbols"]

    def fade(self, arm: str) -> int:
        """The first length at which fewer than four fifths are right in the mean.

        Raises:
            ValueError: if there is none.
        """
        faded = self.right(arm).mean(axis=0) < 0.8
        if not faded.any():
            raise ValueError(f"{arm} has four fifths right at every length")
        return self.lengths[int(faded.argmax())]

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " lengths"]]]:
        """Lengths and mean shares, in per cent, by name."""
        return {name: (self.lengths, 100 * self.right(arm).mean(axis=0)) for arm, name in self.arms.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = ["Right symbols in per cent, by rows in the list, logarithmic."]
        for name, (lengths, shares) in self.lines().items():
            points = ", ".join(f"{share:.0f} with {n}" for n, share in zip(lengths, shares, strict=True))
            told.append(f"{name[0].upper()}{name[1:]}: {points}.")
        return " ".join(told)

    @property
    def header(self) -> tuple[str, ...]:
        """Of :meth:`rows`."""
        return ("attention", *(f"{n} rows" for n in self.lengths))

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: the right symbols in per cent, for each length."""
        return [(name, *(f"{self.at(arm, n):.1f}" for n in self.lengths)) for arm, name in self.arms.items()]

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        longest, bits, narrow = self.lengths[-1], -math.log2(self.chance), self.setting["arms"]["linear_8"][1]
        memory = narrow * self.setting["d_v"] + narrow
        return {
            "recall_seeds": self.n_seeds,
            "recall_steps": self.setting["steps"],
            "recall_names": self.setting["names"],
            "recall_symbols": self.setting["symbols"],
            "recall_chance": 100 * self.chance,
            "recall_bits": bits,
            "recall_list_bits": bits * longest,
            "recall_narrow_numbers": memory,
            "recall_narrow_bits": 32 * memory,
            "recall_longest": longest,
            **{f"recall_{arm}": self.at(arm, longest).value for arm in self.arms},
            **{f"fade_{arm}": self.fade(arm) for arm in self.arms if arm.startswith("linear")},
        }


def read() -> RecallOfLists:
    """The committed result."""
    return RecallOfLists(experiments.read("recall-of-lists"))
