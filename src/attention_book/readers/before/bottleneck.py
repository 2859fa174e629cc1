"""What *bottleneck* measured: how much of a sentence survives one state, by length, width and order of reading."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Curves, Measured, Seeds, difference, over_seeds
from ...little_language.language import count_sources
from ..reader import ResultReader

REMINDED = {"reminded at every step": ("128", "128 reversed"), "handed over once": ("128 once", "128 once reversed")}
"""How the decoder gets the source's state, and the arms that read forwards and in reverse."""

AFTER_TANH = 2 * int(np.float32(1).view(np.uint32)) + 1
"""How many 32-bit floats lie between −1 and 1: the bits number those above 0 in their order, 1 is the last of them, as
many lie below 0, and 0 itself. This bounds what a number that comes out of a tanh can tell apart."""


@dataclass(frozen=True)
class ByLength(ResultReader):
    """A result whose arms were examined on the same groups of sentences, from short to long."""

    @property
    def n_pairs(self) -> float:
        """About how many pairs a seed trains on: the mean over seeds, to three digits."""
        return float(f"{self.of('pairs').mean():.3g}")

    @property
    def groups(self) -> list[str]:
        """The groups of sentences by name, such as "6–8", in tokens of the longer side."""
        return list(self.setting["groups"])

    @property
    def inside(self) -> list[int]:
        """The places of the groups that are no longer than what was trained on."""
        ends = [longest for _, longest, _ in self.setting["groups"].values()]
        return [place for place, longest in enumerate(ends) if longest <= self.setting["longest"]]

    @property
    def middles(self) -> Float[np.ndarray, " groups"]:
        """The middle of each group, in tokens."""
        return np.array([(shortest + longest) / 2 for shortest, longest, _ in self.setting["groups"].values()])

    def right(self, arm: str) -> Curves:
        """Share of right translations, from 0 to 1, one column per group."""
        return self.of(f"{arm}/right")

    def above(self, arm: str) -> Curves:
        """Loss above the floor, in nats per token, one column per group."""
        return self.of(f"{arm}/loss") - self.of("floor")

    def right_inside(self, arm: str) -> Seeds:
        """Percentage of right translations over all lengths that training had."""
        return 100 * self.right(arm)[:, self.inside].mean(1)

    def above_inside(self, arm: str) -> Seeds:
        """Loss above the floor over all lengths that training had."""
        return self.above(arm)[:, self.inside].mean(1)

    def parameters(self, arm: str) -> int:
        """How many numbers an arm learns."""
        return self.shared(f"{arm}/parameters")


def told_by_length(lines: Mapping[str, Float[np.ndarray, " groups"]], groups: Sequence[str], n_seeds: int) -> str:
    """Percentages of right translations in words.

    Args:
        lines: by name, one percentage per group.
        groups: names of the groups.
        n_seeds: over how many seeds they are means.
    """
    each = [
        f"{name}: {', '.join(f'{x:.0f} % at {group}' for group, x in zip(groups, line, strict=True))}."
        for name, line in lines.items()
    ]
    return " ".join([f"Share of right translations by length, mean of {n_seeds} seeds.", *each])


@dataclass(frozen=True)
class Bottleneck(ByLength):
    """The result, as its page reads it."""

    @property
    def widths(self) -> list[str]:
        """The arms that differ in the width of the state alone, the narrowest first."""
        return [arm for arm in self.setting["settings"] if arm.isdigit()]

    def right_lines(self) -> dict[str, Float[np.ndarray, " groups"]]:
        """Percentage of right translations by group, mean over seeds, for each width."""
        return {f"width {arm}": 100 * self.right(arm).mean(0) for arm in self.widths}

    def right_told(self) -> str:
        """:meth:`right_lines` in words."""
        lines = {name.capitalize(): line for name, line in self.right_lines().items()}
        return told_by_length(lines, self.groups, self.n_seeds)

    def right_rows(self) -> list[tuple[str, ...]]:
        """A row per group, the percentage of right translations by width; and the numbers of parameters."""
        share = lambda arm, place: f"{over_seeds(100 * self.right(arm)[:, place]):.0f}"  # noqa: E731
        rows = [
            (f"{group} tokens", *(share(arm, place) for arm in self.widths)) for place, group in enumerate(self.groups)
        ]
        return [*rows, ("parameters", *(f"{self.parameters(arm):,}" for arm in self.widths))]

    def reverse_costs(self, reminded: str) -> Measured:
        """What reading in reverse adds to the loss, same seed, with a standard deviation."""
        forwards, reverse = REMINDED[reminded]
        return difference(self.above_inside(reverse), self.above_inside(forwards), "deviation")

    def reverse_rows(self) -> list[tuple[str, ...]]:
        """Two rows per way to hand the state over: read forwards, and in reverse with the difference."""
        rows = []
        for label, arms in REMINDED.items():
            for order, arm in zip(("forwards", "in reverse"), arms, strict=True):
                right, above = over_seeds(self.right_inside(arm)), over_seeds(self.above_inside(arm))
                apart = f"{self.reverse_costs(label):+.2f}" if order == "in reverse" else ""
                rows.append((f"{label}, {order}", f"{right:.0f}", f"{above:.2f}", apart))
        return rows

    def once_gain(self) -> float:
        """How much loss reading in reverse takes away where the state is handed over once."""
        return -self.reverse_costs("handed over once").value

    def remind_gain(self) -> float:
        """How much loss reminding takes away, read forwards."""
        reminded, once = (arms[0] for arms in REMINDED.values())
        return float(self.above_inside(once).mean() - self.above_inside(reminded).mean())

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        sources, narrow, widest = count_sources(1), int(self.widths[0]), self.widths[-1]
        float_bits = math.log2(AFTER_TANH)
        return {
            "clauses": sources,
            "bits_1": math.log2(sources),
            "narrow": narrow,
            "float_bits": float_bits,
            "narrow_bits": narrow * float_bits,
            "narrow_right": 100 * self.right(self.widths[0]).mean(0)[0],
            "room_clauses": int(narrow * float_bits / math.log2(sources)),
            "n_seeds": self.n_seeds,
            "n_pairs": self.n_pairs,
            "longest": self.setting["longest"],
            f"beyond_{widest}": 100 * self.right(widest).mean(0)[-1],
            "once_gain": self.once_gain(),
            "remind_gain": self.remind_gain(),
        }


def read() -> Bottleneck:
    """The result on record."""
    return Bottleneck(experiments.read("bottleneck"))
