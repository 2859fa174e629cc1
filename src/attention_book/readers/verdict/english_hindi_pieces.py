"""What *english-hindi-pieces* measured: how long Hindi sentences are with words cut at marks, and kept whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ..reader import ResultReader

USUAL, WHOLE, ASKED = "cut at marks", "whole words", "whole words, as asked"
LABELS = {
    USUAL: "usual pattern",
    WHOLE: "marks kept, equally many pieces",
    ASKED: "marks kept, as many pieces as were asked for",
}
"""A vocabulary, as the page calls it, in the page's order."""
HEADER = ("vocabulary", "pieces in it", "pieces per sentence")


@dataclass(frozen=True)
class HindiPieces(ResultReader):
    """The result, as its page reads it."""

    @property
    def cuts(self) -> Mapping[str, Mapping[str, Any]]:
        """What was counted with each vocabulary, by its name."""
        return self.found["cuts"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per vocabulary for `HEADER`."""
        found = ((label, self.cuts[name]) for name, label in LABELS.items())
        return [(label, f"{one['pieces']:,}", f"{one['per_sentence']:.1f}") for label, one in found]

    def numbers(self) -> dict[str, float | int]:
        """What the page's text is given, by name."""
        usual, whole, asked = (self.cuts[name] for name in LABELS)
        return {
            "asked": self.setting["vocabulary"],
            "pieces": usual["pieces"],
            "words": self.found["words"],
            "points": self.found["code_points"],
            "usual_length": usual["per_sentence"],
            "whole_length": whole["per_sentence"],
            "asked_length": asked["per_sentence"],
            "saved": 100 * (1 - whole["per_sentence"] / usual["per_sentence"]),
        }


def read() -> HindiPieces:
    """The result on record."""
    return HindiPieces(experiments.read("english-hindi-pieces"))
