"""The record of the translator that comes with the book, as the first page tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...experiments.records import recorded


@dataclass(frozen=True)
class ShippedTranslator:
    """The record of a trained model.

    Attributes:
        record: as :func:`attention_book.experiments.records.recorded` returns it.
    """

    record: Mapping[str, Any]

    def machine(self) -> str:
        """What it was trained on: the accelerator, or how many cores of a processor."""
        machine = self.record["machine"]
        threads = machine["threads"]
        return machine.get("accelerator") or f"{threads} core{'s' if threads > 1 else ''} of an ordinary processor"

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name: millions of parameters, pairs, hours, and its score."""
        test = self.record["test"]
        return {
            "parameters": self.record["parameters"] / 1e6,
            "pairs": self.record["pairs"]["train"],
            "hours": self.record["training_seconds"] / 3600,
            "cores": self.machine(),
            "test_bleu": test["all_references"]["bleu"],
            "test_sentences": test["sentences"],
        }


def read() -> ShippedTranslator:
    """The record of the English–Spanish translator."""
    return ShippedTranslator(recorded("en-es"))
