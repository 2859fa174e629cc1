"""How far back recurrent cells reach: derivatives before and after training, and whether a far symbol is recalled.

The task has one dependence, of a length that is chosen: the first symbol of a row is to be named at its end, after a
number of other symbols that say nothing. Whoever guesses is right once in as many times as there are symbols.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ...analysis.gradient_reach import open_forget_gates, reach

QUESTION = (
    "How fast does the last state forget, before training and after, and over which distance can each cell learn?"
)
CONFIGURATION = {
    "cells": {"RNN": None, "GRU": None, "LSTM": None, "LSTM, gates open": 3.0},
    "d_in": 16,
    "hidden": 32,
    "symbols": 8,
    "delays": [5, 10, 20, 40],
    "after_delay": 20,
    "longest": 40,
    "reach_rows": 8,
    "batch": 32,
    "steps": 500,
    "enough": 0.05,
    "rate": 5e-3,
    "clip": 1.0,
    "examined": 1000,
}
"""``cells``: the start of the forget gates' bias, torch's own where None. Training ends after ``steps``, or earlier
when the loss of ten steps is below ``enough``. ``after_delay`` is the one after which the reach is measured again."""
SEEDS = [0, 1, 2, 3, 4]


class Recaller(nn.Module):
    """Embeds symbols, reads them with one recurrent layer, and names a symbol from the last state."""

    def __init__(self, cell: str, forget_bias: float | None, symbols: int, d_in: int, hidden: int):
        super().__init__()
        self.embedding = nn.Embedding(2 * symbols, d_in)
        self.cell = getattr(nn, cell)(d_in, hidden, batch_first=True)
        self.output = nn.Linear(hidden, symbols)
        if forget_bias is not None:
            open_forget_gates(self.cell, forget_bias)

    def forward(self, rows: Int[Tensor, "batch length"]) -> Float[Tensor, "batch symbols"]:
        """Scores of the symbol asked for."""
        return self.output(self.cell(self.embedding(rows))[0][:, -1])


def rows_of(
    number: int, delay: int, symbols: int, generator: torch.Generator
) -> tuple[Int[Tensor, "batch length"], Int[Tensor, " batch"]]:
    """Rows of one symbol from the first half of the alphabet and ``delay`` from the other, and the symbol to recall."""
    first = torch.randint(symbols, (number,), generator=generator)
    rest = torch.randint(symbols, (number, delay), generator=generator) + symbols
    return torch.cat([first[:, None], rest], dim=1), first


def train(model: Recaller, delay: int, seed: int, configuration: dict[str, Any]) -> int:
    """Train until it is good enough or the steps are used up; returns the steps taken."""
    c, recent = configuration, []
    generator = torch.Generator().manual_seed(1000 + seed)
    optimizer = torch.optim.Adam(model.parameters(), c["rate"])
    for step in range(1, c["steps"] + 1):
        rows, answers = rows_of(c["batch"], delay, c["symbols"], generator)
        loss = F.cross_entropy(model(rows), answers)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), c["clip"])
        optimizer.step()
        recent = [*recent[-9:], loss.item()]
        if len(recent) == 10 and sum(recent) / 10 < c["enough"]:
            return step
    return c["steps"]


@torch.no_grad()
def recalled(model: Recaller, delay: int, seed: int, configuration: dict[str, Any]) -> float:
    """The share of new rows whose first symbol is named."""
    generator = torch.Generator().manual_seed(2000 + seed)
    rows, answers = rows_of(configuration["examined"], delay, configuration["symbols"], generator)
    return float((model(rows).argmax(dim=-1) == answers).float().mean())


def measured_reach(model: Recaller, seed: int, configuration: dict[str, Any]) -> list[float]:
    """The reach of the model's cell by distance, on rows of the task."""
    c = configuration
    generator = torch.Generator().manual_seed(3000 + seed)
    rows, _ = rows_of(c["reach_rows"], c["longest"], c["symbols"], generator)
    return [float(f"{value:.5g}") for value in reach(model.cell, model.embedding(rows)).tolist()]


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Every cell at every delay.

    Returns:
        For each cell ``CELL/fresh`` and ``CELL/trained``, the reach by distance before training and after training at
        ``after_delay``; and for each delay ``CELL/DELAY/recalled`` and ``CELL/DELAY/steps``.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    metrics: dict[str, Any] = {}
    tokens = 0
    try:
        for name, bias in c["cells"].items():
            for delay in c["delays"]:
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    model = Recaller(name.split(",")[0], bias, c["symbols"], c["d_in"], c["hidden"])
                if delay == c["after_delay"]:
                    metrics[f"{name}/fresh"] = measured_reach(model, seed, c)
                steps = train(model, delay, seed, c)
                tokens += steps * c["batch"]
                metrics[f"{name}/{delay}/recalled"] = recalled(model, delay, seed, c)
                metrics[f"{name}/{delay}/steps"] = steps
                if delay == c["after_delay"]:
                    metrics[f"{name}/trained"] = measured_reach(model, seed, c)
    finally:
        torch.set_num_threads(threads)
    return {"tokens": tokens, **metrics}
