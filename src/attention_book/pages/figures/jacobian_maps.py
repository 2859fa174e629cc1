"""The classic heat maps of the softmax Jacobian: one vector of scores, with and without division, on one scale.

The popular figure gives each map a scale of its own. Then J and J/8 are the same picture, and 0 has a colour that
depends on the other entries. Here colour means the same number in all maps of a row, and 0 is always transparent.
"""

import itertools
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

from ...attention.probability import softmax_jacobian
from .plotting import INK, ON_COLOUR, ROLES, STYLE


def comparison(n: int, seed: int) -> tuple[Float[np.ndarray, "n n"], Float[np.ndarray, "n n"]]:
    r"""The Jacobian at one vector of n scores drawn from N(0, n), at C = 1 and at C = √n.

    The variance n stands for :math:`d_k`: it is what a dot product of two vectors of n standard normal numbers would
    have (Vaswani et al. 2017, §3.2.1, footnote 4). So n is both the number of scores and the width of a key here.

    Args:
        n: number of scores.
        seed: of the draw; the standard normal numbers before the multiplication by √n are the first n of a longer draw.

    Returns:
        The undivided and the divided one, each with its factor 1/C.

    Pitfall: one draw decides nothing about which of them is larger; see `attention_book.analysis.jacobian_statistics`.
    """
    s = np.sqrt(n) * np.random.default_rng(seed).standard_normal(n)
    return softmax_jacobian(s), softmax_jacobian(s, float(np.sqrt(n)))


def norm_ratio(n: int, seed: int) -> float:
    """How many times as large the Frobenius norm of `comparison` is without the division."""
    undivided, divided = comparison(n, seed)
    return float(np.linalg.norm(undivided) / np.linalg.norm(divided))


def coloured(n: int, seed: int, *, one_scale: bool = False) -> tuple[int, int]:
    """How many cells of each map of `comparison` are above a twentieth of its largest entry.

    With one scale, the largest entry is that of both maps.
    """
    pair = comparison(n, seed)
    tops = [max(map(_largest, pair))] * 2 if one_scale else list(map(_largest, pair))
    undivided, divided = (int((np.abs(j) > top / 20).sum()) for j, top in zip(pair, tops, strict=True))
    return undivided, divided


def comparison_rows(cases: Sequence[tuple[int, int]]) -> list[dict[str, np.ndarray]]:
    """The maps of several comparisons for `signed_maps`, one row each, with their titles.

    Args:
        cases: n and seed of each.
    """
    return [
        dict(zip((f"n = {n}, seed {seed}: C = 1", f"C = √{n}"), comparison(n, seed), strict=True)) for n, seed in cases
    ]


def comparisons_told(cases: Sequence[tuple[int, int]]) -> str:
    """The same comparisons in words, for readers who do not see the maps."""
    told = []
    for n, seed in cases:
        pair = comparison(n, seed)
        undivided, divided = (f"norm {np.linalg.norm(j):.3f}, largest entry {_largest(j):.3f}" for j in pair)
        told.append(f"n = {n}, seed {seed}: undivided {undivided}; divided {divided}.")
    return " ".join(told)


def signed_maps(rows: Sequence[Mapping[str, np.ndarray]]) -> Figure:
    """Square matrices with entries of both signs, side by side: one symmetric scale of colours for each row of maps.

    Positive entries take the colour of weights, negative ones the page's text colour, 0 is transparent; the strength
    rises with the power 0.6 of an entry, so that small ones can be seen. Matrices of up to five rows also carry their
    numbers. Rows and columns are counted from 1, as in formulas.

    Args:
        rows: for each row of the figure, its maps by title.

    Returns:
        The figure, not yet shown. Each row ends in a bar that says what its colours mean.

    Raises:
        ValueError: if there is nothing to draw, or a map is not a square matrix of finite numbers.
    """
    if not rows or not all(rows):
        raise ValueError("there is no map to draw")
    for title, matrix in itertools.chain.from_iterable(row.items() for row in rows):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
            raise ValueError(f"{title!r} is no square matrix of finite numbers: its shape is {matrix.shape}")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 0.3 + 2.2 * len(rows)), layout="constrained")
        axes = figure.subplots(len(rows), max(map(len, rows)), squeeze=False)
        for of_row, maps in zip(axes, rows, strict=True):
            shared = max(_largest(matrix) for matrix in maps.values())
            for at, (title, matrix) in zip(of_row, maps.items(), strict=False):
                mesh = _draw(at, title, matrix, shared)
            for unused in of_row[len(maps) :]:
                unused.set_axis_off()
            bar = figure.colorbar(mesh, ax=list(of_row), ticks=[-shared, 0, shared], shrink=0.85)
            bar.ax.set_yticklabels([f"−{shared:.3g}", "0", f"{shared:.3g}"])
            bar.solids.set(edgecolor="none", antialiased=False, rasterized=False)  # a picture knows no dark page
    return figure


def _largest(matrix: np.ndarray) -> float:
    return float(np.abs(matrix).max()) or 1.0


def _draw(axes, title: str, matrix: np.ndarray, largest: float):
    shares = np.linspace(-1, 1, 129)
    colours = to_rgb(INK), to_rgb(ROLES["weight"].light)
    ramp = ListedColormap([(*colours[int(share > 0)], abs(share) ** 0.6) for share in shares])
    mesh = axes.pcolormesh(matrix, cmap=ramp, vmin=-largest, vmax=largest)
    n = len(matrix)
    ticks = np.arange(0, n, max(1, n // 4))
    axes.set_xticks(ticks + 0.5, ticks + 1)
    axes.set_yticks(ticks + 0.5, ticks + 1)
    axes.set(title=title, aspect="equal")
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[["top", "right"]].set_visible(True)
    if n <= 5:
        decimals = max(2, 1 + int(np.ceil(-np.log10(_largest(matrix)))))  # two digits of the largest entry
        for i, j in np.ndindex(n, n):
            text = f"{matrix[i, j].round(decimals) + 0.0:.{decimals}f}".replace("-", "−")
            axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color=ON_COLOUR, fontsize=8)
    return mesh
