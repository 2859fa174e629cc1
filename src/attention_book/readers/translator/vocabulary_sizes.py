"""What *vocabulary-sizes* measured: one small translator per vocabulary, its loss, its score and its rare words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ..reader import ResultReader
from .piece_lengths import CLASS_TOLD

HEADER = ("pieces", "passes through the pairs", "nats per piece", "bits per character", "BLEU", "chrF")


@dataclass(frozen=True)
class VocabularySizes(ResultReader):
    """The result, as its page reads it."""

    @property
    def models(self) -> dict[int, Mapping[str, Any]]:
        """What was measured with each vocabulary, by its size, the smallest first."""
        return {size: self.found["models"][str(size)] for size in sorted(self.setting["sizes"])}

    def rows(self) -> list[tuple[str, ...]]:
        """A row per model for `HEADER`: text read, losses, scores; BLEU with half of its interval."""
        return [
            (
                f"{size:,}",
                f"{model['passes']:.2f}",
                f"{model['loss_per_piece']:.2f}",
                f"{model['bits_per_character']:.2f}",
                f"{model['bleu']:.1f} ± {model['bleu_interval']['half_width']:.1f}",
                f"{model['chrf']:.1f}",
            )
            for size, model in self.models.items()
        ]

    def recall(self, size: int, name: str) -> float:
        """The share of the words of a class, in the references, that the translations have too."""
        entry = self.models[size]["recall"][name]
        return entry["found"] / entry["words"]

    def recall_interval(self, size: int, name: str) -> tuple[float, float]:
        """The 95 % interval of :meth:`recall`, if each word were found or not by itself.

        Agresti and Coull's: two words found and two missed are added, so that a count of 0 has a spread, too. No
        share is below 0 or above 1.
        """
        entry = self.models[size]["recall"][name]
        words = entry["words"] + 4
        share = (entry["found"] + 2) / words
        half = 1.96 * math.sqrt(share * (1 - share) / words)
        return max(0.0, share - half), min(1.0, share + half)

    def recall_header(self) -> list[str]:
        """The headings of :meth:`recall_rows`."""
        return ["seen in training", "words", *(f"{size:,} pieces" for size in self.models)]

    def recall_rows(self) -> list[tuple[str, ...]]:
        """A row per class: how many words, and how many of a hundred are found with each vocabulary."""
        first = next(iter(self.models.values()))
        return [
            (
                CLASS_TOLD[name],
                f"{first['recall'][name]['words']:,}",
                *(self._recall_told(size, name) for size in self.models),
            )
            for name in self.setting["classes"]
        ]

    def _recall_told(self, size: int, name: str) -> str:
        low, high = self.recall_interval(size, name)
        return f"{100 * self.recall(size, name):.1f} % ({100 * low:.1f} to {100 * high:.1f})"

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name; ``small``, ``middle`` and ``large`` are the three vocabularies."""
        found: dict[str, float | int | str] = {}
        for name, (size, model) in zip(("small", "middle", "large"), self.models.items(), strict=True):
            found |= {
                name: size,
                f"{name}_bleu": model["bleu"],
                f"{name}_half": model["bleu_interval"]["half_width"],
                f"{name}_loss": model["loss_per_piece"],
                f"{name}_bits": model["bits_per_character"],
                f"{name}_passes": model["passes"],
                f"{name}_share": 100 * model["table"] / model["parameters"],
                f"{name}_rare": 100 * self.recall(size, "1–5"),
                f"{name}_some": 100 * self.recall(size, "6–50"),
            }
        parameters = [model["parameters"] for model in self.models.values()]
        return found | {
            "more_parameters": parameters[-1] / parameters[0],
            "budget": self.setting["training"]["tokens"] / 1e6,
            "n_translated": self.found["examined"],
            "width": self.setting["model"]["d_model"],
            "n_layers": self.setting["model"]["n_layers"],
        }


def read() -> VocabularySizes:
    """The result on record."""
    return VocabularySizes(experiments.read("vocabulary-sizes"))
