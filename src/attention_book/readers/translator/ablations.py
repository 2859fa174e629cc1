"""What *ablations* measured: each arm beside the whole model, seed by seed, and which differences are real."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, holm, number, over_seeds, paired_p_value
from ...pages.diagrams.translator.ablated_layer import LABELS, WHOLE
from ..reader import ResultReader

LEVEL = 0.05
"""Differences are called real if their adjusted p-value is at most this."""


@dataclass(frozen=True)
class Ablations(ResultReader):
    """The result, as its page reads it."""

    @property
    def arms(self) -> list[str]:
        """The arms, in the order in which they were run; the first is the whole model."""
        return list(self.setting["arms"])

    @property
    def changed(self) -> list[str]:
        """All arms but the whole model."""
        return [arm for arm in self.arms if arm != WHOLE]

    def excesses(self, arm: str) -> Float[np.ndarray, " seeds"]:
        """The loss above the entropy in nats per token, one number per seed."""
        return self.of(f"{arm}/loss") - self.of("floor")

    def excess(self, arm: str) -> Measured:
        """The mean of :meth:`excesses` with its 95 % interval."""
        return over_seeds(self.excesses(arm), "interval")

    def right(self, arm: str) -> Measured:
        """The share of sentences translated right, with its 95 % interval."""
        return over_seeds(self.of(f"{arm}/right"), "interval")

    def cost(self, arm: str) -> Measured:
        """By how much the loss is above that of the whole model, within each seed, with its 95 % interval."""
        return difference(self.of(f"{arm}/loss"), self.of(f"{WHOLE}/loss"))

    @property
    def p_values(self) -> dict[str, float]:
        """The p-value of each arm's loss against the whole model's, by itself."""
        return {arm: paired_p_value(self.of(f"{arm}/loss"), self.of(f"{WHOLE}/loss")) for arm in self.changed}

    @property
    def adjusted(self) -> dict[str, float]:
        """:attr:`p_values` after Holm's method."""
        return holm(self.p_values)

    @property
    def real(self) -> set[str]:
        """The arms whose loss differs from the whole model's, after all comparisons."""
        return {arm for arm, p in self.adjusted.items() if p <= LEVEL}

    @property
    def ranked(self) -> list[str]:
        """The arms from the lowest mean loss to the highest."""
        return sorted(self.arms, key=lambda arm: self.excesses(arm).mean())

    def dots(self) -> dict[str, Float[np.ndarray, " seeds"]]:
        """The loss above the entropy of every seed, by the label of the arm, in the order of :attr:`ranked`."""
        return {LABELS[arm]: self.excesses(arm) for arm in self.ranked}

    def dots_told(self) -> str:
        """The dots of :meth:`dots` in words."""
        told = [f"{label}: {', '.join(f'{value:.3f}' for value in values)}" for label, values in self.dots().items()]
        return f"Loss above the entropy in nats per token, a dot per seed, logarithmic axis. {'; '.join(told)}."

    def first(self, n: int) -> "Ablations":
        """The same experiment with its first ``n`` seeds alone."""
        return Ablations({**self.result, "seeds": dict(list(self.result["seeds"].items())[:n])})

    def listed(self, arms: Set[str]) -> str:
        """Some arms by their labels, the one with the largest difference in loss first."""
        ordered = sorted(arms, key=lambda arm: -abs(self.cost(arm).value))
        *most, last = [LABELS[arm] for arm in ordered]
        return f"{', '.join(most)} and {last}" if most else last

    header = ("arm", "right")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm, in the order of :attr:`ranked`."""
        return [(LABELS[arm], f"{self.right(arm):.0%}") for arm in self.ranked]

    p_header = ("arm", "more than the whole", "p", "p after Holm")

    def p_rows(self) -> list[tuple[str, ...]]:
        """A row per compared arm with its :meth:`cost`, the smallest p-value first; p-values with two digits."""
        ordered = sorted(self.changed, key=self.p_values.__getitem__)
        ps = lambda arm: (_shown(self.p_values[arm]), _shown(self.adjusted[arm]))  # noqa: E731
        return [(LABELS[arm], f"{self.cost(arm):+.3f}", *ps(arm)) for arm in ordered]

    def pairs(self, arms: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """By how much some arms are above the whole model in each seed: a table's header, and a row per arm."""
        whole = self.of(f"{WHOLE}/loss")
        rows = [(LABELS[arm], *(number(more, "+.3f") for more in self.of(f"{arm}/loss") - whole)) for arm in arms]
        return ("more than the whole", *(f"seed {name}" for name in self.result["seeds"])), rows

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        found: dict[str, float | int | str] = {}
        for arm in self.arms:
            found[f"{arm}_excess"] = f"{self.excess(arm).value:.3f}"
            found[f"{arm}_right"] = f"{self.right(arm).value:.0%}".replace("%", "\N{NO-BREAK SPACE}%")
            found[f"{arm}_parameters"] = self.shared(f"{arm}/parameters")
            if arm != WHOLE:
                found[f"{arm}_cost"] = f"{self.cost(arm):.3f}"
                found[f"{arm}_lost"] = round(100 * (self.right(WHOLE).value - self.right(arm).value))
                found[f"{arm}_p"], found[f"{arm}_adjusted"] = _shown(self.p_values[arm]), _shown(self.adjusted[arm])
        return found | {
            "n_seeds": self.n_seeds,
            "n_compared": len(self.changed),
            "n_real": len(self.real),
            "n_real_three": len(self.first(3).real),
            "n_tokens": self.setting["training"]["tokens"],
            "n_pairs": round(float(self.of("pairs").mean()), -2),
            "n_examined": self.setting["examined"],
            "mean_floor": float(self.of("floor").mean()),
            "open_told": self.listed(set(self.changed) - self.real),
        }


def _shown(p: float) -> str:
    """A p-value with two digits, or that it is below 0.0001."""
    return "<\u00a00.0001" if p < 1e-4 else f"{p:.2g}"


def read() -> Ablations:
    """The result on record."""
    return Ablations(experiments.read("ablations"))
