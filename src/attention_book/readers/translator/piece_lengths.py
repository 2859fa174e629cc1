"""What *piece-lengths* measured: how long sentences and words are in vocabularies of several sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import number
from ..reader import ResultReader

CLASS_TOLD = {"never": "never", "1–5": "1 to 5 times", "6–50": "6 to 50 times", "more": "more often"}
"""How often the training pairs hold a word, as the page says it."""
SHOWN = (500, 2000, 8000)
"""The sizes that the table of words has a column for."""
SHIPPED = 8000


@dataclass(frozen=True)
class PieceLengths(ResultReader):
    """The result, as its page reads it."""

    @property
    def lengths(self) -> dict[int, Mapping[str, Any]]:
        """What was measured with each vocabulary, by its size, the smallest first."""
        return {size: self.found["lengths"][str(size)] for size in sorted(self.setting["sizes"])}

    def lines(self) -> dict[str, tuple[list[int], list[float]]]:
        """Pieces per sentence against the size of the vocabulary, for both languages."""
        named = {"English": "source_pieces", "Spanish": "target_pieces"}
        return {
            language: (list(self.lengths), [entry[key] for entry in self.lengths.values()])
            for language, key in named.items()
        }

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [f"Pieces per sentence, mean of {self.setting['examined']:,} test sentences; logarithmic axis of sizes."]
        for language, (sizes, values) in self.lines().items():
            places = ", ".join(f"{value:.1f} with {size:,}" for size, value in zip(sizes, values, strict=True))
            told.append(f"{language}: {places}.")
        return " ".join(told)

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["seen in training", "different words", *(f"{size:,} pieces" for size in SHOWN)]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per class of test words: how many there are, and how many pieces one has in some vocabularies."""
        return [
            (
                CLASS_TOLD[name],
                f"{self.found['classes'][name]:,}",
                *(f"{self.lengths[size]['pieces_per_word'][name]:.1f}" for size in SHOWN),
            )
            for name in self.setting["classes"]
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        *_, last = self.lengths.values()
        shipped, small = self.lengths[SHIPPED], self.lengths[SHOWN[0]]
        return {
            "n_examined": self.setting["examined"],
            "n_words": self.found["words"],
            "unseen": number(self.found["unseen"], ".1%"),
            "short_size": SHOWN[0],
            "short_pieces": small["target_pieces"],
            "more_text": small["target_pieces"] / shipped["target_pieces"],
            "shipped_size": SHIPPED,
            "shipped_pieces": shipped["target_pieces"],
            "most_pieces": last["target_pieces"],
            "rare_pieces": shipped["pieces_per_word"]["1–5"],
            "frequent_pieces": shipped["pieces_per_word"]["more"],
        }


def read() -> PieceLengths:
    """The result on record."""
    return PieceLengths(experiments.read("piece-lengths"))
