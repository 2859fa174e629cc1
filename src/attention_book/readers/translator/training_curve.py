"""The curve of the shipped translator's training, read slowly: where it starts, how it falls, what the end brings."""

import math
from dataclasses import dataclass

import numpy as np

from ...training.runs import BLEU_SENTENCES
from .en_es import EnglishSpanish
from .en_es import read as read_record

HEADER = ("million tokens", "training loss", "validation loss", "BLEU")
AT = (0.5, 1, 2, 5, 10, 15, 20)
"""The places of the table, in millions of target tokens."""


def smoothed_floor(smoothing: float, vocabulary: int) -> float:
    r"""The least loss that smoothed targets allow: the entropy of one of them, in nats.

    With ε of the probability spread over V tokens, :math:`-t\log t-(V-1)\,\tfrac\varepsilon V\log\tfrac\varepsilon V`,
    where :math:`t=1-\varepsilon+\varepsilon/V`.

    Args:
        smoothing: ε, from 0 to below 1.
        vocabulary: V.
    """
    if not smoothing:
        return 0.0
    spread = smoothing / vocabulary
    true = 1 - smoothing + spread
    return -true * math.log(true) - (vocabulary - 1) * spread * math.log(spread)


@dataclass(frozen=True)
class TrainingCurve:
    """The curve, as its page reads it.

    Attributes:
        trained: the record of the shipped translator.
    """

    trained: EnglishSpanish

    @property
    def floor(self) -> float:
        """What the training loss cannot go below, because its targets are smoothed."""
        record = self.trained.record
        return smoothed_floor(record["settings"]["smoothing"], record["subwords"]["size"])

    def at(self, millions: int | float) -> dict[str, int | float]:
        """The validation nearest to so many million target tokens."""
        return min(self.trained.record["curve"], key=lambda point: abs(point["tokens"] / 1e6 - millions))

    def rows(self) -> list[tuple[str, ...]]:
        """A row per place of :data:`AT`, for :data:`HEADER`."""
        return [
            (
                f"{point['tokens'] / 1e6:.1f}",
                f"{point['train_loss']:.2f}",
                f"{point['validation_loss']:.2f}",
                f"{point['validation_bleu']:.1f}",
            )
            for point in map(self.at, AT)
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        curve, record = self.trained.record["curve"], self.trained.record
        half, last = self.at(record["tokens"] / 2e6), curve[-1]
        whole_fall = math.log(record["subwords"]["size"]) - last["validation_loss"]
        late = np.array([point["validation_bleu"] for point in curve[-5:]])
        return {
            "budgets": self.trained.budgets(),
            "bleu_sentences": BLEU_SENTENCES,
            "log_v": math.log(record["subwords"]["size"]),
            "v": record["subwords"]["size"],
            "floor_smoothed": self.floor,
            "first_train": curve[0]["train_loss"],
            "last_above": last["train_loss"] - self.floor,
            "last_valid": last["validation_loss"],
            "half_fall": half["validation_loss"] - last["validation_loss"],
            "half_bleu": half["validation_bleu"],
            "end_bleu": last["validation_bleu"],
            "million_valid": self.at(1)["validation_loss"],
            "million_share": 100 * (1 - (self.at(1)["validation_loss"] - last["validation_loss"]) / whole_fall),
            "million_bleu": self.at(1)["validation_bleu"],
            "first_million_fall": curve[0]["validation_loss"] - self.at(2)["validation_loss"],
            "late_low": float(late.min()),
            "late_high": float(late.max()),
        }


def read() -> TrainingCurve:
    """The curve of what is shipped."""
    return TrainingCurve(read_record())
