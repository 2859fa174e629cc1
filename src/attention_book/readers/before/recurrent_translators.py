"""The record of the two recurrent translators, with attention and without, and of the Transformer beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ...experiments.records import recorded

NAMES = {
    "attentive": "recurrent, with attention",
    "alone": "recurrent, without attention",
    "transformer": "Transformer",
}
"""The fields of :class:`RecurrentTranslators`, as a figure calls them."""
Curve = tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]


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

    def curve(self, name: str) -> Curve:
        """Target tokens trained on, in millions, and validation loss of one of the three."""
        points = getattr(self, name)["curve"]
        tokens, loss = (np.array([point[what] for point in points]) for what in ("tokens", "validation_loss"))
        return tokens / 1e6, loss

    def lines(self) -> dict[str, Curve]:
        """The three curves by name."""
        return {label: self.curve(name) for name, label in NAMES.items()}

    def told(self) -> str:
        """:meth:`lines` in words."""
        told = ["Validation loss against target tokens, one run each."]
        for name, (x, y) in self.lines().items():
            at = ", ".join(f"{np.interp(n, x, y):.2f} after {n} million" for n in (1, 2, 4, 8))
            told.append(f"{name}: {at}, {y[-1]:.2f} at its end, after {x[-1]:.1f} million.")
        return " ".join(told)

    def loss_at(self, name: str, millions: int | float) -> float:
        """Validation loss after so many million tokens, between two measurements on a straight line."""
        return float(np.interp(millions, *self.curve(name)))

    def scores(self, name: str) -> Mapping[str, Any]:
        """BLEU, chrF and how they were computed, on the test sentences with all references."""
        return getattr(self, name)["test"]["all_references"]

    def score_numbers(self, counted: Mapping[str, Any]) -> dict[str, float | int | str]:
        """What is said of the translator without attention beside the noisy channel, by name."""
        return {
            "signature": self.scores("alone")["bleu_signature"],
            "real_parameters": self.alone["parameters"],
            "real_tokens": self.alone["tokens"],
            "real_pairs": self.alone["pairs"]["train"],
            "test_n": self.alone["test"]["sentences"],
            "real_bleu": self.scores("alone")["bleu"],
            "channel_bleu": counted["bleu"],
        }

    def numbers(self) -> dict[str, float | int]:
        """What is said of the curves, by name."""
        (x, y), (_, alone) = self.curve("attentive"), self.curve("alone")
        return {
            "train_pairs": self.attentive["pairs"]["train"],
            "ahead_first": self.loss_at("transformer", 1) - self.loss_at("attentive", 1),
            "ahead_later": y[-1] - self.loss_at("transformer", x[-1]),
            "budget": x[-1],
            "n_measured": len(x),
            "alone_last": alone[-1] - y[-1],
            "reached": x[np.argmax(y < alone[-1])],
        }


def read() -> RecurrentTranslators:
    """The three on record."""
    return RecurrentTranslators(recorded("en-es-rnn"), recorded("en-es-rnn-attention"), recorded("en-es"))
