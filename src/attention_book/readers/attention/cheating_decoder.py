"""What *cheating-decoder* measured: losses and right words of a decoder with the causal mask and of one without."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Num

from ... import experiments
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

ARMS = {"masked": "with the mask", "unmasked": "without it"}
WHAT = {
    "training loss, nats per token": "loss",
    "right, whole target given, as in training": "whole_target",
    "right, given only the right words so far": "prefix_only",
    "right, writing alone, after its own words": "alone",
    "right, whole target given, but the mask put on": "mask_put_on",
}
"""The rows of the page's table, and the metric of each."""


@dataclass(frozen=True)
class CheatingDecoder(ResultReader):
    """The result, as its page reads it."""

    @property
    def few(self) -> int:
        """Words of the small dictionary."""
        return self.setting["words"][0]

    @property
    def many(self) -> int:
        """Words of the large dictionary, of which the page speaks."""
        return self.setting["words"][1]

    @property
    def floor(self) -> float:
        """The least loss of a decoder that is not shown the answer, in nats per token."""
        return self.shared(f"floor_{self.many}")

    def chance(self, words: int) -> float:
        """The share of right words of whoever does not know the source."""
        return self.shared(f"chance_{words}")

    def of_arm(self, arm: str, what: str, words: int | None = None) -> Measured:
        """A metric of an arm, mean and deviation over seeds; the large dictionary unless told otherwise."""
        return self.measured(f"{arm}_{words or self.many}_{what}")

    def told(self, arm: str, what: str, words: int | None = None) -> str:
        """:meth:`of_arm` as it is printed: a loss in nats, anything else in per cent."""
        return format(self.of_arm(arm, what, words), ".3f" if what == "loss" else ".1%")

    def curve(self, arm: str) -> Float[np.ndarray, " points"]:
        """The training loss, mean over seeds."""
        return self.of(f"{arm}_{self.many}_curve").mean(0)

    @property
    def steps(self) -> Num[np.ndarray, " points"]:
        """The step at which each point of a :meth:`curve` ends."""
        return self.setting["curve_every"] * np.arange(1, len(self.curve("masked")) + 1)

    def lines(self) -> dict[str, tuple[Num[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """Steps and training loss of both arms, and the least possible."""
        least = np.full(len(self.steps), self.floor)
        curves = {name: (self.steps, self.curve(arm)) for arm, name in ARMS.items()}
        return curves | {"least possible without the answer": (self.steps, least)}

    def below_the_floor_by(self) -> int:
        """The first step by which the decoder without a mask has a mean loss below the floor."""
        return int(self.steps[np.argmax(self.curve("unmasked") < self.floor)])

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        masked, unmasked = (self.curve(arm)[-1] for arm in ARMS)
        return (
            f"Training loss, mean of {len(self.result['seeds'])} seeds, logarithmic axis. A point averages "
            f"{self.setting['curve_every']} steps, and the table the last 50. With the mask it ends at "
            f"{masked:.3f}, above the least possible, {self.floor:.3f}. Without it, it is below that line by step "
            f"{self.below_the_floor_by()} and ends at {unmasked:.4f}."
        )

    def rows(self) -> list[tuple[str, ...]]:
        """A row of the table per line of `WHAT`, a column per arm."""
        return [(name, *(self.told(arm, what) for arm in ARMS)) for name, what in WHAT.items()]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        told = {f"{arm}_{what}": self.told(arm, what) for arm in ARMS for what in WHAT.values()}
        return told | {
            **{f"{arm}_few": self.told(arm, "alone", self.few) for arm in ARMS},
            **{name: self.setting[name] for name in ("length", "synonyms", "steps")},
            "words": self.many,
            "few_words": self.few,
            "floor": self.floor,
            "n_seeds": self.n_seeds,
            "chance": 100 * self.chance(self.many),
            "few_chance": 100 * self.chance(self.few),
        }


def read() -> CheatingDecoder:
    """The result on record."""
    return CheatingDecoder(experiments.read("cheating-decoder"))
