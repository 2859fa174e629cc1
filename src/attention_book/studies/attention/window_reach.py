"""How far a window reaches through layers: by the powers of its mask, and by the derivatives of random stacks."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.func import jacrev, vmap

from ...analysis.information_flow import reachable
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.mask_patterns import window_mask

FEATURES = 4
CHAIN_HEADER = ("distance back", "chains", "arrives without additions")
AT_ONCE = 100
"""How many stacks are differentiated in one go."""


def attend_in_layers(
    x: Float[Tensor, "length features"],
    projections: Float[Tensor, "layers 3 features features"],
    mask: Bool[Tensor, "length length"],
    residual: bool = True,
) -> Float[Tensor, "length features"]:
    """A stack of self-attentions, W^Q, W^K and W^V of each layer in ``projections``, with or without residuals."""
    for w_q, w_k, w_v in projections:
        attended = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, mask)[0]
        x = x + attended if residual else attended
    return x


@dataclass(frozen=True)
class WindowReach:
    """The reach of a window through 1 to ``depth`` layers.

    Attributes:
        length: number of positions, at least depth · (width − 1) + 1 if no reach is to be cut off.
        width: of the window.
        depth: the most layers.
        draws: how many random stacks and inputs.
        residual: whether each layer adds its input to its output.
    """

    length: int = 12
    width: int = 3
    depth: int = 4
    draws: int = 600
    residual: bool = True

    @property
    def layers(self) -> range:
        """Numbers of layers."""
        return range(1, self.depth + 1)

    @property
    def window(self) -> Bool[Tensor, "length length"]:
        """The mask of each layer."""
        return window_mask(self.length, self.length, self.width)

    @cached_property
    def derivatives(self) -> Float[Tensor, "draws depth length length"]:
        """The largest derivative of each output by each input, by draw and number of layers."""
        return torch.stack([self.through(n) for n in self.layers], dim=1)

    @cached_property
    def drawn(self) -> tuple[Float[Tensor, "draws length features"], Float[Tensor, "draws depth 3 features features"]]:
        """Inputs and matrices, draw n from the seed n."""
        size = (self.length + 3 * FEATURES * self.depth, FEATURES)
        seeds = [torch.Generator().manual_seed(seed) for seed in range(self.draws)]
        rows = torch.stack([torch.randn(size, generator=seed, dtype=torch.float64) for seed in seeds])
        return rows[:, : self.length], rows[:, self.length :].view(-1, self.depth, 3, FEATURES, FEATURES) / 2

    def through(self, layers: int) -> Float[Tensor, "draws length length"]:
        """The largest derivative of each output by each input behind so many layers, by draw."""
        inputs, projections = self.drawn

        def stack(x: Float[Tensor, "length features"], matrices: Float[Tensor, "depth 3 features features"]) -> Tensor:
            return attend_in_layers(x, matrices[:layers], self.window, self.residual)

        return vmap(jacrev(stack), chunk_size=AT_ONCE)(inputs, projections).abs().amax(dim=(2, 4))

    @cached_property
    def bare(self) -> "WindowReach":
        """The same stacks without residual connections."""
        return replace(self, residual=False)

    def by_formula(self, layers: int) -> int:
        """L (w − 1) + 1."""
        return layers * (self.width - 1) + 1

    def by_powers(self, layers: int) -> int:
        """How many inputs the last output can feel, by the powers of the mask."""
        return int(reachable(self.window, layers)[-1].sum())

    def by_derivatives(self, layers: int) -> set[int]:
        """How many inputs the last output feels: each number that occurs among the draws."""
        return {int(felt) for felt in (self.derivatives[:, layers - 1, -1] > 0).sum(-1)}

    def sizes(self, layers: int) -> list[float]:
        """The largest derivative at each distance back within reach, median of draws and positions."""
        return [_median_at(self.derivatives[:, layers - 1], back) for back in range(self.by_powers(layers))]

    def chains(self, layers: int) -> list[int]:
        """How many chains of links lead from the last output to each distance back within reach, a link per layer."""
        chains = torch.linalg.matrix_power(self.window.double(), layers)[-1].flip(0)
        return [int(number) for number in chains[: self.by_powers(layers)]]

    def chain_rows(self, layers: int) -> list[tuple[str, ...]]:
        """A row per distance, under `CHAIN_HEADER`: :meth:`chains`, and :meth:`sizes` without residual connections."""
        columns = zip(self.chains(layers), self.bare.sizes(layers), strict=True)
        return [(str(back), str(chains), f"{size:.2f}") for back, (chains, size) in enumerate(columns)]

    def times(self, layers: int) -> float:
        """How many times as much arrives from the middle of the reach as from its end, by the medians."""
        return _middle_by_end(self.derivatives[:, layers - 1], self.by_powers(layers) - 1)

    def times_resampled(self, layers: int, share: float = 0.95, resamples: int = 500) -> tuple[float, float]:
        """Between which two numbers :meth:`times` lies in the given share of the draws' resamplings (with seed 0)."""
        found, end = self.derivatives[:, layers - 1], self.by_powers(layers) - 1
        picks = torch.randint(self.draws, (resamples, self.draws), generator=torch.Generator().manual_seed(0))
        times = torch.tensor([_middle_by_end(found[pick], end) for pick in picks], dtype=torch.float64)
        return times.quantile((1 - share) / 2).item(), times.quantile((1 + share) / 2).item()

    def lines(self) -> dict[str, tuple[range, list[float]]]:
        """Distances and :meth:`sizes`, a line per number of layers."""
        return {f"{n} layer{'s' * (n > 1)}": (range(self.by_powers(n)), self.sizes(n)) for n in self.layers}

    def told(self) -> str:
        """The lines in words."""
        told = [
            "Median size of the derivative of an output by the input so many positions before it, logarithmic axis."
        ]
        for n in self.layers:
            sizes = self.sizes(n)
            told.append(
                f"{n} layer{'s' * (n > 1)}: {sizes[0]:.2f} at distance 0, {sizes[-1]:.3f} at {len(sizes) - 1}, then 0."
            )
        return " ".join(told)

    def numbers(self, pictured: int = 3) -> dict[str, int | float]:
        """What the page's text is given, by name: with as many layers as its picture, the derivatives in the middle of
        the reach and at its end, how many times as large the first is, between which bounds that lies when the draws
        are resampled, how many times it is without the residual connections, and the sizes of the trial."""
        sizes = self.sizes(pictured)
        low, high = self.times_resampled(pictured)
        return {
            "n_draws": self.draws,
            "depth": self.depth,
            "toy_width": self.width,
            "middle": sizes[len(sizes) // 2],
            "end": sizes[-1],
            "times": self.times(pictured),
            "times_low": low,
            "times_high": high,
            "bare_times": self.bare.times(pictured),
        }


def _median_at(found: Float[Tensor, "draws length length"], back: int) -> float:
    return found.diagonal(-back, 1, 2).median().item()


def _middle_by_end(found: Float[Tensor, "draws length length"], end: int) -> float:
    return _median_at(found, end // 2) / _median_at(found, end)
