"""What *positions-compared* measured: four kinds of positions, inside and beyond the length of training."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, over_seeds
from ..reader import ResultReader

LABELS = {"4–8": "short", "13–16": "inside", "17–20": "next", "21–24": "far"}
"""The groups of lengths that the page's text speaks of, and how its names call them."""
CLAUSES = 2
"""A sentence of training has at most so many clauses."""
LOSSES = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Where the figure marks its losses."""
MOST_CLAUSES = {"25–32": "", "33–40": "_33"}
"""The groups with more clauses, and what the names of their numbers end in."""


@dataclass(frozen=True)
class PositionsCompared(ResultReader):
    """The result, as its page reads it."""

    @property
    def kinds(self) -> list[str]:
        """The kinds of positions."""
        return self.setting["kinds"]

    @property
    def groups(self) -> list[str]:
        """The groups of lengths by name, such as "4–8" tokens."""
        return list(self.setting["groups"])

    def in_group(self, metric: str, group: str) -> Measured:
        """A metric in a group of lengths, mean and standard deviation over seeds."""
        return over_seeds(self.of(metric)[:, self.groups.index(group)])

    def excess(self, kind: str, group: str) -> Measured:
        """The loss above the entropy in a group of lengths, in nats per token, mean and deviation over seeds."""
        return over_seeds((self.of(f"{kind}_loss") - self.of("floor"))[:, self.groups.index(group)])

    def right(self, kind: str, group: str) -> Measured:
        """The share of sentences translated right."""
        return self.in_group(f"{kind}_right", group)

    def first_token(self, kind: str) -> Measured:
        """The loss of the first target token in all groups beyond the training length, in nats."""
        return over_seeds(self.of(f"{kind}_at_position")[:, 0])

    def above_the_entropy(self, kind: str) -> Float[np.ndarray, " groups"]:
        """The loss above the entropy in nats per token, mean over seeds, by group."""
        return (self.of(f"{kind}_loss") - self.of("floor")).mean(0)

    def change_by_cutting(self) -> Float[np.ndarray, " groups"]:
        """By how much the mean loss changes, by group, if the untrained rows of the learned table are set to zero."""
        return np.abs(self.of("cut_loss").mean(0) - self.of("learned_loss").mean(0))

    @property
    def beyond(self) -> int:
        """The first group of sentences that are longer than those of training."""
        limits = self.setting["groups"].values()
        return next(n for n, (shortest, _, _) in enumerate(limits) if shortest > self.setting["longest"])

    @property
    def few_clauses(self) -> int:
        """How many groups, from the first on, have no more clauses than the sentences of training."""
        return sum(clauses <= CLAUSES for *_, clauses in self.setting["groups"].values())

    def lines(self) -> dict[str, tuple[list[float], Float[np.ndarray, " groups"]]]:
        """The middle of each group of few clauses, in tokens, and the loss above the entropy, a line per kind."""
        few = self.few_clauses
        return {kind: (self._middle[:few], self.above_the_entropy(kind)[:few]) for kind in self.kinds}

    @property
    def _middle(self) -> list[float]:
        """The middle of each group, in tokens."""
        return [(shortest + longest) / 2 for shortest, longest, _ in self.setting["groups"].values()]

    def marks(self) -> dict[str, dict[float, str]]:
        """What to write on the axes of :meth:`lines`: each group under its points, and losses in plain numbers."""
        few = self.few_clauses
        groups = dict(zip(self._middle[:few], self.groups[:few], strict=True))
        return {"x": groups, "y": {loss: str(loss) for loss in LOSSES}}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [
            f"Loss above the entropy, mean of {len(self.result['seeds'])} seeds, logarithmic axis, for groups of "
            f"lengths; training ends at {self.setting['longest']} tokens."
        ]
        few = self.groups[: self.few_clauses]
        for kind, (_, line) in self.lines().items():
            places = ", ".join(f"{x:.3f} at {name}" for name, x in zip(few, line, strict=True))
            told.append(f"{kind.capitalize()}: {places}.")
        return " ".join(told)

    def header(self) -> list[str]:
        """The headings of :meth:`rows`; the kinds in reverse, so that a phone shows rotary and sinusoidal first."""
        return ["tokens", "clauses", *reversed(self.kinds)]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per group of few clauses: tokens, clauses, and the share of right sentences of each kind."""
        groups = list(self.setting["groups"].items())[: self.few_clauses]
        return [
            (name, str(clauses), *(f"{self.right(kind, name):.0%}" for kind in self.header()[2:]))
            for name, (*_, clauses) in groups
        ]

    def loss_rows(self) -> list[tuple[str, ...]]:
        """A row per other group: tokens, clauses, and the loss of each kind above the entropy, as in :meth:`header`."""
        groups = list(self.setting["groups"].items())[self.few_clauses :]
        return [
            (name, str(clauses), *(f"{self.excess(kind, name):.2f}" for kind in self.header()[2:]))
            for name, (*_, clauses) in groups
        ]

    def worst_and_best(self, group: str) -> tuple[float, float]:
        """The highest loss of a run without positions and the lowest of any other run, above the entropy.

        Args:
            group: of lengths, such as "25–32".
        """
        place = self.groups.index(group)
        above = {kind: (self.of(f"{kind}_loss") - self.of("floor"))[:, place] for kind in self.kinds}
        return float(above["none"].max()), min(float(above[kind].min()) for kind in self.kinds if kind != "none")

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        mean = lambda metric: float(self.of(metric).mean())  # noqa: E731
        right = {f"{k}_{label}": f"{self.right(k, name):.0%}" for k in self.kinds for name, label in LABELS.items()}
        ends = {}
        for group, end in MOST_CLAUSES.items():
            if group in self.groups:
                ends[f"none_most{end}"], ends[f"others_least{end}"] = self.worst_and_best(group)
        return right | {
            **ends,
            "n_others": self.n_seeds * (len(self.kinds) - 1),
            **{f"{kind}_first": f"{self.first_token(kind):.2f}" for kind in self.kinds},
            **{name: mean(name) for name in ("norm_inside", "norm_beyond")},
            "n_pairs": round(mean("pairs"), -2),
            "trained_length": self.setting["longest"],
            "n_seeds": self.n_seeds,
            "examined": self.setting["examined"],
            "n_tokens": self.setting["training"]["tokens"],
        }


def read() -> PositionsCompared:
    """The result on record."""
    return PositionsCompared(experiments.read("positions-compared"))
