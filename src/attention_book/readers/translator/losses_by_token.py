"""What *losses-by-token* measured: which tokens of new sentences surprise the shipped translator."""

from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import NARROW, number
from ..reader import ResultReader

SAID = {
    "first": "the first piece of the sentence",
    "whole": "a word that is one piece",
    "begins": "the first piece of a word of several",
    "continues": "a later piece of a word",
    "mark": "punctuation",
    "end": "the end, `</s>`",
}
HEADER = ("what is asked for", "tokens", "loss per token", "share of the whole loss")


@dataclass(frozen=True)
class LossesByToken(ResultReader):
    """The result, as its page reads it."""

    def loss(self, place: str) -> float:
        """The mean loss of the tokens of a kind, in nats per token."""
        return self.found[f"{place}_loss"][0]

    def error(self, place: str) -> float:
        """Its standard error over sentences."""
        return self.found[f"{place}_loss"][1]

    def part(self, place: str) -> float:
        """Which part of the whole loss the tokens of a kind carry."""
        return self.loss(place) * self.found[f"{place}_count"] / (self.found["loss"] * self.found["target_tokens"])

    def tenth_pull(self) -> tuple[float, float]:
        """Between which two shares the costliest tenth's part of the sum of 1 − p lies, p given by its bin alone."""
        shares, bins = self.found["own"], self.setting["bins"]
        if shares[0] < 0.1:
            raise ValueError("the costliest tenth does not lie in the first bin")
        least = sum(share * (1 - (place + 1) / bins) for place, share in enumerate(shares))
        most = sum(share * (1 - place / bins) for place, share in enumerate(shares))
        return 0.1 * (1 - 1 / bins) / most, 0.1 / least

    def rows(self) -> list[tuple[str, ...]]:
        """A row per kind of token, for :data:`HEADER`; a loss stands with its standard error."""
        return [
            (
                SAID[place].replace("`", ""),
                f"{self.found[f'{place}_count']:,}",
                f"{number(self.loss(place), '.2f')}{NARROW}±{NARROW}{number(self.error(place), '.2f')}",
                number(self.part(place), ".0%"),
            )
            for place in self.setting["places"]
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        found = self.found
        low, high = self.tenth_pull()
        several = sum(found[f"{place}_count"] for place in ("begins", "continues"))
        return {
            **{f"{place}_cost": self.loss(place) for place in self.setting["places"]},
            "split_share": number(several / found["target_tokens"], ".0%"),
            "split_part": number(self.part("begins") + self.part("continues"), ".0%"),
            "costliest_tenth": number(found["costliest_tenth"], ".0%"),
            "tenth_pull": f"{100 * low:.0f} to {number(high, '.0%')}",
            "cheaper_half": number(1 - found["costliest_half"], ".0%"),
            "scored_sentences": found["sentences"],
            "scored_tokens": found["target_tokens"],
        }


def read() -> LossesByToken:
    """The result on record."""
    return LossesByToken(experiments.read("losses-by-token"))
