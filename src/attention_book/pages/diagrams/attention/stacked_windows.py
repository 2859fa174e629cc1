"""The figure of a window through layers: which positions of each layer the newest output is made of."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....analysis.information_flow import reachable
from ....attention.mask_patterns import window_mask
from ...figures.plotting import INK, ROLES
from ..shapes import WIDTH, box, said, sheet

_LABELS = 62  # how wide the names of the layers are, in points
_LEVEL = 44  # from one layer to the next
_SIZE = (18, 14)  # of the box of a position
_FLOOR = 40  # the height of the lowest row of boxes


class StackedWindows(NamedTuple):
    """Layers of self-attention that all have one window.

    Attributes:
        length: number of positions.
        width: w, how many keys each query may attend to.
        layers: how many layers stand on the inputs.
    """

    length: int
    width: int
    layers: int

    def felt(self, layer: int) -> list[int]:
        """Positions of a level that the newest output of the last layer is made of.

        Args:
            layer: the level: 0 for the inputs, n + 1 for the outputs of layer n.
        """
        mask = window_mask(self.length, self.length, self.width)
        return reachable(mask, self.layers - layer)[-1].nonzero().flatten().tolist()

    def links(self, layer: int) -> list[tuple[int, int]]:
        """From a position of a layer to each key below that it attends to, of the positions that are felt."""
        mask = window_mask(self.length, self.length, self.width)
        return [(query, key) for query in self.felt(layer) for key in mask[query].nonzero().flatten().tolist()]


def stacked_windows(stack: StackedWindows) -> Figure:
    """A row of boxes per layer, the inputs lowest; what the newest output is made of is full, and linked.

    The links straight down, from a position to itself, are bold.

    Returns:
        The figure, not yet shown.

    Raises:
        ValueError: if there is no layer.
    """
    if stack.layers < 1:
        raise ValueError(f"a window needs a layer to be in, got {stack.layers} layers")
    with sheet(_FLOOR + stack.layers * _LEVEL + 16) as axes:
        for layer in range(1, stack.layers + 1):
            _links(axes, stack, layer)
        for layer in range(stack.layers + 1):
            name = f"layer {layer - 1}" if layer else "inputs"
            said(axes, (2, _height(layer)), name, ha="left")
            _boxes(axes, stack, layer)
        for position in range(stack.length):
            said(axes, (_place(stack, position), _FLOOR - 18), str(position))
        said(axes, (2, _FLOOR - 18), "position", ha="left")
    return axes.figure


def _place(stack: StackedWindows, position: int) -> float:
    return _LABELS + (position + 0.5) * (WIDTH - _LABELS) / stack.length


def _height(layer: int) -> int:
    return _FLOOR + layer * _LEVEL


def _links(axes: Axes, stack: StackedWindows, layer: int) -> None:
    ends = [_height(layer) - _SIZE[1] / 2, _height(layer - 1) + _SIZE[1] / 2]
    for query, key in stack.links(layer):
        places = [_place(stack, query), _place(stack, key)]
        axes.plot(places, ends, color=INK, linewidth=2.5 if query == key else 1, gid=f"link-{layer}-{query}-{key}")


def _boxes(axes: Axes, stack: StackedWindows, layer: int) -> None:
    felt = stack.felt(layer)
    role = ROLES["output" if layer == stack.layers else "value"].light
    for position in range(stack.length):
        centre = (_place(stack, position), _height(layer))
        style = {"facecolor": role} if position in felt else {"linestyle": (0, (3, 2)), "alpha": 0.6}
        box(axes, centre, _SIZE, f"cell-{layer}-{position}", **style)


def windows_told(stack: StackedWindows) -> str:
    """The figure of :func:`stacked_windows` in words."""
    last = stack.length - 1
    told = [
        f"{stack.length} positions, {stack.layers} layers, and a window of {stack.width} in each. "
        f"The output of layer {stack.layers - 1} at position {last} is made of"
    ]
    for layer in reversed(range(stack.layers)):
        felt = stack.felt(layer)
        what = f"of layer {layer - 1}" if layer else "of the inputs"
        told.append(f"the positions {felt[0]} to {felt[-1]} {what}{',' if layer else '.'}")
    return " ".join(told)
