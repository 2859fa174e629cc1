"""What reaches a query through softmax: the derivative of the weights with respect to it, over many draws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ...analysis.seed_statistics import Measured, over_seeds
from ...attention.probability import softmax
from ...pages.significant_digits import compact

ARMS = ("undivided", "divided")
PERCENT = np.arange(1, 100)  # shares of the draws that a figure shows


def weight_derivatives(
    q: Float[np.ndarray, "draws d_k"], k: Float[np.ndarray, "draws n d_k"], temperature: int | float = 1.0
) -> Float[np.ndarray, "draws n d_k"]:
    r"""The derivatives of the weights softmax(K q / C) with respect to the query, J K.

    .. math:: \frac{\partial p_i}{\partial q} = \frac{p_i}{C}\Bigl(k_i - \sum_j p_j k_j\Bigr)

    Args:
        q: a query per draw.
        k: its keys.
        temperature: C > 0.
    """
    p = softmax((k @ q[..., None])[..., 0] / temperature)[..., None]
    return p * (k - (p * k).sum(axis=1, keepdims=True)) / temperature


@dataclass(frozen=True)
class QueryGradient:
    """The Frobenius norm of J K over many draws, for one width, with the division by √d_k or without.

    Attributes:
        width: d_k.
        arm: "divided" or "undivided".
        norms: one per draw.
    """

    width: int
    arm: str
    norms: Float[np.ndarray, " draws"]

    @property
    def measured(self) -> Measured:
        """Mean and standard deviation of the draws."""
        return over_seeds(self.norms)

    def below(self, percent: int) -> str:
        """What so many per cent of the draws are below, with two significant digits."""
        return compact(float(f"{np.percentile(self.norms, percent):.2g}"))

    @property
    def line(self) -> tuple[Int[np.ndarray, " percents"], Float[np.ndarray, " percents"]]:
        """For a figure, the draws sorted by size: shares in per cent, and what such a share of the norms is below."""
        return PERCENT, np.percentile(self.norms, PERCENT)


def gradient_numbers(found: Sequence[QueryGradient]) -> dict[str, float | str]:
    """What a page's text is given, by name: ``ARM_WIDTH``, the mean, and ``low_ARM_WIDTH``."""
    return {
        **{f"{it.arm}_{it.width}": it.measured.value for it in found},
        **{f"low_{it.arm}_{it.width}": it.below(10) for it in found},
    }


def sorted_lines(
    found: Sequence[QueryGradient],
) -> dict[str, tuple[Int[np.ndarray, " percents"], Float[np.ndarray, " percents"]]]:
    """A line per width and arm, for a figure."""
    return {f"{it.arm}, width {it.width}": it.line for it in found}


def sorted_told(found: Sequence[QueryGradient]) -> str:
    """The same in words, for readers who do not see the figure."""
    told = (
        f"{it.arm.capitalize()}, width {it.width}: {it.below(10)}, {it.below(50)} and {it.below(90)}." for it in found
    )
    return f"Norms that a tenth, half and nine tenths of the draws are below, logarithmic axis. {' '.join(told)}"


def query_gradients(
    widths: Sequence[int], random: np.random.Generator, n_keys: int = 8, draws: int = 4000
) -> list[QueryGradient]:
    """How large J K is for random queries and keys, with and without the division, on the same draws.

    Args:
        widths: the values of d_k.
        random: what queries and keys with independent normal components are drawn from.
        n_keys: keys per query.
        draws: queries per width.
    """
    found = []
    for width in widths:
        q, k = random.normal(size=(draws, width, 1))[..., 0], random.normal(size=(draws, n_keys, width))
        for arm, c in zip(ARMS, (1.0, math.sqrt(width)), strict=True):
            norms = np.linalg.norm(weight_derivatives(q, k, c), axis=(1, 2))
            found.append(QueryGradient(width, arm, norms))
    return found
