"""Products of sinusoidal vectors by their distance, and how much of a product is left to the distance by matrices."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from ...analysis.seed_statistics import Measured, over_seeds
from ...attention.positions import frequencies, sinusoidal_positions

Curve = Float[np.ndarray, " distances"]


def product_by_distance(width: int, most: int = 60) -> Curve:
    r"""The inner product of two sinusoidal vectors as a share of its largest value.

    .. math:: \frac{2}{\text{width}} \sum_i \cos(\omega_i \Delta), \qquad \Delta = 0, \dots, \text{most}

    Args:
        width: of the vectors, even.
        most: the largest distance.
    """
    return torch.cos(frequencies(width) * torch.arange(most + 1)[:, None]).mean(1).numpy()


def rises(line: Curve) -> list[int]:
    """The distances at which a curve is higher than at the distance before, by more than rounding."""
    return [int(n) + 1 for n in np.flatnonzero(np.diff(line) > 1e-9)]


def second_peak(line: Curve) -> int:
    """The distance of the highest value from the first rise on; the curve must rise."""
    first = rises(line)[0]
    return first + int(np.argmax(line[first:]))


@dataclass(frozen=True)
class ProductCurves:
    """:func:`product_by_distance` for several widths.

    Attributes:
        by_width: the curve of each width.
    """

    by_width: Mapping[int, Curve]

    @classmethod
    def of(cls, *widths: int) -> "ProductCurves":
        """The curves of these widths, for distances up to 60."""
        return cls({width: product_by_distance(width) for width in widths})

    def lines(self) -> dict[str, tuple[Int[np.ndarray, " distances"], Curve]]:
        """Distances and products, a line per width."""
        return {f"d_model = {width}": (np.arange(len(line)), line) for width, line in self.by_width.items()}

    def told(self) -> str:
        """The curves in words."""
        told = [
            "Inner product of two sinusoidal vectors, as a share of its largest value, against their distance from 0 "
            "to 60."
        ]
        for width, line in self.by_width.items():
            up = rises(line)
            told.append(
                f"At width {width}: {line[1]:.3f} at distance 1, {line[10]:.3f} at 10, {line[60]:.3f} at 60; it rises "
                f"{len(up)} times, first from {up[0] - 1} to {up[0]}, and is highest after that at distance "
                f"{(peak := second_peak(line))}, with {line[peak]:.3f}."
            )
        return " ".join(told)

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name: how often each curve rises and where first; how far it rises again.

        Returns:
            ``rises_*``, ``from_*``, ``to_*`` and ``peak_*`` of each width, and the ``last_*`` value of the widest.
        """
        widest, found = max(self.by_width), {}
        for width, line in self.by_width.items():
            up = rises(line)
            found |= {f"rises_{width}": len(up), f"from_{width}": up[0] - 1, f"to_{width}": up[0]}
            found[f"peak_{width}"] = second_peak(line)
        return found | {f"last_{widest}": float(self.by_width[widest][-1])}


def share_explained_by_distance(part: Float[torch.Tensor, "length length"]) -> float:
    """How much of the variance of a square matrix lies between its diagonals, and not within them.

    Args:
        part: what two positions give, by position of the query and of the key.
    """
    length = len(part)
    offset = (torch.arange(length)[:, None] - torch.arange(length)).flatten() + length - 1
    flat = part.flatten()
    means = torch.zeros(2 * length - 1, dtype=flat.dtype).index_add(0, offset, flat) / torch.bincount(offset)
    return (means[offset].var(correction=0) / flat.var(correction=0)).item()


def share_explained_by_chance(length: int) -> float:
    """What :func:`share_explained_by_distance` is on average for unrelated numbers.

    With 2 · length − 1 diagonals and length² cells it is (2 · length − 2) / (length² − 1), which is 2 / (length + 1).

    Args:
        length: of the sides of the square matrix.
    """
    return 2 / (length + 1)


def explained_with_random_matrices(draws: int = 200, length: int = 40, width: int = 64) -> Measured:
    r"""The share of :math:`p W^Q (p' W^K)^\top` that the distance explains, in per cent, mean and deviation over draws.

    Args:
        draws: of W^Q and W^K, with entries of variance 1 / width.
        length: number of positions.
        width: of vectors, queries and keys.
    """
    rows, generator = sinusoidal_positions(length, width).double(), torch.Generator().manual_seed(0)
    shares = []
    for _ in range(draws):
        w_q, w_k = (torch.randn(width, width, generator=generator, dtype=torch.float64) / width**0.5 for _ in range(2))
        shares.append(100 * share_explained_by_distance((rows @ w_q) @ (rows @ w_k).T))
    return over_seeds(np.array(shares))
