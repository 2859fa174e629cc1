"""What *large-start-small-rate* adds to *with-and-without-the-root*: the fourth of two starts by two rates of W^Q."""

from dataclasses import dataclass

from jaxtyping import Float
from numpy import ndarray

from ...analysis.seed_statistics import Measured, difference
from .with_and_without_the_root import WithAndWithoutTheRoot, read_large_start
from .with_and_without_the_root import read as read_three

FOURTH = "large_start"
ARMS = {
    "divided": ("small", "small", "divided"),
    "folded": ("small", "usual", "folded"),
    FOURTH: ("usual", "small", "the fourth"),
    "undivided": ("usual", "usual", "undivided"),
}
"""How W^Q starts and what learning rate it has, against √d_k times as much, and what the page calls the arm."""


@dataclass(frozen=True)
class StartAndRate:
    """The four arms, as the page reads them.

    Attributes:
        three: the result that has all arms but the fourth.
        fourth: the result with the fourth, of the same seeds and widths.
    """

    three: WithAndWithoutTheRoot
    fourth: WithAndWithoutTheRoot

    def runs_of(self, arm: str) -> WithAndWithoutTheRoot:
        """The result that has an arm."""
        return self.fourth if arm == FOURTH else self.three

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["start", "rate", "arm", *self.three.by_width]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: the start and the rate of W^Q, the name, and the steps until close by width."""
        return [
            (*said, *(self.runs_of(arm).steps_until_close(arm, width) for width in self.three.widths))
            for arm, said in ARMS.items()
        ]

    def _of(self, arm: str, width: int, what: str) -> Float[ndarray, " seeds"]:
        return self.runs_of(arm).of(f"{arm}/{width}/{what}")

    def later_than(self, arm: str, width: int) -> Measured:
        """By how many steps the fourth comes close after another arm, seed by seed, with its 95 % interval.

        Raises:
            ValueError: if some seed of either never comes close.
        """
        if never := sum(self.runs_of(each).never_close(each, width) for each in (FOURTH, arm)):
            raise ValueError(f"{never} runs at width {width} never come close: compare their losses, not their steps")
        return difference(self._of(FOURTH, width, "close_at"), self._of(arm, width, "close_at"))

    def ends_above(self, arm: str, width: int) -> Measured:
        """How much more loss the fourth ends with, in nats per token of new sentences, with its 95 % interval."""
        return difference(self._of(FOURTH, width, "end_loss"), self._of(arm, width, "end_loss"))

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        narrow, middle, wide = self.three.widths
        return {
            "fourth_folded_64": f"{self.later_than('folded', middle):.0f}",
            "fourth_undivided_16": f"{self.later_than('undivided', narrow):.0f}",
            "fourth_close": self.fourth.n_seeds - self.fourth.never_close(FOURTH, wide),
            "fourth_first": int(self._of(FOURTH, wide, "close_at").min()),
            "folded_latest": int(self._of("folded", wide, "close_at").max()),
        }


def read() -> StartAndRate:
    """The two results on record."""
    return StartAndRate(read_three(), read_large_start())
