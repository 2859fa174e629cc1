"""What *pronoun-sentences* measured: what the encoder's heads give from *it* to two nouns, and which of them."""

from dataclasses import dataclass

from ... import experiments
from ..reader import ResultReader


@dataclass(frozen=True)
class PronounSentences(ResultReader):
    """The result, as its page reads it."""

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name; shares of right choices in per cent."""
        found = self.found
        low, high = found["chosen_interval"]
        return {
            "it_sentences": found["sentences"],
            "it_chosen": f"{100 * found['chosen']:.0f}",
            "it_interval": f"{100 * low:.0f} to {100 * high:.0f}",
        }


def read() -> PronounSentences:
    """The result on record."""
    return PronounSentences(experiments.read("pronoun-sentences"))
