"""How far a window reaches through layers: by the powers of its mask, and by the derivatives of random stacks."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ...analysis.information_flow import leak_matrix, reachable
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.mask_patterns import window_mask

FEATURES = 4


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
    draws: int = 6
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
        return torch.stack([self._drawn(seed) for seed in range(self.draws)])

    def _drawn(self, seed: int) -> Float[Tensor, "depth length length"]:
        rows = self.length + 3 * FEATURES * self.depth
        drawn = torch.randn(rows, FEATURES, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        projections, window = drawn[self.length :].view(self.depth, 3, FEATURES, FEATURES) / 2, self.window
        stacks = [lambda x, n=n: attend_in_layers(x, projections[:n], window, self.residual) for n in self.layers]
        return torch.stack([leak_matrix(stack, drawn[: self.length]) for stack in stacks])

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
        found = self.derivatives[:, layers - 1]
        return [found.diagonal(-back, 1, 2).median().item() for back in range(self.by_powers(layers))]

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
        the reach and at its end, how many times as large the first is, also without the residual connections, and the
        sizes of the trial."""
        stacks = {"": self, "bare_": replace(self, residual=False)}
        found = {name: stack.sizes(pictured) for name, stack in stacks.items()}
        times = {f"{name}times": sizes[len(sizes) // 2] / sizes[-1] for name, sizes in found.items()}
        sizes_of_trial = {"n_draws": self.draws, "depth": self.depth, "toy_width": self.width}
        return sizes_of_trial | times | {"middle": found[""][len(found[""]) // 2], "end": found[""][-1]}
