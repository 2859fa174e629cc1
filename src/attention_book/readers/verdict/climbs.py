"""A training from one validation to that of its highest loss and to that of its best translations."""

from collections.abc import Sequence
from typing import NamedTuple

from ...pages.explorers import words


class Climb(NamedTuple):
    """Three validations of one training, each with its tokens, training loss, validation loss and validation chrF."""

    start: Sequence[int | float]
    worst: Sequence[int | float]
    best: Sequence[int | float]

    @property
    def gained(self) -> float:
        """The points of chrF that the climb to the highest loss has brought."""
        return self.worst[3] - self.start[3]

    @property
    def given_away(self) -> float:
        """The points of chrF that stopping at the start would have cost."""
        return self.best[3] - self.start[3]


def listed(numbers: Sequence[float], digits: int = 1) -> str:
    """Numbers as a sentence lists them: "2.0, 2.0 and 2.1"; without numbers, nothing."""
    return words.listed([f"{one:.{digits}f}" for one in numbers])
