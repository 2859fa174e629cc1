"""What *beam-sizes* measured: the certain best translations, search errors, and BLEU by the width of the beam."""

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int
from matplotlib.figure import Figure

from ... import experiments
from ...analysis.seed_statistics import Measured, number
from ...pages.figures.plotting import curves
from ..reader import ResultReader

USUAL = 4
"""The beam to which the page compares narrower and wider ones."""


@dataclass(frozen=True)
class BeamSizes(ResultReader):
    """The result, as its page reads it."""

    @property
    def beams(self) -> list[int]:
        """The widths of the beam, rising."""
        return self.setting["beam_sizes"]

    @property
    def alphas(self) -> list[float]:
        """The length penalties."""
        return self.setting["length_penalties"]

    def run(self, alpha: float, beam: int) -> Mapping[str, Any]:
        """What one search came to."""
        return self.found[f"{alpha}/{beam}"]

    def errors(self, alpha: float, beam: int) -> Measured:
        """The share of the certain sentences on which the beam found something less probable.

        Its spread is half a 95 % interval over the sentences: 1.96 standard errors of a share, √(p (1 − p) / n).
        """
        share, n = self.run(alpha, beam)["search_errors"], self.found["exact"]["certain"]
        return Measured(share, 1.96 * (share * (1 - share) / n) ** 0.5, "interval", n)

    def bleu_change(self, alpha: float, first: int, second: int) -> float:
        """By how much BLEU rises from one beam to another, between the numbers that the table shows."""
        shown = [round(self.run(alpha, beam)["bleu"], 1) for beam in (first, second)]
        return shown[1] - shown[0]

    def expansions(self) -> Int[np.ndarray, " sentences"]:
        """How many prefixes the exact search took for each sentence; the cap if it was given up."""
        return np.array(self.found["exact"]["expansions"])

    def length_rows(self, groups: int = 4) -> list[tuple[str, ...]]:
        """A row per group of source lengths: sentences, the share that is certain, the median of the prefixes."""
        lengths, expansions = np.array(self.found["exact"]["source_tokens"]), self.expansions()
        cap, rows = self.setting["max_expansions"], []
        longest = [int(part[-1]) for part in np.array_split(np.sort(lengths), groups)]  # no length is in two groups
        for shorter, end in itertools.pairwise([0, *sorted(set(longest))]):
            group = np.flatnonzero((lengths > shorter) & (lengths <= end))
            certain = (expansions[group] < cap).mean()
            median = f"{np.median(expansions[group]):.0f}" if certain > 0.5 else f"more than {cap}"
            span = f"{lengths[group].min()} to {lengths[group].max()}"
            rows.append((span, str(len(group)), number(certain, ".0%"), median))
        return rows

    def error_lines(self) -> dict[str, tuple[list[int], list[float]]]:
        """Misses of the most probable translation without a length penalty, in per cent, by the width of the beam."""
        return {"no length penalty": (self.beams, [100 * self.errors(0.0, beam).value for beam in self.beams])}

    def error_figure(self) -> Figure:
        """The lines of :meth:`error_lines`, drawn."""
        figure = curves(self.error_lines(), x_label="beam", y_label="most probable missed (%)", x_scale="log")
        (axes,) = figure.axes
        axes.set_xticks(self.beams, [str(beam) for beam in self.beams])
        axes.minorticks_off()
        return figure

    def errors_told(self) -> str:
        """The lines of :meth:`error_lines` in words."""
        begin = (
            f"Share of {self.found['exact']['certain']} sentences on which the beam found a translation less "
            "probable than the best."
        )
        lines = (
            f"{name}: {', '.join(f'{share:.1f} % at {beam}' for beam, share in zip(*line, strict=True))}."
            for name, line in self.error_lines().items()
        )
        return " ".join([begin, *lines])

    def quality_rows(self, beams: Collection[int] = ()) -> list[tuple[str, ...]]:
        """A row per search: α, beam, BLEU, chrF, tokens per sentence, mean log P, and how many are empty.

        Args:
            beams: the widths to show; all of them if there are none.
        """
        rows = []
        for alpha in self.alphas:
            for beam in beams or self.beams:
                run = self.run(alpha, beam)
                scores = (
                    number(run[name], spec) for name, spec in (("bleu", ".1f"), ("chrf", ".1f"), ("tokens", ".2f"))
                )
                empty = str(round(run["empty"] * self.found["sentences"]))
                rows.append((f"{alpha:g}", str(beam), *scores, number(run["log_prob"], ".3f"), empty))
        return rows

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name; the digit after a name is 10 α."""
        exact, n = self.found["exact"], self.found["sentences"]
        usual, widest = self.run(0.6, USUAL)["certain"], self.beams[-1]
        numbers: dict[str, int | float | str] = {
            "n_val": n,
            "cap": self.setting["max_expansions"],
            "widest": widest,
            "n_certain": exact["certain"],
            "n_uncertain": n - exact["certain"],
            "median_expansions": float(np.median(self.expansions())),
            "exact_bleu": exact["bleu"],
            "n_empty": round(exact["empty"] * exact["certain"]),
            "certain_bleu_4": usual["bleu"],
        }
        for alpha in self.alphas:
            ten = round(10 * alpha)
            numbers[f"gain{ten}"] = _signed(self.bleu_change(alpha, 1, USUAL))
            numbers[f"loss{ten}"] = _signed(self.bleu_change(alpha, USUAL, widest))
            for beam in self.beams:
                numbers[f"errors{ten}_{beam}"] = f"{self.errors(alpha, beam):.1%}"
                numbers[f"tokens{ten}_{beam}"] = self.run(alpha, beam)["tokens"]
                numbers[f"log{ten}_{beam}"] = number(self.run(alpha, beam)["log_prob"], ".3f")
        return numbers


def _signed(change: float) -> str:
    told = number(change, "+.1f")
    return told if told.strip("+−0.") else "0.0"  # a zero has no sign


def read() -> BeamSizes:
    """The result on record."""
    return BeamSizes(experiments.read("beam-sizes"))
