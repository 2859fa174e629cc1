"""Is a longer context better? Perplexity on new sentences by the number of words in an n-gram, and of sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...counting.ngrams import NGramModel
from ...little_language import language as little_language
from ...little_language.language import LittlePair
from ...pages.figures.plotting import curves


def little_pairs(train: int = 4000, held_out: int = 200) -> tuple[list[LittlePair], list[LittlePair]]:
    """English and Spanish pairs of the little language, to count in and to measure on.

    Args:
        train, held_out: how many; none of the first ones has the English source of a held-out one.
    """
    new = little_language.sample(held_out, 1001, "es")
    return little_language.sample(train, 1, "es", exclude={pair.source for pair in new}), new


@dataclass(frozen=True)
class ContextLength:
    """What was found, as a page prints it.

    Attributes:
        orders: the numbers of words in an n-gram, rising.
        perplexities: on new sentences, one per order, by the number of sentences counted in.
        n_held: how many new sentences.
    """

    orders: tuple[int, ...]
    perplexities: dict[int, Float[np.ndarray, " orders"]]
    n_held: int

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " orders"]]]:
        """A line per number of sentences."""
        return {f"{n} sentences": (list(self.orders), found) for n, found in self.perplexities.items()}

    def figure(self) -> Figure:
        """The lines, drawn."""
        names = {"x_label": "n, the words in an n-gram", "y_label": "perplexity on new sentences"}
        return curves(self.lines(), **names, y_scale="log")

    def told(self) -> str:
        """The lines in words."""
        span = f"for n from {self.orders[0]} to {self.orders[-1]}."
        lines = (
            f"{n} sentences: {', '.join(f'{p:.1f}' for p in found)} {span}" for n, found in self.perplexities.items()
        )
        return " ".join(["Perplexity by the order n.", *lines])

    def best(self, sentences: int) -> int:
        """The order with the lowest perplexity."""
        return self.orders[int(self.perplexities[sentences].argmin())]

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        least, most = min(self.perplexities), max(self.perplexities)
        return {
            "n_held": self.n_held,
            "best_100": self.best(least),
            "best_4000": self.best(most),
            "low_4000": self.perplexities[most].min(),
            "six_4000": self.perplexities[most][-1],
        }


def measure(
    train: Sequence[LittlePair],
    new: Sequence[LittlePair],
    sizes: Iterable[int] = (100, 1000, 4000),
    orders: Iterable[int] = range(1, 7),
) -> ContextLength:
    """Count n-grams of each order in the first sentences, and measure the perplexity on new ones.

    Args:
        train, new: pairs, of whose target sides the words are counted.
        sizes: how many of the first ones to count in.
        orders: of the n-grams.

    Raises:
        ValueError: if a size is larger than the number of training sentences.
    """
    orders, sizes = tuple(orders), tuple(sizes)
    if max(sizes) > len(train):
        raise ValueError(f"there are {len(train)} sentences to count in, not {max(sizes)}: lower `sizes`")
    counted, others = ([pair.target_words for pair in pairs] for pairs in (train, new))
    found = {n: np.array([NGramModel(counted[:n], order).perplexity(others) for order in orders]) for n in sizes}
    return ContextLength(orders, found, len(others))
