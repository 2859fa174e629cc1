"""What *removing-heads* measured: the profile of every head of the translator, and the cost of doing without it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy import stats

from ... import experiments
from ...analysis.ablation import KINDS, Head
from ...analysis.seed_statistics import Measured, number
from ...pages.figures.head_grid import NAMES, HeadGrid, Heads, name_of
from ..reader import ResultReader
from .three_uses import ThreeUses

STATISTICS = {
    "normalised entropy": "entropy",
    "mean offset": "offset",
    "spread": "spread",
    "on the token before": "before",
    "on itself": "itself",
    "on the token after": "after",
    "on the last token": "last",
}
SHOWN = ("normalised entropy", "on the token before", "mean offset")
"""The statistics of :meth:`RemovingHeads.halves_rows`: two that training drew apart, and one that it did not."""
HALVES_HEADER = ("statistic", "after training", "before training", "correlation of the halves")
BLEU_HEADER = ("removed", "cost, nats per token", "BLEU")
TOGETHER_HEADER = ("attention", "four singly, sum", "all four at once", "surplus")
Places = Float[np.ndarray, " places"]


@dataclass(frozen=True)
class RemovingHeads(ResultReader):
    """The result, as its page reads it. Arrays have a row per attention and layer and a column per head."""

    @property
    def grid(self) -> HeadGrid:
        """The rows and columns of all tables of heads."""
        return HeadGrid(*np.shape(self.found["profiles"]["cross"]["entropy"]))

    def every(self, field: str, of: str = "profiles") -> Heads:
        """A statistic of all heads, such as ``"entropy"``: of the translator, or ``"untrained"``."""
        return self._profiles(self.found[of], field)

    def _profiles(self, profiles: Mapping[str, Any], field: str) -> Heads:
        return self.grid.stacked({kind: profiles[kind][field] for kind in KINDS})

    @property
    def back_head(self) -> Head:
        """The head that puts the most weight on the token before."""
        return self.grid.most(self.every("before"))

    def entropy_told(self) -> str:
        """The normalised entropies in words."""
        return f"Normalised entropy of each head. {self.grid.told(self.every('entropy'), '.2f')}"

    def halves(self, name: str) -> tuple[Heads, Heads]:
        """One of :data:`STATISTICS` of all heads, from either half of the sentences."""
        first, second = (self._profiles(half, STATISTICS[name]) for half in self.found["halves"])
        return first, second

    def correlation(self, name: str) -> float:
        """The correlation of :meth:`halves`, of each head's distance from the mean of its attention."""
        first, second = (_within(half).ravel() for half in self.halves(name))
        return float(stats.pearsonr(first, second).statistic)

    def deviation(self, name: str, of: str = "profiles") -> float:
        """The standard deviation of one of :data:`STATISTICS` between the heads of one attention."""
        return float(_within(self.every(STATISTICS[name], of)).std())

    def halves_rows(self) -> list[tuple[str, ...]]:
        """A row for each of :data:`SHOWN`, for :data:`HALVES_HEADER`: two deviations and the correlation."""
        both = lambda name: (f"{self.deviation(name, of):.3f}" for of in ("profiles", "untrained"))  # noqa: E731
        return [(name, *both(name), number(self.correlation(name), ".4f")) for name in SHOWN]

    def profile_numbers(self) -> dict[str, float | int | str]:
        """What is said of the profiles, by name."""
        entropy = self.every("entropy")
        found = self.found
        return {
            "sentences": found["sentences"],
            "tokens": found["target_tokens"],
            "loss": found["loss"],
            "n_heads": entropy.size,
            "back_head": name_of(self.back_head),
            "back": self.every("before").max(),
            "even": self.grid.value(self.every("even"), self.back_head),
            "least": entropy.min(),
            "most": entropy.max(),
            "least_correlation": min(map(self.correlation, STATISTICS)),
        }

    def removal(self, name: str) -> Measured:
        """By how much the loss rises without a head such as ``"cross/2/3"``, with its standard error."""
        return self._cost(self.found["removed"][name])

    def _cost(self, change: list[float]) -> Measured:
        return Measured(*change, "error", self.found["sentences"])

    def _removals(self, of: str) -> Float[np.ndarray, "places heads 2"]:
        heads, places = range(self.grid.n_heads), self.grid.places
        return np.array([[self.found[of][f"{kind}/{layer}/{n}"] for n in heads] for kind, layer in places])

    @cached_property
    def cost(self) -> Heads:
        """By how much the loss rises without a head, in nats per token."""
        return self._removals("removed")[..., 0]

    @cached_property
    def error(self) -> Heads:
        """The standard error of :attr:`cost`."""
        return self._removals("removed")[..., 1]

    def cost_told(self) -> str:
        """:attr:`cost` in words."""
        told = self.grid.told(100 * self.cost, ".1f")
        return f"Cost of removing each head, in hundredths of a nat per token. {told}"

    def bleu_rows(self) -> list[tuple[str, str, str]]:
        """BLEU with all heads and without one of the dearest, for :data:`BLEU_HEADER`."""
        whole, *removed = self.found["bleu"].items()
        rows = [("nothing", "0", f"{whole[1]:.1f}")]
        for name, bleu in removed[-self.setting["bleu_heads"] :]:
            kind, layer, head = name.split("/")
            rows.append((f"{NAMES[kind]} {layer}, head {head}", f"{self.removal(name):.4f}", f"{bleu:.1f}"))
        return rows

    def bleu_drops(self) -> list[float]:
        """By how much BLEU falls without each of the dearest heads, before rounding."""
        whole, *removed = self.found["bleu"].values()
        return [whole - value for value in removed[-self.setting["bleu_heads"] :]]

    def cost_numbers(self) -> dict[str, float | int | str]:
        """What is said of single removals, by name."""
        dearest, cheapest = self.grid.most(self.cost), self.grid.most(-self.cost)
        return {
            "dearest": name_of(dearest),
            "cheapest": name_of(cheapest),
            "highest": self.cost.max(),
            "lowest": self.cost.min(),
            "lowest_error": self.grid.value(self.error, cheapest),
            "share": 100 * self.cost.max() / self.found["loss"],
            "clear": int((self.cost > 2 * self.error).sum()),
            "by_chance": self.cost.size * stats.norm.sf(2),
            "resamples": self.setting["resamples"],
            "bleu_least": min(self.bleu_drops()),
            "bleu_most": max(self.bleu_drops()),
        }

    @property
    def silenced(self) -> list[Measured]:
        """By how much the loss rises without all heads of a place."""
        return [self._cost(self.found["silenced"][f"{kind}/{layer}"]) for kind, layer in self.grid.places]

    @property
    def together(self) -> Places:
        """:attr:`silenced` without its errors."""
        return np.array([cost.value for cost in self.silenced])

    @property
    def alone(self) -> Heads:
        """By how much the loss rises if one head is the only one left of its place."""
        return self._removals("alone")[..., 0]

    def ratio(self) -> Places:
        """How many times the sum of the single removals it costs to remove all heads of a place."""
        return self.together / self.cost.sum(axis=1)

    def surplus(self) -> Float[np.ndarray, "places 2"]:
        """By how much all heads of a place cost more than they do singly, and at most how large its error is.

        The errors of the single removals are not independent; the error of a difference is never above their sum.
        """
        errors = np.array([cost.spread for cost in self.silenced]) + self.error.sum(axis=1)
        return np.stack([self.together - self.cost.sum(axis=1), errors], axis=1)

    def clear_surplus(self) -> list[str]:
        """The places whose :meth:`surplus` is more than twice its error."""
        found = zip(self.grid.row_names, self.surplus(), strict=True)
        return [name for name, (surplus, error) in found if surplus > 2 * error]

    def together_rows(self) -> list[tuple[str, ...]]:
        """A row per place, for :data:`TOGETHER_HEADER`, that with the largest surplus first."""
        sums, surplus = self.cost.sum(axis=1), (Measured(*each, "error", 1) for each in self.surplus())
        found = list(zip(self.grid.row_names, sums, self.together, surplus, strict=True))
        return [
            (name, f"{single:.3f}", f"{four:.3f}", f"{more:.3f}")
            for name, single, four, more in sorted(found, key=lambda row: -row[3].value)
        ]

    def together_numbers(self) -> dict[str, float | str]:
        """What is said of removing all heads of a place, by name."""
        best, ratio, together = self.alone.min(axis=1), self.ratio(), self.together
        recovered = 100 * (1 - best / together)
        least, most = recovered.argmin(), recovered.argmax()
        return {
            "recovered_place": self.grid.row_names[least],
            "recovered_from": together[least],
            "recovered_to": best[least],
            "recovered_least": recovered[least],
            "recovered_most_place": self.grid.row_names[most],
            "recovered_most": recovered[most],
            "top_place": self.grid.row_names[ratio.argmax()],
            "top_ratio": ratio.max(),
            "places": len(ratio),
            "clear_surplus": len(self.clear_surplus()),
            "dearest_place": self.grid.row_names[together.argmax()],
            "dearest_four": together.max(),
        }

    def cross_numbers(self, uses: ThreeUses) -> dict[str, float]:
        """What the cross-attentions cost without their heads, one layer at a time and added up, and all at once."""
        layers, at_once = self.grid.kind(self.together, "cross"), uses.cost("cross/silent").value
        found = {
            "cross_least": float(layers.min()),
            "cross_most": float(layers.max()),
            "cross_sum": float(layers.sum()),
        }
        return {**found, "cross_all": at_once, "cross_times": at_once / found["cross_sum"]}


def _within(heads: Heads) -> Heads:
    """How far each head is from the mean of its row, the heads of one attention."""
    return heads - heads.mean(axis=1, keepdims=True)


def read() -> RemovingHeads:
    """The result on record."""
    return RemovingHeads(experiments.read("removing-heads"))
