"""A training at its lowest validation loss, at the highest one after it, and at its best translations."""

from collections.abc import Sequence
from typing import NamedTuple


class Climb(NamedTuple):
    """Three validations of one training, each with its tokens, training loss, validation loss and validation chrF."""

    lowest: Sequence[int | float]
    worst: Sequence[int | float]
    best: Sequence[int | float]

    @property
    def gained(self) -> float:
        """The points of chrF that the climb to the highest loss has brought."""
        return self.worst[3] - self.lowest[3]

    @property
    def given_away(self) -> float:
        """The points of chrF that stopping at the lowest loss would have cost."""
        return self.best[3] - self.lowest[3]
