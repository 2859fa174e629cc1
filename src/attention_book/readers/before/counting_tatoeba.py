"""What *counting-tatoeba* measured: perplexity by order, best translations, and BLEU beside that of the Transformer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import Measured, number
from ...experiments.records import recorded
from ..reader import ResultReader

COUNTED = {"word_for_word": "word for word", "noisy_channel": "noisy channel, trigrams"}
"""The translators that count, as the page calls them."""


@dataclass(frozen=True)
class CountingTatoeba(ResultReader):
    """The result beside the record of a trained model, as the page reads them.

    Attributes:
        result: as :func:`attention_book.experiments.read` returns it.
        network: as :func:`attention_book.experiments.records.recorded` returns it.
        compared: what *translators-compared* measured of the same model on the same sentences.
    """

    network: Mapping[str, Any]
    compared: Mapping[str, Any]

    def order_rows(self) -> list[tuple[str, ...]]:
        """A row per order n: n-grams never counted, sentences impossible without smoothing."""
        found = self.found
        return [
            (order, number(share, ".1%"), number(found["bare_impossible"][order], ".1%"))
            for order, share in found["never_seen"].items()
        ]

    def word_rows(self) -> list[tuple[str, str]]:
        """A row per word: its best translations, each with t."""
        return [
            (word, ", ".join(f"{other} {share:.2f}" for other, share in found))
            for word, found in self.found["best"].items()
        ]

    def bleu(self, name: str) -> Measured:
        """BLEU against all references, with half the width of its 95 % interval over resampled sentences."""
        found = self.found[name]
        return Measured(
            found["all_references"]["bleu"], found["interval"]["half_width"], "interval", found["sentences"]
        )

    def score_rows(self) -> list[tuple[str, str, str]]:
        """A row per translator: BLEU, with half the width of its 95 % interval, and chrF."""
        counted = [
            (label, f"{self.bleu(name):.1f}", number(self.found[name]["all_references"]["chrf"], ".1f"))
            for name, label in COUNTED.items()
        ]
        network = self.network["test"]["all_references"]
        bleu = Measured(
            network["bleu"], self.compared["bleu_half_width"], "interval", self.network["test"]["sentences"]
        )
        return [*counted, ("the book's Transformer", f"{bleu:.1f}", number(network["chrf"], ".1f"))]

    def signatures(self) -> list[str]:
        """SacreBLEU's signature of each translator's score."""
        tests = [*(self.found[name] for name in COUNTED), self.network["test"]]
        return [test["all_references"]["bleu_signature"] for test in tests]

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        found, channel = self.found, self.bleu("noisy_channel").value
        network, chrf = (self.network["test"]["all_references"][score] for score in ("bleu", "chrf"))
        letters = {name: found[name]["all_references"]["chrf"] for name in COUNTED}
        return {
            "real_pairs": found["pairs"],
            "least": self.setting["least_count"],
            "impossible_3": 100 * found["bare_impossible"]["3"],
            "test_n": found["noisy_channel"]["sentences"],
            "bleu_share": 100 * channel / network,
            "chrf_share": 100 * letters["noisy_channel"] / chrf,
            "chrf_word": 100 * letters["word_for_word"] / chrf,
            "channel_seconds": found["noisy_channel"]["training_seconds"],
            "network_minutes": self.network["training_seconds"] / 60,
        }


def read() -> CountingTatoeba:
    """The result on record, beside the translator that comes with the book and its interval."""
    compared = experiments.read("translators-compared")["seeds"]["0"]["systems"]["Transformer"]
    return CountingTatoeba(experiments.read("counting-tatoeba"), recorded("en-es"), compared)
