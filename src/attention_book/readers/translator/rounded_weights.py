"""What *rounded-weights* measured: translations that change, BLEU and chrF, for each kind of weights."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import number
from ..reader import ResultReader

NAMES = {
    "float32": ("single precision", 32),
    "float16": ("float16", 16),
    "bfloat16": ("bfloat16", 16),
    "int8": ("8 bits, a scale per row", 8),
    "int8 whole": ("8 bits, a scale per matrix", 8),
    "int4": ("4 bits, a scale per row", 4),
    "int4 whole": ("4 bits, a scale per matrix", 4),
    "bfloat16 products": ("bfloat16, products too", 16),
    "int8 products": ("8 bits per row, products too", 8),
}
"""What the page calls each kind of weights, and the bits of a weight."""
IN_TABLE = ("float32", "bfloat16", "int8", "int8 whole", "int4", "int4 whole")
"""The kinds of :meth:`RoundedWeights.rows`."""
HEADER = ("weights", "equal translations", "BLEU", "p")


@dataclass(frozen=True)
class RoundedWeights(ResultReader):
    """The result, as its page reads it."""

    @property
    def kept(self) -> dict[str, dict[str, float]]:
        """What was measured, by the kind of weights; the first is the one that others are compared with."""
        return self.found["kept"]

    def lost(self, kind: str) -> float:
        """BLEU less than with the weights in single precision; negative where it is more."""
        return self.kept["float32"]["bleu"] - self.kept[kind]["bleu"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per kind of :data:`IN_TABLE`, for :data:`HEADER`; no p for the kind that others are compared with."""
        rows = []
        for kind in IN_TABLE:
            found = self.kept[kind]
            p = f"{found['bleu_p']:.3f}" if "bleu_p" in found else ""
            bleu = f"{found['bleu']:.2f} ± {found['bleu_half_width']:.2f}"
            rows.append((NAMES[kind][0], number(found["equal"], ".1%"), bleu, p))
        return rows

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        kept = self.kept
        return {
            "rounded_sentences": self.found["sentences"],
            "rounded_samples": self.setting["bootstrap"],
            "unrounded": kept["float32"]["bleu"],
            "changed_eight": number(1 - kept["int8"]["equal"], ".1%"),
            "lost_four": number(self.lost("int4"), ".2f"),
            "lost_four_whole": number(self.lost("int4 whole"), ".1f"),
        }


def read() -> RoundedWeights:
    """The result on record."""
    return RoundedWeights(experiments.read("rounded-weights"))
