"""What *english-hindi* and its controls measured: few pairs, with and without another translator's layers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured, difference
from ..reader import ResultReader

LOOK_UP, ALONE, ENCODER, ALL = "look-up", "alone", "encoder", "all layers"
SHUFFLED, TABLE = "shuffled", "English table"
LABELS = {
    LOOK_UP: "look-up",
    ALONE: "nothing",
    SHUFFLED: "all three, shuffled",
    TABLE: "table",
    ENCODER: "table, encoder",
    ALL: "table, encoder, decoder",
}
"""What a start copies, as the page calls it, in the page's order; the look-up copies nothing and learns nothing."""
HEADER = ("copied", "chrF of each seed", "unread", "BLEU", "exact")


@dataclass(frozen=True)
class EnglishHindi(ResultReader):
    """The result, with those of its controls and of its pieces, as the page reads them.

    Attributes:
        controls: of *english-hindi-shuffled* and *english-hindi-table*, of one start each.
        pieces: of *english-hindi-pieces*.
    """

    controls: Sequence[Mapping[str, Any]]
    pieces: Mapping[str, Any]

    @property
    def homes(self) -> list[Mapping[str, Any]]:
        """The results that have starts: the experiment's and its controls'."""
        return [self.result, *self.controls]

    @property
    def names(self) -> list[str]:
        """The look-up and all ways to start, in the order of `LABELS`."""
        there = {LOOK_UP, *(name for one in self.homes for name in one["configuration"]["starts"])}
        return [name for name in LABELS if name in there]

    def entries(self, name: str) -> list[Mapping[str, Any]]:
        """What each seed measured of a way to start, or of the look-up, which is the same for all of them."""
        if name == LOOK_UP:
            return [self.seeds[0]["memory"]]
        (home,) = (one for one in self.homes if name in one["configuration"]["starts"])
        return [seed["starts"][name] for seed in home["seeds"].values()]

    def scores(self, name: str, metric: str = "chrf", unread: bool = False) -> list[float]:
        """A score on the test sentences, or on those of them that the parent had not read, one per seed."""
        entries = (entry["unread"] if unread else entry for entry in self.entries(name))
        return [float(entry[metric]) for entry in entries]

    def mean(self, name: str, metric: str = "chrf", unread: bool = False) -> float:
        """The mean over the seeds."""
        return float(np.mean(self.scores(name, metric, unread)))

    def lead(self, first: str, second: str, unread: bool = False) -> Measured:
        """The mean lead in chrF of one start over another with the same seeds, and its 95 % interval over the seeds."""
        return difference(*(np.array(self.scores(name, unread=unread)) for name in (first, second)))

    def settled(self, first: str, second: str) -> bool:
        """Whether the 95 % interval of the mean lead of one start over another, over the seeds, leaves zero out."""
        return self.lead(first, second).settled

    def largest_distance(self, names: Sequence[str]) -> float:
        """The largest distance in chrF between two seeds of one start."""
        return max(max(self.scores(name)) - min(self.scores(name)) for name in names)

    def rows(self) -> list[tuple[str, ...]]:
        """A row per way to start for `HEADER`: the chrF of every seed, then means over the seeds."""
        return [
            (
                LABELS[name],
                " · ".join(f"{score:.1f}" for score in self.scores(name)),
                f"{self.mean(name, unread=True):.1f}",
                f"{self.mean(name, 'bleu'):.1f}",
                f"{self.mean(name, 'exact'):.0f}",
            )
            for name in self.names
        ]

    def drawn(self) -> dict[str, list[float]]:
        """The chrF of every seed, by label, for the figure."""
        return {LABELS[name]: self.scores(name) for name in self.names}

    def copied(self) -> dict[str, Sequence[str]]:
        """What each start of the experiment copies, by label, for the figure of the parts."""
        return {LABELS[name]: parts for name, parts in self.setting["starts"].items()}

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        seed = self.seeds[0]
        alone, encoder, everything = (seed["starts"][name] for name in (ALONE, ENCODER, ALL))
        (counted,) = self.pieces["seeds"].values()
        starts = list(self.setting["starts"])
        found: dict[str, float | int | str] = {
            "seeds": self.n_seeds,
            "pairs": seed["pairs"],
            "tested": seed["sentences"],
            "unread": seed["unread"],
            "read": seed["sentences"] - seed["unread"],
            "asked": self.setting["vocabulary"],
            "pieces": counted["cuts"]["cut at marks"]["pieces"],
            "budget": self.setting["training"]["tokens"],
            "parameters": alone["parameters"] / 1e6,
            "decoder_copied": (everything["taken"] - encoder["taken"]) / 1e6,
            "passes": self.setting["training"]["tokens"] / alone["a_pass"],
            "chrf_signature": alone["chrf_signature"],
            "encoder_lead": f"{self.lead(ENCODER, ALONE):.1f}",
            "decoder_lead": f"{self.lead(ALL, ENCODER):.1f}",
            "layers_lead_unread": f"{self.lead(ALL, ALONE, unread=True):.1f}",
        }
        keys = {LOOK_UP: "look_up", ALONE: "alone", ENCODER: "encoder", ALL: "layers"}
        for name, key in (keys | {SHUFFLED: "shuffled", TABLE: "table"}).items():
            found[key] = self.mean(name)
        for name in starts:
            found[f"{keys[name]}_exact"] = self.mean(name, "exact")
        found["alone_one"] = self.scores(ALONE)[0]  # beside the controls, which have the first seed alone
        (table,) = self.scores(TABLE)
        found["table_gain"] = table - self.scores(ALONE)[0]
        found["encoder_gain"] = self.scores(ENCODER)[0] - table
        return found


def read() -> EnglishHindi:
    """The results on record."""
    return EnglishHindi(
        experiments.read("english-hindi"),
        [experiments.read("english-hindi-shuffled"), experiments.read("english-hindi-table")],
        experiments.read("english-hindi-pieces"),
    )
