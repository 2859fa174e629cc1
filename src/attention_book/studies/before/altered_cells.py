"""Fresh cells with one thing altered: how fast do they forget?"""

from collections.abc import Callable

import torch
from torch import nn

from ...analysis.gradient_reach import open_forget_gates, rate, reach

FIRST, LAST = 10, 30
"""Between which distances the factor per step is taken."""


def fresh_rate(make: Callable[[], nn.Module], rows: int = 8, seeds: int = 5) -> float:
    """The factor by which fresh layers forget per step, from `FIRST` to `LAST` steps, mean over seeds.

    Args:
        make: makes a forward layer of double precision.
        rows: how many random sequences of inputs each seed has.
        seeds: how many layers are drawn, and inputs after each.
    """
    found = []
    with torch.random.fork_rng():
        for seed in range(seeds):
            torch.manual_seed(seed)
            layer = make()
            x = torch.randn(rows, LAST + 1, layer.input_size, dtype=torch.float64)
            found.append(rate(reach(layer, x), FIRST, LAST))
    return sum(found) / seeds


def open_lstm(d_in: int, hidden: int, bias: float, cut: bool = False) -> nn.LSTM:
    """An LSTM whose forget gates start with a bias.

    Args:
        d_in, hidden: its widths.
        bias: of the forget gates.
        cut: whether the matrix from the state to the proposal g is 0, so that the memory cannot come back through h.
    """
    layer = nn.LSTM(d_in, hidden, batch_first=True, dtype=torch.float64)
    open_forget_gates(layer, bias)
    if cut:
        layer.weight_hh_l0.data[2 * hidden : 3 * hidden] = 0
    return layer
