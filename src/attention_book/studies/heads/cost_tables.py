"""What heads cost, as a table of layers, and what a length costs, beside a recurrence."""

from collections.abc import Sequence
from itertools import count

import numpy as np
import torch
from jaxtyping import Int

from ...analysis.costs import counted, of_attention, of_recurrence
from ...attention.multi_head import MultiHeadAttention
from ...experiments.recurrent_study import parameters

SHAPES = ((1, 512, 512), (8, 64, 64), (64, 8, 8), (8, 32, 128), (16, 64, 64))
"""Heads, d_k and d_v of the layers compared, all of a model of width 512."""
WIDTH = 512
SENTENCE = 30
"""Words of a sentence that is compared."""
HEADER = ("heads × d_k", "d_v", "parameters", "and biases", "multiply-adds", "exponentials")
LENGTH_HEADER = ("positions", "four projections", "all pairs", "attention", "GRU")
PAIRS_OF_MATRICES = {"plain cell": 1, "GRU": 3, "LSTM": 4}
"""How many pairs of matrices, one for the input and one for the state, a recurrent layer has."""
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


def recurrent_cost(n: int, cell: str, d: int = WIDTH) -> int:
    """Multiply-adds of a recurrent layer over n positions: 2 n d² for each of its :data:`PAIRS_OF_MATRICES`."""
    return PAIRS_OF_MATRICES[cell] * of_recurrence(n, d)


def attention_cost(n: int, d: int = WIDTH) -> int:
    """Multiply-adds of a whole layer of attention over n positions, projections and pairs: 4 n d² + 2 n² d."""
    cost = of_attention(n, d, 8)
    return cost["projections"] + cost["scores"] + cost["mixing"]


def dearer_from(cell: str, d: int = WIDTH) -> int:
    """The smallest number of positions at which attention costs more multiply-adds than a recurrent layer."""
    return next(n for n in count(1) if attention_cost(n, d) > recurrent_cost(n, cell, d))


def length_lines(d: int = WIDTH) -> dict[str, Line]:
    """Lengths and multiply-adds: of a whole layer of attention, of a GRU and of a plain recurrent layer."""
    lengths = np.array([2**k for k in range(4, 13)])
    lines = {"attention": [attention_cost(int(n), d) for n in lengths]}
    lines |= {cell: [recurrent_cost(int(n), cell, d) for n in lengths] for cell in ("GRU", "plain cell")}
    return {name: (lengths, np.array(line)) for name, line in lines.items()}


def length_rows(lengths: Sequence[int], d: int = WIDTH) -> list[tuple[str, ...]]:
    """A row per length, for :data:`LENGTH_HEADER`: multiply-adds of attention's projections and pairs, of both, and of
    a GRU."""
    both = {n: (attention_cost(n, d), recurrent_cost(n, "GRU", d)) for n in lengths}
    parts = {n: of_attention(n, d, 8) for n in lengths}
    found = [(n, parts[n]["projections"], parts[n]["scores"] + parts[n]["mixing"], *both[n]) for n in lengths]
    return [tuple(f"{x:,}" for x in row) for row in found]


def length_lines_told(d: int = WIDTH) -> str:
    """The lines of :func:`length_lines` in words, with their crossing."""
    lines = length_lines(d)
    (lengths, attention), (_, gru), (_, plain) = lines.values()
    (crossing,) = lengths[attention == gru]
    return (
        f"Multiply-adds of one layer of width {d} over {lengths[0]} to {lengths[-1]:,} positions, on two logarithmic "
        f"axes. At {lengths[0]} positions attention costs {attention[0] / gru[0]:.2f} times what the GRU costs, at "
        f"{crossing} as much, and at {lengths[-1]:,} {attention[-1] / gru[-1]:.1f} times. The plain cell costs "
        f"{plain[0] / gru[0]:.2f} times what the GRU costs at every length, and less than attention."
    )


def length_numbers() -> dict[str, int | float]:
    """What the page's text is given, by name: from which length on attention costs more than each recurrent layer, and
    the share of its multiply-adds that the projections take in a :data:`SENTENCE`, in percent."""
    from_gru, from_lstm, from_plain = (dearer_from(cell) for cell in ("GRU", "LSTM", "plain cell"))
    return {
        "from_gru": from_gru,
        "from_lstm": from_lstm,
        "from_plain": from_plain,
        "sentence": SENTENCE,
        "projected": 100 * of_attention(SENTENCE, WIDTH, 8)["projections"] / attention_cost(SENTENCE),
    }
