"""The record of the shipped English–Spanish translator: its pairs, its training, its scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ...experiments.records import recorded
from ...training.runs import BLEU_SENTENCES
from ...training.schedules import noam_schedule, warmup_then_decay

Line = tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]


@dataclass(frozen=True)
class EnglishSpanish:
    """The record, as pages read it.

    Attributes:
        record: as :func:`attention_book.experiments.records.recorded` returns it.
    """

    record: Mapping[str, Any]

    @property
    def d_k(self) -> int:
        """The width of queries and keys."""
        shape = self.record["config"]
        return shape["d_k"] or shape["d_model"] // shape["n_heads"]

    @property
    def warm(self) -> int:
        """For how many steps the learning rate rises."""
        return round(self.record["settings"]["warmup"] * self.record["steps"])

    def rate_lines(self) -> dict[str, Line]:
        """Steps and learning rate: of this translator, and of the paper's schedule scaled to the same peak."""
        settings, steps, width = self.record["settings"], self.record["steps"], self.record["config"]["d_model"]
        at, peak = np.linspace(1, steps, 200), settings["peak_rate"]
        ours = [warmup_then_decay(step, steps, settings["warmup"] * steps, peak) for step in at]
        factor = peak * (width * self.warm) ** 0.5
        paper = [noam_schedule(int(step), width, self.warm, factor) for step in at]
        return {"this translator": (at, np.array(ours)), "the paper's shape, same peak": (at, np.array(paper))}

    def rate_told(self) -> str:
        """:meth:`rate_lines` in words."""
        last = self.rate_lines()["the paper's shape, same peak"][1][-1]
        return (
            f"Two learning rates over {self.record['steps']} steps. Both rise to "
            f"{self.record['settings']['peak_rate']:g} within {self.warm} steps. Ours then falls along half a cosine "
            f"to 0; the paper's shape is still at {last:.2g} at the end."
        )

    def curve(self, what: str) -> Line:
        """Target tokens trained on, in millions, and what was measured there, such as ``"validation_loss"``."""
        points = self.record["curve"]
        tokens, values = (np.array([point[name] for point in points], dtype=float) for name in ("tokens", what))
        return tokens / 1e6, values

    def loss_lines(self) -> dict[str, Line]:
        """Both losses by name."""
        return {
            "training, smoothed targets": self.curve("train_loss"),
            "validation, true targets": self.curve("validation_loss"),
        }

    def loss_told(self) -> str:
        """:meth:`loss_lines` in words."""
        (_, smoothed), (at, loss) = self.loss_lines().values()
        return (
            f"Training loss with smoothed targets falls from {smoothed[0]:.2f} to {smoothed[-1]:.2f} nats per token, "
            f"validation loss from {loss[0]:.2f} to {loss[-1]:.2f}; its lowest value is {loss.min():.2f}, at "
            f"{at[loss.argmin()]:.1f} million tokens."
        )

    def bleu_lines(self) -> dict[str, Line]:
        """The BLEU of greedy translations during training, by name."""
        return {f"greedy, {BLEU_SENTENCES} validation sentences": self.curve("validation_bleu")}

    def bleu_told(self) -> str:
        """:meth:`bleu_lines` in words."""
        at, bleu = self.curve("validation_bleu")
        return (
            f"Validation BLEU rises from {bleu[0]:.1f} to {bleu[-1]:.1f}; half of the final value is passed at "
            f"{at[np.argmax(bleu > bleu[-1] / 2)]:.1f} million tokens."
        )

    def budgets(self) -> str:
        """How the budget was changed while it was spent, as a sentence; nothing if it was not."""
        (_, first), *later = self.record["budgets"]
        changes = [f"after {done / 1e6:.1f} million it was set to {new / 1e6:g} million" for done, new in later]
        said = f"The budget was {first / 1e6:g} million tokens at first; {', '.join(changes)}."
        return said if changes else ""

    def machine(self) -> str:
        """What it was trained on: the accelerator, or how many cores of a processor."""
        machine = self.record["machine"]
        threads = machine["threads"]
        return machine.get("accelerator") or f"{threads} core{'s' if threads > 1 else ''} of an ordinary processor"

    def front_numbers(self) -> dict[str, int | float | str]:
        """What the first page says of it, by name: millions of parameters, pairs, hours, machine, and its score."""
        test = self.record["test"]
        return {
            "parameters": self.record["parameters"] / 1e6,
            "pairs": self.record["pairs"]["train"],
            "hours": self.record["training_seconds"] / 3600,
            "cores": self.machine(),
            "test_bleu": test["all_references"]["bleu"],
            "test_sentences": test["sentences"],
        }

    def shape_numbers(self) -> dict[str, float | int]:
        """Pairs, sizes and settings, by name."""
        record, shape = self.record, self.record["config"]
        return {
            **{f"{split}_pairs": pairs for split, pairs in record["pairs"].items()},
            "vocabulary": record["subwords"]["size"],
            **{name: record[name] for name in ("parameters", "epochs", "steps")},
            "tokens": record["tokens"] / 1e6,
            "hours": record["training_seconds"] / 3600,
            "smoothing": record["settings"]["smoothing"],
            **{name: shape[name] for name in ("n_layers", "n_heads", "d_model")},
            "d_k": self.d_k,
        }

    def training_numbers(self) -> dict[str, float | int | str]:
        """What is said of averaging and of the budget, by name."""
        averaging = self.record["averaging"]
        return {
            "snapshots": averaging["snapshots"],
            "bleu_before": averaging["last"]["validation_bleu"],
            "bleu_after": averaging["averaged"]["validation_bleu"],
            "plateau": "had stopped rising" if self.record["plateau"] else "had not stopped rising",
            "budgets": self.budgets(),
        }

    def test_numbers(self) -> dict[str, float | int | str]:
        """Scores of the test split and the recipes of the scores, by name."""
        beam, greedy = self.record["test"], self.record["test_greedy"]["all_references"]
        every, one = beam["all_references"], beam["first_reference"]
        return {
            **{f"test_{score}": every[score] for score in ("bleu", "chrf")},
            **{f"test_{score}_one": one[score] for score in ("bleu", "chrf")},
            **{f"greedy_{score}": greedy[score] for score in ("bleu", "chrf")},
            **{f"{score}_signature": every[f"{score}_signature"] for score in ("bleu", "chrf")},
            "test_n": beam["sentences"],
            "test_beam": beam["decoding"]["beam_size"],
            "test_alpha": beam["decoding"]["length_penalty"],
        }


def read() -> EnglishSpanish:
    """The record of what is shipped."""
    return EnglishSpanish(recorded("en-es"))
