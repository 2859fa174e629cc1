"""Sentences that were translated and read one by one, with a verdict each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

VERDICTS = ("right", "flawed", "wrong")
HEADER = ("English", "Spanish", "Our reading")


@dataclass(frozen=True)
class Readings:
    """What was read.

    Attributes:
        each: of every sentence its ``english``, the translator's ``spanish``, a ``verdict`` and a ``note`` that says
            what is wrong, empty where nothing is.
    """

    each: Sequence[dict[str, str]]

    @property
    def english(self) -> list[str]:
        """What was translated."""
        return [reading["english"] for reading in self.each]

    def rows(self) -> list[tuple[str, str, str]]:
        """A row per sentence, for :data:`HEADER`."""
        said = lambda r: f"{r['verdict']}: {r['note']}" if r["note"] else r["verdict"]  # noqa: E731
        return [(reading["english"], reading["spanish"], said(reading)) for reading in self.each]

    def numbers(self, today: Sequence[str]) -> dict[str, int | float]:
        """How many there are, how many of each verdict, and how many translations are what they were when read.

        Args:
            today: the translations of :attr:`english` now.
        """
        verdicts = [reading["verdict"] for reading in self.each]
        unchanged = sum(now == reading["spanish"] for now, reading in zip(today, self.each, strict=True))
        counts = {f"read_{verdict}": verdicts.count(verdict) for verdict in VERDICTS}
        return {"read_sentences": len(self.each), "unchanged": unchanged} | counts


def read(file: Path | str) -> Readings:
    """The readings in a file of JSON."""
    return Readings(json.loads(Path(file).read_text(encoding="utf-8")))
