"""How many steps it takes to change a softmax's mind: of its scores by the lead, of queries by width and rate."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from ...analysis.saturation import cross_entropy, squared_error, steps_needed
from ...attention.probability import softmax

LOSSES: dict[str, Callable] = {"squared error": squared_error, "cross-entropy": cross_entropy}
N_KEYS = 8
SURE = 0.99
"""A key with more than this weight leaves a query hardly any gradient."""


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

    def numbers(self) -> dict[str, int]:
        """What a page's text is given, by name: steps at no lead and at the longest."""
        squared, log_loss = (self.steps[loss] for loss in LOSSES)
        ends = {
            "squared_tie": squared[0],
            "squared_last": squared[-1],
            "log_tie": log_loss[0],
            "log_last": log_loss[-1],
        }
        return {name: int(steps) for name, steps in ends.items()} | {"longest": int(self.leads[-1])}

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


class QueryRuns(NamedTuple):
    """What became of queries that learned.

    Attributes:
        steps: for each the first number of steps after which p · y exceeds ½, or ``limit``.
        start: the weights before the first step.
        end: the weights at the last step.
        limit: when queries were given up.
    """

    steps: Int[np.ndarray, " runs"]
    start: Float[np.ndarray, "runs n"]
    end: Float[np.ndarray, "runs n"]
    limit: int

    def freed(self) -> int:
        """How many begin with more than `SURE` at a wrong key and arrive."""
        arrived = (self.steps > 0) & (self.steps < self.limit)
        return int((arrived & (self.start.max(axis=-1) > SURE)).sum())

    def thrown(self) -> int:
        """How many begin with no weight above `SURE`, never arrive, and end with such a weight at a wrong key."""
        never = self.steps == self.limit
        return int((never & (self.start.max(axis=-1) <= SURE) & (self.end.max(axis=-1) > SURE)).sum())


def query_runs(
    q: Float[np.ndarray, "runs d_k"],
    k: Float[np.ndarray, "runs n d_k"],
    y: Float[np.ndarray, "runs n"],
    rate: float | int,
    temperature: float | int,
    limit: int,
) -> QueryRuns:
    r"""How many steps of gradient descent on a query it takes until most of the weight is on the right key.

    .. math:: q \leftarrow q - \eta\, K^\top \frac{\partial L}{\partial s}, \qquad L = \tfrac12 \lVert p - y \rVert^2

    The keys stay as they are, so the scores K q are all that has to be kept: such a step moves them by the n × n
    matrix K Kᵀ times their gradient.

    Args:
        q: a query per run.
        k: its keys.
        y: for each run a one-hot vector, the key that should have the weight.
        rate: learning rate η.
        temperature: C > 0, by which the scores are divided.
        limit: when to give up.

    Returns:
        The steps, and the weights at the start and at the end.
    """
    s, products, needed = (k @ q[..., None])[..., 0], k @ k.transpose(0, 2, 1), np.full(len(q), limit)
    start = p = softmax(s / temperature)
    for step in range(limit):
        p = softmax(s / temperature)
        needed = np.minimum(needed, np.where((p * y).sum(axis=-1) > 0.5, step, limit))
        if (needed < limit).all():
            break
        s = s - rate * (products @ squared_error(p, y)[..., None])[..., 0] / temperature
    return QueryRuns(needed, start, p, limit)


@dataclass(frozen=True)
class QueriesByWidth:
    """Steps that queries need at several widths and learning rates, undivided and divided by √d_k.

    Attributes:
        rates: the learning rates.
        steps: by width and whether divided, one row per rate, one column per query; ``limit`` where it did not arrive.
        limit: when queries were given up.
        freed, thrown: of the undivided queries at rate 1 and the largest width, as :class:`QueryRuns` counts them.
    """

    rates: Float[np.ndarray, " rates"]
    steps: dict[tuple[int, bool], Int[np.ndarray, "rates runs"]]
    limit: int
    freed: int
    thrown: int

    def header(self) -> list[str]:
        """A name per column of a table."""
        return ["width", *(f"rate {Fraction(float(rate))}" for rate in self.rates)]

    def rows(self) -> list[tuple[str, ...]]:
        """How many queries arrived, a row per width and arm, a column per rate, for a table."""
        arrived = {case: (steps < self.limit).sum(axis=1) for case, steps in self.steps.items()}
        return [
            (f"{width}, {'divided' if divided else 'undivided'}", *map(str, counts))
            for (width, divided), counts in arrived.items()
        ]

    def numbers(self) -> dict[str, int]:
        """What the page's text is given, by name.

        ``most_WIDTH``: undivided queries that arrived at their best rate; ``half_WIDTH``: steps at rate 1 within which
        half of the divided queries arrived, and ``half_undivided_WIDTH`` half of the undivided ones; and the counts
        ``freed`` and ``thrown``.
        """
        at_1 = int(np.flatnonzero(self.rates == 1)[0])
        numbers = {"n_runs": next(iter(self.steps.values())).shape[1], "limit": self.limit}
        numbers |= {"freed": self.freed, "thrown": self.thrown}
        for (width, divided), steps in self.steps.items():
            arm = width if divided else f"undivided_{width}"
            numbers[f"half_{arm}"] = int(np.quantile(steps[at_1], 0.5, method="lower"))
            if not divided:
                numbers[f"most_{width}"] = int((steps < self.limit).sum(axis=1).max())
        return numbers


def queries_by_width(
    widths: Sequence[int] = (16, 64, 256),
    n_runs: int = 200,
    limit: int = 1000,
    seed: int = 0,
    rates: Sequence[int | float] = (1 / 16, 1 / 4, 1, 4),
) -> QueriesByWidth:
    """Random queries over eight random keys each, one random key of which is right, at several rates.

    Args:
        widths: the values of d_k, the largest last.
        n_runs: queries per width.
        limit: when to give up.
        seed: of the draws.
        rates: the learning rates, 1 among them.
    """
    random, runs = np.random.default_rng(seed), {}
    for width in widths:
        q, k = random.standard_normal((n_runs, width)), random.standard_normal((n_runs, N_KEYS, width))
        y = np.eye(N_KEYS)[random.integers(N_KEYS, size=n_runs)]
        for divided in (False, True):
            c = math.sqrt(width) if divided else 1.0
            runs[width, divided] = [query_runs(q, k, y, rate, c, limit) for rate in rates]
    steps = {case: np.stack([run.steps for run in some]) for case, some in runs.items()}
    at_1 = runs[widths[-1], False][list(rates).index(1)]
    return QueriesByWidth(np.array(rates), steps, limit, at_1.freed(), at_1.thrown())
