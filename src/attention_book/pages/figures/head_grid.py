"""All heads of a Transformer as one table: a row per attention and layer, a column per head."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float

from ...analysis.ablation import KINDS, Head
from .weights_in_words import rows_told

NAMES = dict(zip(KINDS, ("encoder", "decoder", "cross"), strict=True))
"""The three attentions, as tables call them."""
Heads = Float[np.ndarray, "places heads"]


@dataclass(frozen=True)
class HeadGrid:
    """Names of the rows and columns, and what stands where.

    Attributes:
        n_layers: layers of each of the three attentions.
        n_heads: heads of each layer.
    """

    n_layers: int
    n_heads: int

    @property
    def places(self) -> list[tuple[str, int]]:
        """Attention and layer of each row."""
        return list(product(KINDS, range(self.n_layers)))

    @property
    def row_names(self) -> list[str]:
        """What the rows are called."""
        return [f"{NAMES[kind]} {layer}" for kind, layer in self.places]

    @property
    def column_names(self) -> list[str]:
        """What the columns are called."""
        return [f"head {n}" for n in range(self.n_heads)]

    @property
    def axes(self) -> dict[str, Any]:
        """What a heatmap of the table is given beside its values."""
        labels = {"row_labels": self.row_names, "column_labels": self.column_names}
        return labels | {"x_label": "", "y_label": "attention and layer"}

    def stacked(self, by_kind: Mapping[str, list[list[float]]]) -> Heads:
        """The table, from one of layers and heads for each kind of attention."""
        return np.array([by_kind[kind][layer] for kind, layer in self.places])

    def kind(self, values: np.ndarray, kind: str) -> np.ndarray:
        """The rows of one kind of attention."""
        return values[[place == kind for place, _ in self.places]]

    def most(self, values: Heads) -> Head:
        """The head with the largest value."""
        row, head = np.unravel_index(values.argmax(), values.shape)
        return Head(*self.places[row], int(head))

    def value(self, values: Heads, head: Head) -> float:
        """The value of one head."""
        return float(values[self.places.index((head.kind, head.layer)), head.head])

    def told(self, values: Heads, spec: str) -> str:
        """All values in words."""
        return rows_told(values, [name.capitalize() for name in self.row_names], spec)


def name_of(head: Head) -> str:
    """What a head is called, such as "head 3 of encoder 2"."""
    return f"head {head.head} of {NAMES[head.kind]} {head.layer}"
