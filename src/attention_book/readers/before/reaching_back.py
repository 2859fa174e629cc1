"""What *reaching-back* measured: how far back cells feel, fresh and trained, and which task they learn."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ... import experiments
from ...analysis.gradient_reach import geometric_mean, rate
from ...analysis.seed_statistics import Measured, number, over_seeds
from ..reader import ResultReader

SHORT = {"RNN": "rnn", "GRU": "gru", "LSTM": "lstm", "LSTM, gates open": "open"}
"""The cells of the experiment, and how the names of their numbers begin."""
TOLD = (0, 10, 20, 30, 40)
GROWN = ("GRU", "LSTM")
"""The cells that are drawn before and after training."""
Line = tuple[Float[np.ndarray, " distances"], Float[np.ndarray, " distances"]]
LEARNED = 0.9
"""The share of symbols named from which a run counts as having learned the task."""


@dataclass(frozen=True)
class ReachingBack(ResultReader):
    """The result, as its page reads it."""

    @property
    def kinds(self) -> list[str]:
        """The cells."""
        return list(self.setting["cells"])

    @property
    def open_bias(self) -> float:
        """With what bias the open forget gates start."""
        return self.setting["cells"]["LSTM, gates open"]

    def reach(self, kind: str, when: str) -> list[Float[Tensor, " distances"]]:
        """The norm of the derivative by distance, one line per seed; ``when`` is "fresh" or "trained"."""
        return [torch.tensor(seed[f"{kind}/{when}"], dtype=torch.float64) for seed in self.seeds]

    def lines(self, when: str) -> dict[str, Line]:
        """Distances and the geometric mean of :meth:`reach`, by cell."""
        means = {kind: geometric_mean(self.reach(kind, when)).numpy() for kind in self.kinds}
        return {kind: (np.arange(len(line), dtype=float), line) for kind, line in means.items()}

    def told(self, when: str) -> str:
        """:meth:`lines` in words."""
        return _told(self.n_seeds, self.lines(when))

    def rate(self, kind: str, when: str, first: int = 10, last: int = 30) -> Measured:
        """The factor per step between two distances, mean and standard deviation over seeds."""
        return over_seeds(np.array([rate(line, first, last) for line in self.reach(kind, when)]))

    def grown(self) -> dict[str, Line]:
        """:meth:`lines` of the cells in `GROWN`, fresh and after training."""
        return {f"{kind}, {when}": self.lines(when)[kind] for kind in GROWN for when in ("fresh", "trained")}

    def grown_told(self) -> str:
        """:meth:`grown` in words."""
        return _told(self.n_seeds, self.grown())

    def recalled(self, kind: str, delay: int) -> Measured:
        """Share of symbols named after a delay."""
        return self.measured(f"{kind}/{delay}/recalled")

    def named(self, delay: int) -> dict[str, float]:
        """The percentage of symbols named after a delay, by the cell's short name, for the page's text."""
        return {f"{SHORT[kind]}_named": 100 * self.recalled(kind, delay).value for kind in self.kinds}

    def steps(self, kind: str, delay: int) -> Measured:
        """How many steps of training a delay took."""
        return self.measured(f"{kind}/{delay}/steps")

    def recalled_rows(self) -> list[tuple[str, ...]]:
        """A row per cell: the percentage of symbols named by delay, and how many seeds learned the task."""
        delays = self.setting["delays"]
        return [(kind, *(self._recalled_told(kind, delay) for delay in delays)) for kind in self.kinds]

    def learned(self, kind: str, delay: int) -> int:
        """How many seeds named at least the share `LEARNED` of the symbols."""
        return int((self.of(f"{kind}/{delay}/recalled") >= LEARNED).sum())

    def _recalled_told(self, kind: str, delay: int) -> str:
        share = number(self.recalled(kind, delay).value, ".0%")
        return f"{share} ({self.learned(kind, delay)} of {self.n_seeds})"

    def recalled_header(self) -> list[str]:
        """The headings of :meth:`recalled_rows`."""
        return ["symbols named", *(f"{delay} steps" for delay in self.setting["delays"])]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        return {
            "open_bias": self.open_bias,
            "open_gate": 1 / (1 + math.exp(-self.open_bias)),
            "n_seeds": self.n_seeds,
            **{f"{SHORT[kind]}_fresh": self.rate(kind, "fresh").value for kind in self.kinds},
            **{
                name: self.setting[name]
                for name in ("hidden", "symbols", "steps", "batch", "d_in", "clip", "rate", "after_delay")
            },
            "chance": 100 / self.setting["symbols"],
            "learned_from": 100 * LEARNED,
        }


def _told(n_seeds: int, lines: dict[str, Line]) -> str:
    words = [f"Norm of the derivative by distance, geometric mean of {n_seeds} seeds, logarithmic axis."]
    for name, (_, line) in lines.items():
        near, *far = (f"{line[distance]:.2g} at {distance}" for distance in TOLD)
        words.append(f"{name}: {near.replace(' at ', ' at distance ')}, {', '.join(far)}.")
    return " ".join(words)


def read() -> ReachingBack:
    """The result on record."""
    return ReachingBack(experiments.read("reaching-back"))
