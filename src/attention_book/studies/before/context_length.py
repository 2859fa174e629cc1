"""Is a longer context better? Perplexity on new sentences by the number of words in an n-gram, under two smoothings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...analysis.seed_statistics import number
from ...counting.kneser_ney import KneserNeyModel
from ...counting.ngrams import NGramModel
from ...little_language import language as little_language
from ...little_language.language import LittlePair
from ...pages.figures.axis_marks import marked
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
        every = np.concatenate(list(self.perplexities.values()))
        marks = [mark for mark in (5, 10, 20, 50, 100, 200, 500) if every.min() <= mark <= every.max()]
        drawn = curves(self.lines(), **names, y_scale="log")
        return marked(drawn, y={mark: str(mark) for mark in marks})

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
    model: Callable[[Sequence[Sequence[str]], int], NGramModel] = NGramModel,
) -> ContextLength:
    """Count n-grams of each order in the first sentences, and measure the perplexity on new ones.

    Args:
        train, new: pairs, of whose target sides the words are counted.
        sizes: how many of the first ones to count in.
        orders: of the n-grams.
        model: makes a model of sentences and an order; Witten and Bell's smoothing if it is not given.

    Raises:
        ValueError: if a size is larger than the number of training sentences.
    """
    orders, sizes = tuple(orders), tuple(sizes)
    if max(sizes) > len(train):
        raise ValueError(f"there are {len(train)} sentences to count in, not {max(sizes)}: lower `sizes`")
    counted, others = ([pair.target_words for pair in pairs] for pairs in (train, new))
    found = {n: np.array([model(counted[:n], order).perplexity(others) for order in orders]) for n in sizes}
    return ContextLength(orders, found, len(others))


def share_seen(train: Sequence[Sequence[str]], new: Sequence[Sequence[str]], order: int) -> float:
    """Of the contexts of n − 1 words that new sentences ask for, the share that was counted in training sentences.

    Args:
        train, new: the words of each sentence.
        order: n.
    """
    model = NGramModel(train, order, smoothing="none")
    contexts = [context for sentence in new for context, _ in model.events(sentence)]
    return sum(context in model.counts for context in contexts) / len(contexts)


@dataclass(frozen=True)
class TwoSmoothings:
    """Witten and Bell's smoothing beside Kneser and Ney's, counted in the same sentences.

    Attributes:
        witten_bell, kneser_ney: their perplexities, by the same orders and sizes.
        seen: share of the contexts of new sentences that were counted with the most sentences, one per order.
        discount: Kneser and Ney's D after the longest contexts, with the most sentences.
    """

    witten_bell: ContextLength
    kneser_ney: ContextLength
    seen: Float[np.ndarray, " orders"]
    discount: float

    @property
    def sizes(self) -> tuple[int, ...]:
        """In how many sentences was counted, rising."""
        return tuple(sorted(self.kneser_ney.perplexities))

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        counted = [f", {n}" if len(self.sizes) > 1 else "" for n in self.sizes]
        names = [name + told for told in counted for name in ("Witten–Bell", "Kneser–Ney")]
        return ["n", *names, f"contexts seen{counted[-1]}"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per order: both perplexities by the number of sentences, and the share of contexts seen."""
        columns = [
            [number(p, ".1f") for p in one.perplexities[n]]
            for n in self.sizes
            for one in (self.witten_bell, self.kneser_ney)
        ]
        seen = [number(share, ".0%") for share in self.seen]
        return list(zip(map(str, self.kneser_ney.orders), *columns, seen, strict=True))

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        few, most = self.sizes[0], self.sizes[-1]
        lost = {
            name: one.perplexities[most][-1] - one.perplexities[most].min()
            for name, one in (("witten_bell", self.witten_bell), ("kneser_ney", self.kneser_ney))
        }
        return {
            "best_kn_few": self.kneser_ney.best(few),
            "best_kn_most": self.kneser_ney.best(most),
            "low_kn": self.kneser_ney.perplexities[most].min(),
            "last_kn": self.kneser_ney.perplexities[most][-1],
            "rise_wb": lost["witten_bell"],
            "rise_kn": lost["kneser_ney"],
            "seen_last": 100 * self.seen[-1],
            "discount": self.discount,
            "kept": 1 - self.discount,
        }


def compare(
    witten_bell: ContextLength, train: Sequence[LittlePair], new: Sequence[LittlePair], sizes: Iterable[int]
) -> TwoSmoothings:
    """Put Kneser and Ney's smoothing beside what was found with Witten and Bell's.

    Args:
        witten_bell: what :func:`measure` found on these pairs.
        train, new: pairs, of whose target sides the words are counted.
        sizes: of how many of the first ones; `witten_bell` has them.
    """
    sizes = tuple(sizes)
    kneser_ney = measure(train, new, sizes, witten_bell.orders, KneserNeyModel)
    counted, others = ([pair.target_words for pair in pairs] for pairs in (train[: max(sizes)], new))
    seen = np.array([share_seen(counted, others, order) for order in witten_bell.orders])
    discount = KneserNeyModel(counted, witten_bell.orders[-1]).discounts[-1]
    return TwoSmoothings(witten_bell, kneser_ney, seen, discount)
