"""What was read by hand: a verdict per translation, which is named by the digest of its text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import experiments

NAMES = {
    "en-es": "Transformer",
    "en-es-taught": "taught Transformer",
    "en-es-rnn-attention": "RNN with attention",
    "apertium": "Apertium",
}
"""The systems as the pages call them."""

EXAMPLES_HEADER = ("translation", "category")
EXAMPLES_OF_ERRORS = (
    ("El viejo pescador vendió ayer su barco azul.", "right"),
    ("El viejo pescador compró ayer su barco azul.", "wrong word: bought"),
    ("El viejo pescador vendió su barco azul.", "something missing: yesterday"),
    ("El viejo pescador vendió ayer su barco azul y su red.", "something invented: and his net"),
    ("El viejo pescador vendieron ayer su barco azul.", "wrong form: the verb is plural"),
    ("El viejo pescador vendió ayer su azul barco.", "wrong order: the adjective"),
    ("El viejo fisherman vendió ayer su barco azul.", "English word left"),
    ("El viejo vendió pescó su azul de ayer.", "nonsense"),
)
"""Translations of *The old fisherman sold his blue boat yesterday*, one per category; made by hand."""


@dataclass(frozen=True)
class Reading:
    """A verdict on one translation.

    Attributes:
        sentence: the number of its source.
        digest: of the translation that was read.
        category: what is wrong with it.
        harm: 0 nothing, 1 a reader still learns what the source says, 2 something else, or less.
        again: category and harm of the second reading, if there was one.
    """

    sentence: int
    digest: str
    category: str
    harm: int
    again: tuple[str, int] | None = None


@dataclass(frozen=True)
class Readings:
    """A file of verdicts.

    Attributes:
        each: the verdicts.
        by_system: for each system its verdicts, in the order of the sentences.
        meanings: what each category means, in the order of the file.
    """

    each: Sequence[Reading]
    by_system: Mapping[str, Sequence[Reading]]
    meanings: Mapping[str, str]

    def counts(self, system: str) -> dict[str, int]:
        """How many translations of a system have each category."""
        found = [reading.category for reading in self.by_system[system]]
        return {category: found.count(category) for category in self.meanings}

    def still(self, system: str, digests: Sequence[str]) -> int:
        """How many translations that were read are what the system writes on record.

        Args:
            system: one of :attr:`by_system`.
            digests: of its translations now, in the order of the sentences.

        Raises:
            ValueError: another number of translations than were read.
        """
        read_then = [reading.digest for reading in self.by_system[system]]
        return sum(then == now for then, now in zip(read_then, digests, strict=True))


def readings_folder() -> Path:
    """Where the files of verdicts are."""
    return experiments.results_folder() / "read"


def read_verdicts(name: str, folder: Path | None = None) -> Readings:
    """The verdicts in ``NAME.json``.

    Args:
        name: of the experiment whose translations were read.
        folder: where the file is; `readings_folder` if None.
    """
    path = (folder or readings_folder()) / f"{name}.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    each, by_system = [], {}
    for row in content["readings"]:
        again = tuple(row["again"]) if "again" in row else None
        each.append(Reading(row["sentence"], row["digest"], row["category"], row["harm"], again))
        for system in row["systems"]:
            by_system.setdefault(system, []).append(each[-1])
    for found in by_system.values():
        found.sort(key=lambda reading: reading.sentence)
    return Readings(each, {name: by_system[name] for name in NAMES if name in by_system}, content["categories"])
