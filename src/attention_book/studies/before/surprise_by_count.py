"""Is the entropy a floor? The surprise of a model of counts, on what it was counted from and on what is new."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ...analysis.seed_statistics import Measured, over_seeds
from ...attention.probability import cross_entropy, entropy
from ...pages.figures.axis_marks import marked
from ...pages.figures.plotting import curves


@dataclass(frozen=True)
class SurpriseByCount:
    """What was found, in nats per sentence.

    Attributes:
        sizes: how many translations were counted, rising.
        seen: mean surprise on the translations counted from, one row per draw.
        new: mean surprise on new translations, likewise.
        floor: the entropy of the truth.
        unseen: the count that each outcome is given on top of those that were drawn.
        outcomes: how many different outcomes there are.
    """

    sizes: tuple[int, ...]
    seen: Float[np.ndarray, "draws sizes"]
    new: Float[np.ndarray, "draws sizes"]
    floor: float
    unseen: float
    outcomes: int

    def figure(self) -> Figure:
        """Both surprises, means over the draws, and the entropy, by the number of translations counted."""
        sizes = np.array(self.sizes)
        lines = {
            "translations counted from": (sizes, self.seen.mean(axis=0)),
            "new translations": (sizes, self.new.mean(axis=0)),
            "entropy of the truth": (sizes, np.full(len(sizes), self.floor)),
        }
        names = {"x_label": "translations counted", "y_label": "mean surprise (nats per sentence)"}
        drawn = curves(lines, **names, x_scale="log")
        marks = [mark for mark in (10, 100, 1000, 10_000) if self.sizes[0] <= mark <= self.sizes[-1]]
        return marked(drawn, x={mark: f"{mark:,}".replace(",", " ") for mark in marks})

    def told(self) -> str:
        """The figure in words."""
        means = zip(self.sizes, self.seen.mean(axis=0), self.new.mean(axis=0), strict=True)
        lines = (f"{n}: {seen:.2f} on those counted from, {new:.2f} on new ones." for n, seen, new in means)
        begin = "Mean surprise against the number of translations counted."
        return " ".join([begin, *lines, f"The entropy is {self.floor:.2f}."])

    def seen_at(self, size: int) -> Measured:
        """The surprise on the translations counted from, mean and standard deviation over the draws."""
        return over_seeds(self.seen[:, self.sizes.index(size)])

    def numbers(self, size: int = 30, name: str = "") -> dict[str, int | float]:
        """What the page's text is given, by name.

        Args:
            size: the small number of translations.
            name: what all names begin with.
        """
        seen, added = self.seen_at(size), self.unseen * self.outcomes
        found = {
            "seen_30": seen.value,
            "seen_spread": seen.spread,
            "n_seeds": seen.n,
            "new_30": self.new[:, self.sizes.index(size)].mean(),
            "new_last": self.new[:, -1].mean(),
            "floor": self.floor,
            "unseen": self.unseen,
            "outcomes": self.outcomes,
            "unseen_share": 100 * added / (size + added),
            f"total_{size}": size + added,
            "drawn_once": 1 + self.unseen,
            f"once_{size}": -math.log((1 + self.unseen) / (size + added)),
            f"never_{size}": -math.log(self.unseen / (size + added)),
        }
        return {name + key: value for key, value in found.items()}


def measure(
    truth: Float[np.ndarray, " outcomes"],
    sizes: Iterable[int] = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000),
    seeds: Iterable[int] = range(20),
    unseen: float = 0.01,
) -> SurpriseByCount:
    """Draw translations, let a model be the shares seen with a little more for each outcome, and measure its surprise.

    On what is new it is the cross-entropy with the truth, and so never below the entropy (Gibbs' inequality). On what
    was drawn, nothing keeps it from being below.

    Args:
        truth: the probability of each translation.
        sizes: how many translations are drawn.
        seeds: one for each draw.
        unseen: the count that each outcome is given on top, so that none is impossible.
    """
    sizes, seeds = tuple(sizes), tuple(seeds)
    seen, new = np.zeros((2, len(seeds), len(sizes)))
    for row, seed in enumerate(seeds):
        generator = np.random.default_rng(seed)
        for column, n in enumerate(sizes):
            counts = generator.multinomial(n, truth)
            q = (counts + unseen) / (n + unseen * len(truth))
            seen[row, column] = cross_entropy(counts / n, q)
            new[row, column] = cross_entropy(truth, q)
    return SurpriseByCount(sizes, seen, new, float(entropy(truth)), unseen, len(truth))
