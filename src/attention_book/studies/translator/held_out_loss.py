"""A run on the little language: how its loss on held-out sentences comes down to the least possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from ...data.batching import token_batches
from ...little_language.language import LittlePair, mean_entropy, word_vocabulary
from ...models.transformer import Transformer, TransformerConfig
from ...training.trainer import Trainer, TrainingSettings, validation_loss


@dataclass(frozen=True)
class HeldOutLoss:
    """The curve of a run beside its floor.

    Attributes:
        curve: as :class:`attention_book.training.trainer.Trainer` keeps it, with a ``validation_loss`` in each record.
        floor: the entropy of the held-out targets given their sources, in nats per token.
    """

    curve: Sequence[Mapping[str, int | float]]
    floor: float

    @property
    def losses(self) -> list[float]:
        """The loss at each validation."""
        return [record["validation_loss"] for record in self.curve]

    def lines(self) -> dict[str, tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """Thousands of target tokens and nats per token: the loss, and the lowest possible."""
        seen = np.array([record["tokens"] / 1e3 for record in self.curve])
        losses, lowest = np.array(self.losses), np.full(len(seen), self.floor)
        return {"loss on held-out sentences": (seen, losses), "lowest possible": (seen, lowest)}

    def told(self) -> str:
        """:meth:`lines` in words."""
        return (
            f"The held-out loss falls from {self.losses[0]:.2f} to {self.losses[-1]:.3f} nats per token; "
            f"the lowest possible is {self.floor:.3f}."
        )

    def numbers(self) -> dict[str, float]:
        """Where the loss ends, the floor, and how far above it that is."""
        last = self.losses[-1]
        return {"live_loss": last, "live_floor": self.floor, "live_excess": last - self.floor}


def train_small(
    train: Sequence[LittlePair],
    held_out: Sequence[LittlePair],
    tokens: int = 300_000,
) -> tuple[Transformer, HeldOutLoss]:
    """Train a small Transformer on pairs of English and Spanish, and measure it on others on the way.

    Args:
        train: pairs to learn from.
        held_out: pairs to measure on.
        tokens: how many target tokens are learned from.
    """
    words = word_vocabulary("es")

    def as_ids(pairs: Sequence[LittlePair]) -> list[tuple[list[int], list[int]]]:
        sides = ((pair.source, pair.target) for pair in pairs)
        return [(words.encode(one), words.encode(other)) for one, other in sides]

    def validate(model: Transformer) -> dict[str, float]:
        return {"validation_loss": validation_loss(model, batches)}

    batches = token_batches(as_ids(held_out), 2000, seed=0, epoch=0)
    torch.manual_seed(1)
    config = TransformerConfig.tiny(vocab_size=len(words), dropout=0.0)
    model = Transformer(config)
    settings = TrainingSettings(
        tokens=tokens,
        tokens_per_batch=300,
        smoothing=0.0,
        peak_rate=4e-3,
        validate_every=tokens // 10,
    )
    trainer = Trainer(model, as_ids(train), settings, validate)
    trainer.run(progress=False)
    return model, HeldOutLoss(trainer.curve, mean_entropy(held_out).per_token)
