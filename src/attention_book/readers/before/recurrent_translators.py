"""The record of the two recurrent translators, with attention and without, and of the Transformer beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...experiments.records import recorded


@dataclass(frozen=True)
class RecurrentTranslators:
    """Three records of training, as pages read them.

    Attributes:
        alone: the recurrent translator without attention.
        attentive: the recurrent one with attention.
        transformer: the book's Transformer.
    """

    alone: Mapping[str, Any]
    attentive: Mapping[str, Any]
    transformer: Mapping[str, Any]

    def scores(self, name: str) -> Mapping[str, Any]:
        """BLEU, chrF and how they were computed, on the test sentences with all references."""
        return getattr(self, name)["test"]["all_references"]

    def score_numbers(self, counted: Mapping[str, Any]) -> dict[str, float | int | str]:
        """What is said of the translator without attention beside the noisy channel, by name."""
        return {
            "test_n": self.alone["test"]["sentences"],
            "real_bleu": self.scores("alone")["bleu"],
            "channel_bleu": counted["bleu"],
        }

    def race_numbers(self) -> dict[str, int]:
        """What is said of how both recurrent translators were made, by name."""
        return {
            "train_pairs": self.attentive["pairs"]["train"],
            "width_with": self.attentive["config"]["decoder_width"],
            "width_without": self.alone["config"]["decoder_width"],
        }


def read() -> RecurrentTranslators:
    """The three on record."""
    return RecurrentTranslators(recorded("en-es-rnn"), recorded("en-es-rnn-attention"), recorded("en-es"))
