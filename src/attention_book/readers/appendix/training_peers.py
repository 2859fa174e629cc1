"""What ``python -m benchmarks training`` measured: the book's Transformer beside others of equal size."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import paths

NAMES = {
    "fast:float32": "the faster step, float32",
    "fast:bfloat16": "the faster step, bfloat16",
    "ours:float32": "the step that the chapters show, float32",
    "ours:bfloat16": "the step that the chapters show, bfloat16",
    "torch": "torch's nn.Transformer",
    "marian": "Hugging Face's Marian",
    "joeynmt": "JoeyNMT",
    "annotated": "The Annotated Transformer",
}
"""The contenders of the benchmark, as the page calls them."""
MARK, FAST = "ours:float32", "fast:float32"
"""The contender that the ratios are taken to, and the one that the page compares with the others."""


@dataclass(frozen=True)
class TrainingPeers:
    """The record, as *Measurements* reads it.

    Attributes:
        record: what the benchmark wrote.
    """

    record: Mapping[str, Any]

    @property
    def contenders(self) -> list[str]:
        """Who took part, in the order of :data:`NAMES`."""
        return [name for name in NAMES if name in self.record["contenders"]]

    @property
    def peers(self) -> list[str]:
        """The contenders that are not ours."""
        return [name for name in self.contenders if not name.startswith(("ours", "fast"))]

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of :meth:`rows`."""
        return ("training", "tokens per second", "least to most", "times the chapters' step")

    def rows(self) -> list[tuple[str, ...]]:
        """A row per contender: target tokens per second of processor time, their range, and the ratio to `MARK`."""
        rows = []
        for name in self.contenders:
            found = self.record["contenders"][name]
            speed = found["processor"]
            span = f"{speed['least']:,.0f} to {speed['most']:,.0f}"
            rows.append((NAMES[name], f"{speed['median']:,.0f}", span, f"{found['ratio']:.2f}"))
        return rows

    def times(self, name: str, other: str) -> float:
        """How many times as fast as another a contender is: the ratio of the medians.

        Raises:
            KeyError: if one of them did not take part.
        """
        medians = [self.record["contenders"][one]["processor"]["median"] for one in (name, other)]
        return medians[0] / medians[1]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        against = [self.times(FAST, peer) for peer in self.peers]
        return {
            "training_corpus": self.record["corpus"],
            "training_steps": self.record["steps"],
            "training_rounds": self.record["rounds"],
            "training_batch": self.record["tokens_per_batch"],
            "training_processor": self.record["machine"]["processor"],
            "training_date": self.record["date"],
            "training_load": max(self.record["load"]["before"], self.record["load"]["after"]),
            "training_gain": self.times(FAST, MARK),
            "training_least": min(against),
            "training_most": max(against),
        }


def read() -> TrainingPeers:
    """The benchmark on record."""
    path = paths.folder("results") / "benchmarks" / "training.json"
    return TrainingPeers(json.loads(path.read_text(encoding="utf-8")))
