"""How many steps of gradient descent on scores it takes to change a softmax's mind, by loss, by lead and by rate."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ...analysis.saturation import cross_entropy, squared_error, steps_needed

LOSSES: dict[str, Callable] = {"squared error": squared_error, "cross-entropy": cross_entropy}
N_KEYS = 8


@dataclass(frozen=True)
class StepsByLead:
    """Steps until the right key has half of the weight, at rate 1 and C = 1.

    Attributes:
        leads: of the wrong key at the start.
        steps: for each loss by name, one number per lead.
    """

    leads: Float[np.ndarray, " leads"]
    steps: dict[str, Int[np.ndarray, " leads"]]

    def factor(self, loss: str, start: int) -> float:
        """By what each further unit of lead multiplies the steps, from a lead on: a line through their logarithms."""
        late = self.leads >= start
        return math.exp(np.polyfit(self.leads[late], np.log(self.steps[loss][late]), 1)[0])

    def lines(self) -> dict[str, tuple[Float[np.ndarray, " leads"], Int[np.ndarray, " leads"]]]:
        """Leads and steps by the name of the loss, for a figure."""
        return {loss: (self.leads, steps) for loss, steps in self.steps.items()}

    def numbers(self) -> dict[str, float | int]:
        """What a page's text is given, by name: steps at no lead and at the longest, and the factor from 8 on."""
        squared, log_loss = (self.steps[loss] for loss in LOSSES)
        ends = {"squared_tie": squared[0], "squared_last": squared[-1], "log_last": log_loss[-1]}
        numbers = {"longest": int(self.leads[-1]), "factor": self.factor("squared error", 8), "e": math.e}
        return {name: int(steps) for name, steps in ends.items()} | numbers

    def told(self) -> str:
        """The numbers in words, for readers who do not see the figure."""
        told = [f"{loss.capitalize()}: {', '.join(map(str, steps))}." for loss, steps in self.steps.items()]
        return " ".join([f"Steps at leads of 0 to {len(self.leads) - 1}, logarithmic axis.", *told])


def steps_by_lead(largest: int = 12, limit: int = 40_000) -> StepsByLead:
    """One of eight keys leads over seven tied ones, and another one of them is right.

    Args:
        largest: leads go from 0 to this.
        limit: when to give up.
    """
    leads = np.arange(largest + 1.0)
    start, y = np.outer(leads, np.eye(N_KEYS)[0]), np.eye(N_KEYS)[1]
    return StepsByLead(leads, {name: steps_needed(start, y, 1.0, 1.0, loss, limit) for name, loss in LOSSES.items()})


@dataclass(frozen=True)
class StepsByRate:
    """Steps that many queries need, at several learning rates.

    Attributes:
        steps: one row per query, one column per rate; ``limit`` where it did not arrive.
        limit: when runs were given up.
    """

    steps: Int[np.ndarray, "runs rates"]
    limit: int

    @property
    def arrived(self) -> Int[np.ndarray, " rates"]:
        """How many queries arrived, by rate."""
        return (self.steps < self.limit).sum(axis=0)

    @property
    def median(self) -> Int[np.ndarray, " rates"]:
        """The lower median of the steps, by rate."""
        return np.quantile(self.steps, 0.5, axis=0, method="lower")

    def cells(self, rate: int) -> tuple[str, str]:
        """Median and quartiles of the steps at the rate of that index, and how many arrived, for a table."""
        found = np.quantile(self.steps[:, rate], [0.25, 0.5, 0.75], method="lower")
        low, middle, high = (f"{q}" if q < self.limit else f">{self.limit}" for q in found)
        return f"{middle} ({low} to {high})", str(self.arrived[rate])


@dataclass(frozen=True)
class RatesCompared:
    """Each loss, with the division by 8 and without, on the same random starts.

    Attributes:
        rates: the learning rates.
        runs: by loss and C.
    """

    rates: Float[np.ndarray, " rates"]
    runs: dict[tuple[str, float], StepsByRate]

    def rows(self, loss: str) -> list[tuple[str, ...]]:
        """A row per rate: undivided, then divided."""
        undivided, divided = self.runs[loss, 1.0], self.runs[loss, 8.0]
        return [(f"{rate:.0f}", *undivided.cells(n), *divided.cells(n)) for n, rate in enumerate(self.rates)]

    def numbers(self) -> dict[str, int]:
        """What the page's text is given, by name."""
        undivided, divided = (self.runs["squared error", c] for c in (1.0, 8.0))
        return {
            "n_runs": len(divided.steps),
            "limit": divided.limit,
            "most": int(undivided.arrived.max()),
            "last": int(undivided.arrived[-1]),
            "all_divided": int(divided.arrived[-1]),
            "best_8": int(divided.median[-1]),
            "log_1": int(self.runs["cross-entropy", 1.0].median[0]),
            "log_8": int(self.runs["cross-entropy", 8.0].median[0]),
        }


def rates_compared(n_runs: int = 200, limit: int = 3000, n_rates: int = 6, seed: int = 0) -> RatesCompared:
    """Queries over eight keys with random scores of variance 64, one random key of which is right.

    Args:
        n_runs: how many queries.
        limit: when to give up.
        n_rates: rates are 1, 4, 16 and so on.
        seed: of the draws.
    """
    rates, random = 4.0 ** np.arange(n_rates), np.random.default_rng(seed)
    start = np.repeat(8 * random.standard_normal((n_runs, 1, N_KEYS)), n_rates, axis=1)
    y = np.eye(N_KEYS)[random.integers(N_KEYS, size=n_runs)][:, None]
    runs = {
        (name, c): StepsByRate(steps_needed(start, y, rates[:, None], c, loss, limit), limit)
        for name, loss in LOSSES.items()
        for c in (1.0, 8.0)
    }
    return RatesCompared(rates, runs)
