"""What *english-hindi* measured: a translator from few pairs, alone and from another's layers, beside a look-up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import difference
from ..reader import ResultReader

LOOK_UP = "look-up"
ALONE, ENCODER, ALL = "alone", "encoder", "all layers"
LABELS = {
    LOOK_UP: "look-up",
    ALONE: "alone",
    ENCODER: "encoder from English–Spanish",
    ALL: "all layers from English–Spanish",
}
HEADER = ("start", "chrF", "chrF, unread sentences", "BLEU", "exactly a reference", "passes to the best")


@dataclass(frozen=True)
class EnglishHindi(ResultReader):
    """The result, as its page reads it."""

    @property
    def names(self) -> list[str]:
        """The look-up, then the ways to start, in the order of the experiment."""
        return [LOOK_UP, *self.setting["starts"]]

    def entries(self, name: str) -> list[Mapping[str, Any]]:
        """What each seed measured of a way to start, or of the look-up, which is the same for all of them."""
        if name == LOOK_UP:
            return [self.seeds[0]["memory"]]
        return [seed["starts"][name] for seed in self.seeds]

    def scores(self, name: str, metric: str = "chrf", unread: bool = False) -> list[float]:
        """A score on the test sentences, or on those of them that the parent had not read, one per seed."""
        entries = (entry["unread"] if unread else entry for entry in self.entries(name))
        return [entry[metric] for entry in entries]

    def mean(self, name: str, metric: str = "chrf", unread: bool = False) -> float:
        """The mean over the seeds."""
        return float(np.mean(self.scores(name, metric, unread)))

    def settled(self, first: str, second: str) -> bool:
        """Whether the 95 % interval of the mean lead of one start over another, over the seeds, leaves zero out."""
        return difference(np.array(self.scores(first)), np.array(self.scores(second))).settled

    def passes(self, name: str) -> float:
        """Passes through the pairs until the best translations, as a mean over the seeds."""
        return float(np.mean([entry["best_tokens"] / entry["a_pass"] for entry in self.entries(name)]))

    def rows(self) -> list[tuple[str, ...]]:
        """A row per way to start for `HEADER`, every seed by itself; the look-up has no passes."""
        return [
            (
                LABELS[name],
                " · ".join(f"{score:.1f}" for score in self.scores(name)),
                " · ".join(f"{score:.1f}" for score in self.scores(name, unread=True)),
                " · ".join(f"{score:.1f}" for score in self.scores(name, "bleu")),
                " · ".join(str(entry["exact"]) for entry in self.entries(name)),
                "–" if name == LOOK_UP else f"{self.passes(name):.0f}",
            )
            for name in self.names
        ]

    def drawn(self) -> dict[str, list[float]]:
        """The chrF of every seed, by label, for the figure."""
        return {LABELS[name]: self.scores(name) for name in self.names}

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        seed = self.seeds[0]
        alone = seed["starts"][ALONE]
        found: dict[str, float | int | str] = {
            "hi_seeds": self.n_seeds,
            "hi_pairs": seed["pairs"],
            "hi_test": seed["sentences"],
            "hi_unread": seed["unread"],
            "hi_read": seed["sentences"] - seed["unread"],
            "hi_pieces": self.setting["vocabulary"],
            "hi_budget": self.setting["training"]["tokens"],
            "hi_parameters": alone["parameters"] / 1e6,
            "hi_passes": self.setting["training"]["tokens"] / alone["a_pass"],
            "hi_half_width": float(
                np.mean([e["chrf_half_width"] for n in self.setting["starts"] for e in self.entries(n)])
            ),
        }
        for key, name in (("look_up", LOOK_UP), ("alone", ALONE), ("encoder", ENCODER), ("layers", ALL)):
            found |= {
                f"hi_{key}": self.mean(name),
                f"hi_{key}_unread": self.mean(name, unread=True),
                f"hi_{key}_bleu": self.mean(name, "bleu"),
            }
            if name in (ENCODER, ALL):
                found[f"hi_{key}_taken"] = 100 * seed["starts"][name]["taken"] / seed["starts"][name]["parameters"]
                found[f"hi_{key}_gain"] = self.mean(name) - self.mean(ALONE)
                found[f"hi_{key}_gain_unread"] = self.mean(name, unread=True) - self.mean(ALONE, unread=True)
        return found


def read() -> EnglishHindi:
    """The result on record."""
    return EnglishHindi(experiments.read("english-hindi"))
