"""What *look-elsewhere* measured: translators that look elsewhere, how good they are, and who tells them the noun."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured, difference
from ...little_language.words import tokenize
from ...pages.diagrams.before.looking_back import Look, look_of
from ..reader import ResultReader

FIRST, AGAIN, AWAY, EVEN = "first", "again", "away", "even"
LABELS = {FIRST: "the first", AGAIN: "other start", AWAY: "pushed away", EVEN: "even weights"}
TELLERS = ("own", "others")
"""Whose vectors are exchanged: the noun's own, or all others."""


@dataclass(frozen=True)
class LookElsewhere(ResultReader):
    """The result, as its page reads it."""

    def loss(self, arm: str) -> Measured:
        """The loss on new sentences, in nats per token, with its 95 % interval."""
        return self.measured(f"{arm}/loss", "interval")

    def right(self, arm: str) -> Measured:
        """The share of new sentences translated right, with its 95 % interval."""
        return self.measured(f"{arm}/right", "interval")

    def gap(self, arm: str) -> Measured:
        """By how much the loss is above that of the first model of the seed, with its 95 % interval."""
        return difference(self.of(f"{arm}/loss"), self.of(f"{FIRST}/loss"))

    def equal(self, arm: str) -> bool:
        """Whether the whole interval of :meth:`gap` lies inside of the margin that was fixed before the run."""
        gap = self.gap(arm)
        return abs(gap.value) + gap.spread < self.setting["margin"]

    def apart(self, arm: str, what: str) -> Measured:
        """A mean distance from the first model, of ``weights`` or of ``predictions``, with its 95 % interval."""
        return self.measured(f"{arm}/{what}", "interval")

    def cost(self, metric: str, of: str) -> Measured:
        """By how much other weights raise the loss of a finished model, with its 95 % interval.

        Args:
            metric: the loss with the other weights, such as ``first/loss_even``.
            of: the model that has to use them.
        """
        return difference(self.of(metric), self.of(f"{of}/loss"))

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of :meth:`rows`."""
        return ("translator", "loss", "right", "distance of rows")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm: loss, share of right sentences, and the distance of its weights from the first one's."""
        rows = []
        for arm in self.setting["arms"]:
            distance = "" if arm == FIRST else f"{self.apart(arm, 'weights'):.3f}"
            rows.append((LABELS[arm], f"{self.loss(arm):.3f}", f"{self.right(arm):.1%}", distance))
        return rows

    teller_header = ("translator", "weight on the noun's place", "follows its own vector", "follows the others")

    def teller_rows(self) -> list[tuple[str, ...]]:
        """A row per arm that chooses: the weight on the noun's place, and how often the noun follows which vectors."""
        found = []
        for arm in (FIRST, AGAIN, AWAY):
            shares = [f"{self.measured(f'{arm}/{who}', 'interval'):.0%}" for who in TELLERS]
            found.append((LABELS[arm], f"{self.measured(f'{arm}/own_weight', 'interval'):.2f}", *shares))
        return found

    cost_header = ("translator", "given the weights of", "loss above its own")

    def cost_rows(self) -> list[tuple[str, ...]]:
        """A row per exchange of weights between finished translators, and what it costs in nats per token."""
        exchanges = (
            (FIRST, AGAIN, "first/loss_again"),
            (FIRST, AWAY, "first/loss_away"),
            (FIRST, EVEN, "first/loss_even"),
            (AWAY, FIRST, "away/loss_first"),
        )
        return [(LABELS[to], LABELS[by], f"{self.cost(metric, to):.2f}") for to, by, metric in exchanges]

    def looks(self) -> dict[str, Look]:
        """What the first model and the one pushed away look at in the example, from the first seed that fits.

        Without the rows in which the full stop and the end are written.

        Raises:
            ValueError: if in no seed both write the same translation.
        """
        source = tokenize(self.setting["example"])
        source = [source[0].lower(), *source[1:], "</s>"]
        for seed in self.seeds:
            looks: dict[str, Any] = seed["looks"]
            if looks[FIRST]["words"] == looks[AWAY]["words"]:
                target = looks[FIRST]["words"][:-2]
                rows = {arm: np.array(look["weights"])[: len(target)] for arm, look in looks.items()}
                return {LABELS[arm]: look_of(source, target, rows[arm]) for arm in (FIRST, AWAY)}
        raise ValueError("in no seed did both models write the same translation of the example")

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name; ``gato_…`` says where the example's noun looks most."""
        noun = {}
        for arm in (FIRST, AWAY):
            look = self.looks()[LABELS[arm]]
            row = look.weights[look.target.index("gato")]
            noun |= {f"gato_{arm}": float(row.max()), f"gato_{arm}_on": look.source[int(row.argmax())]}
        return noun | {
            "n_seeds": self.n_seeds,
            "n_trained": self.setting["trained"],
            "n_examined": self.setting["examined"],
            "n_tokens": self.setting["training"]["tokens"],
            "margin": self.setting["margin"],
            "push": self.setting["arms"][AWAY]["push"],
            **{
                f"{who}_{arm}": f"{100 * self.of(f'{arm}/{who}').mean():.0f}"
                for who in TELLERS
                for arm in (FIRST, AGAIN, AWAY)
            },
            **{f"right_{arm}": f"{self.right(arm).value:.1%}".replace("%", "\N{NO-BREAK SPACE}%") for arm in LABELS},
            "gap_again": f"{self.gap(AGAIN):+.3f}",
            **{f"gap_{arm}": f"{self.gap(arm):.3f}" for arm in (AWAY, EVEN)},
            "cost_again": f"{self.cost('first/loss_again', FIRST):.2f}",
            "weights_again": f"{self.apart(AGAIN, 'weights'):.2f}",
            "least_own_again": 100 * float(self.of("again/own").min()),
        }


def read() -> LookElsewhere:
    """The result on record."""
    return LookElsewhere(experiments.read("look-elsewhere"))
