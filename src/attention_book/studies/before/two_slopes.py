"""Two parameters whose gradients differ ten thousand times, on their way to 0: by plain descent, and by Adam."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ...examples.language_classifier import labelled_words, letters_of, one_hot_endings, split
from ...training.optimizers import AdamState, adam_step, descent_step

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


def turned_valley(steps: int) -> dict[str, list[float]]:
    """What is left of the way along a valley that lies at 45° to the axes, L = 25 (a − b)² + 0.0025 (a + b)².

    Both methods start at (√2, 0), one away from the floor and one along it, with the α of the valley along the axes.

    Args:
        steps: how many each method takes.

    Returns:
        By method, the distance from 0 along the floor after each step, from step 0 on.
    """
    slopes = torch.tensor([100.0, 0.01])
    turn = torch.tensor([[1.0, -1.0], [1.0, 1.0]]) / 2**0.5
    plain = adam = torch.tensor([2**0.5, 0.0])
    state = AdamState.start(adam)
    left = {"plain descent": [float((turn @ plain)[1])], "Adam": [float((turn @ adam)[1])]}
    for _ in range(steps):
        plain = descent_step(plain, turn.T @ (slopes * (turn @ plain)), rate=0.01)
        adam, state = adam_step(adam, turn.T @ (slopes * (turn @ adam)), state, rate=0.05)
        left["plain descent"].append(float((turn @ plain)[1]))
        left["Adam"].append(float((turn @ adam)[1]))
    return left


def overtaken(left: Mapping[str, list[float]]) -> int:
    """The first step from which Adam stays ahead of plain descent in the turned valley.

    Raises:
        ValueError: Adam is not ahead at the end.
    """
    behind = [step for step, (a, b) in enumerate(zip(left["Adam"], left["plain descent"], strict=True)) if a >= b]
    if behind[-1] == len(left["Adam"]) - 1:
        raise ValueError("Adam is not ahead at the end")
    return behind[-1] + 1


def endings_compared(small: str, large: str) -> dict[str, int | float]:
    """Two letters in the first step of the loop that tells Spanish words from English ones, in the split of seed 1.

    All parameters are zero, so each word has the probability ½, and the gradient at a letter is a sum of halves.

    Args:
        small, large: last letters of words, the one with the smaller gradient first.

    Returns:
        How many of the words that are learned from end in each, how many of those with the large one are Spanish and
        English, by how many one language is ahead there, and how many times as large the second gradient is.
    """
    words, y = labelled_words()
    train, _ = split(len(words), seed=1)
    alphabet = letters_of(words)
    x = one_hot_endings(words, alphabet)[train]
    gradient = x.T @ (0.5 - y[train].float())
    one, other = (alphabet.index(letter) for letter in (small, large))
    counts = x.sum(dim=0)
    spanish, english = (int(x[y[train] == language, other].sum()) for language in (1, 0))
    return {
        "n_small": int(counts[one]),
        "n_large": int(counts[other]),
        "large_spanish": spanish,
        "large_english": english,
        "large_left": abs(spanish - english),
        "ratio": float((gradient[other] / gradient[one]).abs()),
    }
