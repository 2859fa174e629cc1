"""What heads cost, as a table of layers, and what a length costs, beside a recurrence."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Int

from ...analysis.costs import counted, of_attention, of_recurrence
from ...attention.multi_head import MultiHeadAttention
from ...experiments.recurrent_study import parameters

SHAPES = ((1, 512, 512), (8, 64, 64), (64, 8, 8), (8, 32, 128), (16, 64, 64))
"""Heads, d_k and d_v of the layers compared, all of a model of width 512."""
WIDTH = 512
HEADER = ("heads × d_k", "d_v", "parameters", "and biases", "multiply-adds", "exponentials")
LENGTH_HEADER = ("positions", "four projections", "all pairs", "recurrent layer")
Line = tuple[Int[np.ndarray, " lengths"], Int[np.ndarray, " lengths"]]


def layer_costs(n_heads: int, d_k: int, d_v: int, n: int = 100) -> tuple[int, int, int, int]:
    """Parameters without biases, biases, multiply-adds counted while the layer runs, and exponentials.

    Args:
        n_heads, d_k, d_v: of the layer.
        n: positions.
    """
    layer = MultiHeadAttention(WIDTH, n_heads, d_k, d_v).float()
    biases = sum(p.numel() for name, p in layer.named_parameters() if "bias" in name)
    products = counted(layer, torch.zeros(1, n, WIDTH, dtype=torch.float32), need_weights=True)
    exponentials = of_attention(n, WIDTH, n_heads, d_k, d_v)["exponentials"]
    return parameters(layer) - biases, biases, products, exponentials


def rows(shapes: Sequence[tuple[int, int, int]] = SHAPES) -> list[tuple[str, ...]]:
    """A row per layer, for :data:`HEADER`."""
    return [(f"{h} × {d_k}", str(d_v), *(f"{x:,}" for x in layer_costs(h, d_k, d_v))) for h, d_k, d_v in shapes]


def length_lines(d: int = WIDTH) -> dict[str, Line]:
    """Lengths and multiply-adds: of attention's pairs, of a recurrent layer, and of attention's projections."""
    lengths = np.array([2**k for k in range(4, 13)])
    costs = [of_attention(int(n), d, 8) for n in lengths]
    return {
        "all pairs: scores and mixing": (lengths, np.array([cost["scores"] + cost["mixing"] for cost in costs])),
        "recurrent layer": (lengths, np.array([of_recurrence(int(n), d) for n in lengths])),
        "the four projections": (lengths, np.array([cost["projections"] for cost in costs])),
    }


def length_rows(lengths: Sequence[int], d: int = WIDTH) -> list[tuple[str, ...]]:
    """A row per length, for :data:`LENGTH_HEADER`: multiply-adds of attention's projections and pairs, and of a
    recurrent layer."""
    costs = {n: of_attention(n, d, 8) for n in lengths}
    parts = [(n, it["projections"], it["scores"] + it["mixing"], of_recurrence(n, d)) for n, it in costs.items()]
    return [tuple(f"{x:,}" for x in row) for row in parts]


def crossings(d: int = WIDTH) -> tuple[int, int]:
    """The lengths at which the pairs cost what a recurrence costs, and what attention's own projections cost."""
    (lengths, pairs), *others = length_lines(d).values()
    first, second = (lengths[pairs == line].item() for _, line in others)
    return first, second


def length_lines_told(d: int = WIDTH) -> str:
    """The lines of :func:`length_lines` in words, with their crossings."""
    recurrence, projections = crossings(d)
    lengths = next(iter(length_lines(d).values()))[0]
    return (
        f"Multiply-adds of one layer of width {d} over {lengths[0]} to {lengths[-1]:,} positions, on two logarithmic "
        "axes. The scores and the mixing of all pairs rise twice as steeply as a recurrent layer and the projections. "
        f"They meet the recurrent layer at {recurrence} positions and the projections at {projections:,}. "
        "The projections cost twice what the recurrent layer costs, at every length."
    )
