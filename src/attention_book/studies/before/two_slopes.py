"""Two parameters whose gradients differ ten thousand times, on their way to 0: by plain descent, and by Adam."""

from collections.abc import Mapping
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

Line = tuple[range, list[float]]
Way = tuple[list[float], list[float]]


@dataclass(frozen=True)
class TwoSlopes:
    """The paths of a and b from (1, 1).

    Attributes:
        paths: for each method where a and b are after each step, from step 0 on.
    """

    paths: Mapping[str, Float[Tensor, "steps 2"]]

    def lines(self) -> dict[str, Line]:
        """Steps and values of either parameter, by the names of parameter and method."""
        return {
            f"{letter}, {method}": (range(len(path)), path[:, column].tolist())
            for method, path in self.paths.items()
            for column, letter in enumerate("ab")
        }

    def ways(self) -> dict[str, Way]:
        """The values of a and those of b on the way, by method."""
        return {method: (path[:, 0].tolist(), path[:, 1].tolist()) for method, path in self.paths.items()}

    @property
    def crossing(self) -> int:
        """The first step after which Adam's b is not above 0."""
        return int((self.paths["Adam"][:, 1] <= 0).int().argmax())

    def told(self) -> str:
        """The lines in words: where each ends, and how far Adam's go below 0."""
        ends = {name: values[-1] for name, (_, values) in self.lines().items()}
        b = self.paths["Adam"][:, 1]
        return (
            f"A map with a to the right and b upwards, over {len(b) - 1} steps from (1, 1). Plain descent: a goes from "
            f"1 to {self.paths['plain descent'][1, 0]:z.2f} in one step and stays; b ends at "
            f"{ends['b, plain descent']:z.2f}. Adam: a and b go together, pass 0 at step {self.crossing}, are lowest "
            f"at step {int(b.argmin())} with {b.min():z.2f}, below zero, and end at {ends['b, Adam']:z.2f}."
        )

    def numbers(self) -> dict[str, float | int]:
        """What the page prints: when Adam's parameters pass 0, and how far they run past it."""
        return {"crossing": self.crossing, "overshoot": -float(self.paths["Adam"][:, 1].min())}
