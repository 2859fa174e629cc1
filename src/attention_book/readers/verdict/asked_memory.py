"""What *asked-memory* measured: a translator that may look up every token that it was trained on."""

from dataclasses import dataclass

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
OWN_HEADER = ("rare word", "training pairs with it", "alone", "with the memory")
SHARE = "0.5"
"""The share of the memory of which the page tells most."""


@dataclass(frozen=True)
class AskedMemory(ResultReader):
    """The result, as its page reads it.

    Attributes:
        parameters, pairs: of the translator that was given a memory, and those that it was trained on.
    """

    parameters: int
    pairs: int

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
            "seen_shoemaker": found["seen"]["shoemaker"],
            "shoe_alone": found["own"]["0.0"][list(found["seen"]).index("shoemaker")],
        }


def read() -> AskedMemory:
    """The result on record."""
    result = experiments.read("asked-memory")
    record = recorded(result["configuration"]["translator"])
    return AskedMemory(result, record["parameters"], record["pairs"]["train"])
