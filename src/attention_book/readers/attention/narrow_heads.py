"""What *narrow-heads* measured: what heads of one number leave of one row when their keys or their values are wider."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import Measured
from ..reader import ResultReader

HEADER = ("32 heads", "d_k", "d_v", "one row asked for")
NAMES = {"both": "as above", "wider_values": "values widened", "wider_keys": "keys widened"}
"""The arms of the experiment, as the page calls them."""


@dataclass(frozen=True)
class NarrowHeads(ResultReader):
    """The result, as its page reads it."""

    def left(self, arm: str) -> Measured:
        """The share of the variance that is left over, mean and standard deviation over the seeds."""
        return self.measured(f"{arm}/loss")

    def parameters(self, arm: str) -> int:
        """Parameters of the attention."""
        return self.shared(f"{arm}/parameters")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per arm, for :data:`HEADER`."""
        widths = self.setting["arms"]
        return [(name, *map(str, widths[arm]), f"{self.left(arm):.3f}") for arm, name in NAMES.items()]

    def numbers(self) -> dict[str, float]:
        """What the page's text is given, by name."""
        return {"narrow_values": self.left("wider_values").value}


def read() -> NarrowHeads:
    """The result on record."""
    return NarrowHeads(experiments.read("narrow-heads"))
