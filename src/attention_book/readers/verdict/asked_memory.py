"""What *asked-memory* measured: a translator that may look up every token that it was trained on.

Beside it stands the record of a training: a pupil that learned from what such a memory says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import number
from ...experiments.records import recorded
from ..reader import ResultReader

HEADER = ("share λ of the memory", "loss (nats per token)", "BLEU, greedy search")
SCORE_HEADER = ("sentences and search", "λ", "BLEU", "p of BLEU", "chrF", "p of chrF")
KINDS = {
    "greedy": "validation, greedy",
    "beam": "validation, beam of 4",
    "test": "test, beam of 4",
    "training": "training, greedy",
}
"""What the table of all scores calls each kind."""
LEARNED_HEADER = ("what translates", "loss", "validation, greedy", "validation, beam of 4", "test, beam of 4")
OWN_HEADER = ("rare word", "training pairs with it", "alone", "with the memory")
SHARE = "0.5"
"""The share of the memory of which the page tells most."""
_LEARNED = ("greedy", "beam", "test")
_SPLITS = {"beam": "validation", "test": "test"}


@dataclass(frozen=True)
class AskedMemory(ResultReader):
    """The result, as its page reads it.

    Attributes:
        parameters, pairs: of the translator that was given a memory, and those that it was trained on.
        pupil: the record of the training with lessons of that translator's memory.
    """

    parameters: int
    pairs: int
    pupil: Mapping[str, Any]

    def gain(self, kind: str, score: str = "bleu") -> float:
        """BLEU or chrF more with the memory than alone: ``"greedy"``, ``"beam"``, ``"test"`` or ``"training"``."""
        return self.found[kind][SHARE][score] - self.found[kind]["0.0"][score]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per share, for :data:`HEADER`."""
        return [
            (
                f"{float(share):g}",
                number(loss, ".3f"),
                f"{self.found['greedy'][share]['bleu']:.1f} ± {self.found['greedy'][share]['bleu_half_width']:.1f}",
            )
            for share, loss in self.found["loss"].items()
        ]

    def score_rows(self) -> list[tuple[str, ...]]:
        """A row per kind of search and share, for :data:`SCORE_HEADER`; no p without the memory."""
        rows = []
        for kind, name in KINDS.items():
            for share, found in self.found[kind].items():
                cells = []
                for score in ("bleu", "chrf"):
                    p = number(found[f"{score}_p"], ".3f") if f"{score}_p" in found else ""
                    cells += [f"{found[score]:.1f} ± {found[f'{score}_half_width']:.1f}", p]
                rows.append((name, f"{float(share):g}", *cells))
        return rows

    def own_rows(self) -> list[tuple[str, ...]]:
        """A row per rare word of our sentences, for :data:`OWN_HEADER`."""
        both = zip(self.found["own"]["0.0"], self.found["own"][SHARE], strict=True)
        seen = self.found["seen"].items()
        return [(word, str(count), *texts) for (word, count), texts in zip(seen, both, strict=True)]

    def learned(self) -> dict[str, float]:
        """Of the pupil: its ``loss`` and its BLEU, ``greedy``, with a ``beam``, and on the ``test`` sentences."""
        mean = self.pupil["scores"]["mean"]
        searched = {kind: self.pupil[split]["all_references"]["bleu"] for kind, split in _SPLITS.items()}
        return {"loss": mean["validation_loss"], "greedy": mean["validation_bleu"], **searched}

    def single_pupils(self) -> list[float]:
        """BLEU of the pupils of whose parameters the mean was taken, greedy search on the validation sentences."""
        return [scores["validation_bleu"] for scores in self.pupil["scores"]["learners"]]

    def kept(self, kind: str) -> float:
        """The share of the memory's gain that the pupil has without it: in ``"loss"``, or in BLEU of another kind."""
        alone, asked = (
            self.found["loss"][share] if kind == "loss" else self.found[kind][share]["bleu"] for share in ("0.0", SHARE)
        )
        return (self.learned()[kind] - alone) / (asked - alone)

    def learned_rows(self) -> list[tuple[str, ...]]:
        """The translator alone, with its memory, and the pupil, for :data:`LEARNED_HEADER`."""
        both = {
            name: {"loss": self.found["loss"][share]} | {kind: self.found[kind][share]["bleu"] for kind in _LEARNED}
            for name, share in (("the taught translator", "0.0"), ("the same with its memory", SHARE))
        }
        return [
            (name, number(scores["loss"], ".3f"), *(number(scores[kind], ".1f") for kind in _LEARNED))
            for name, scores in (both | {"the pupil, without a memory": self.learned()}).items()
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        found, setting = self.found, self.setting
        return {
            "keys": found["keys"],
            "pairs": self.pairs,
            "gigabytes": found["bytes"] / 1e9,
            "megabytes": 4 * self.parameters / 1e6,
            "sentences": found["sentences"],
            "training_sentences": setting["training_sentences"],
            "neighbours": setting["neighbours"],
            "temperature": setting["temperature"],
            "lists": setting["lists"],
            "probes": setting["probes"],
            "greedy_alone": found["greedy"]["0.0"]["bleu"],
            "greedy_gain": self.gain("greedy"),
            "kept": found["training"]["0.0"]["bleu"] - found["greedy"]["0.0"]["bleu"],
            "likeliest_right": number(found["likeliest"]["right"], ".0%"),
            "beam_alone": found["beam"]["0.0"]["bleu"],
            "beam_memory": found["beam"][SHARE]["bleu"],
            "test_gain": self.gain("test"),
            "test_p": found["test"][SHARE]["bleu_p"],
            "test_chrf_gain": self.gain("test", "chrf"),
            "test_chrf_p": found["test"][SHARE]["chrf_p"],
            "training_alone": found["training"]["0.0"]["bleu"],
            "training_memory": found["training"][SHARE]["bleu"],
            "lesson_share": self.pupil["settings"]["taught"],
            "pupil_millions": self.pupil["tokens"] / 1e6,
            **{f"{kind}_kept": self.kept(kind) for kind in ("loss", *_LEARNED)},
            **dict(zip(("pupil_least", "pupil_most"), sorted(self.single_pupils()), strict=True)),
            "pupil_test_gain": self.learned()["test"] - found["test"]["0.0"]["bleu"],
            "seen_shoemaker": found["seen"]["shoemaker"],
            "shoe_alone": found["own"]["0.0"][list(found["seen"]).index("shoemaker")],
        }


def read() -> AskedMemory:
    """The result on record."""
    result = experiments.read("asked-memory")
    record = recorded(result["configuration"]["translator"])
    return AskedMemory(result, record["parameters"], record["pairs"]["train"], recorded("en-es-remembering"))
