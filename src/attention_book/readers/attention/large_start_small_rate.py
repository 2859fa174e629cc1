"""What *large-start-small-rate* adds to *with-and-without-the-root*: the fourth of two starts by two rates of W^Q."""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float, Num
from numpy import ndarray

from ...analysis.seed_statistics import Measured, difference, number
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


SQUARES_HEADER = ("steps until close", "", "small rate", "usual rate")


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

    def squares(self, widths: Sequence[int]) -> list[tuple[str, ...]]:
        """Two rows per width, for :data:`SQUARES_HEADER`: four arms by start and rate, with the steps until close."""
        told = lambda arm, w: f"{ARMS[arm][2]}: {self.runs_of(arm).steps_until_close(arm, w)}"  # noqa: E731
        return [
            (f"width {width}", f"{start} start", *(told(arm, width) for arm in arms))
            for width in widths
            for start, arms in (("small", ("divided", "folded")), ("usual", (FOURTH, "undivided")))
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

    def folded_ahead_at_first(self) -> int:
        """In how many seeds *folded* has the smaller loss at the first stored point, at the largest width."""
        folded, divided = (self.three.of(f"{arm}/{self.three.widths[-1]}/loss_curve") for arm in ("folded", "divided"))
        return int((folded[:, 0] < divided[:, 0]).sum())

    def loss_lines(self) -> dict[str, tuple[Num[ndarray, " points"], Float[ndarray, " points"]]]:
        """Steps and training loss of the four arms at the largest width, mean over seeds, by the page's names."""
        return {name: self.runs_of(arm).mean_loss(arm) for arm, (_, _, name) in ARMS.items()}

    def loss_told(self) -> str:
        """The lines of :meth:`loss_lines` in words."""
        early = self.three.setting["steps"] // self.three.setting["every"] // 3 - 1
        told = [
            f"{name}: {loss[early]:.2f} after {steps[early]} steps, {loss[-1]:.2f} at the end."
            for name, (steps, loss) in self.loss_lines().items()
        ]
        return " ".join([f"Training loss at width {self.three.widths[-1]}, mean of {self.three.n_seeds} seeds.", *told])

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        wide = self.three.widths[-1]
        ahead = difference(self._of("undivided", wide, "end_loss"), self._of(FOURTH, wide, "end_loss"))
        least, most = ahead.value - ahead.spread, ahead.value + ahead.spread
        return {
            "fourth_ahead": ahead.value,
            "fourth_ahead_from": number(least, ".2f"),
            "fourth_ahead_to": number(most, ".2f"),
            "fourth_close": self.fourth.n_seeds - self.fourth.never_close(FOURTH, wide),
            "fourth_first": int(self._of(FOURTH, wide, "close_at").min()),
            "folded_ahead": self.folded_ahead_at_first(),
            "folded_latest": int(self._of("folded", wide, "close_at").max()),
        }


def read() -> StartAndRate:
    """The two results on record."""
    return StartAndRate(read_three(), read_large_start())
