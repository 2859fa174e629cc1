"""*own-sentences* and what was read of it: how the shipped translator fails outside of the corpus's style."""

from collections.abc import Sequence
from dataclasses import dataclass

from ... import experiments
from ...analysis.seed_statistics import NARROW
from ...data.failures import ENOUGH, SHORTEST, SIGNS
from ...data.own_sentences import KINDS, own_sentences
from ...experiments.verdict.hundred_sentences import text_digest
from ..reader import ResultReader
from .hundred_sentences import TRANSFORMER
from .readings import Readings, read_verdicts

CATEGORIES = ("fine", "wrong", "repetition", "dropped", "nonsense")
HEADER = ("40 sentences each", *CATEGORIES)
SIGN_HEADER = ("40 sentences each", *SIGNS.values(), "any of these")
CAUGHT_HEADER = ("40 sentences each", "harmful errors", "of these with a sign")
EXAMPLES = ("English", "Spanish", "Back in English", "Our reading")


@dataclass(frozen=True)
class OwnSentences(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *own-sentences*.
        readings: the verdicts on the Transformer's translations, beam 4.
    """

    readings: Readings

    def written(self, system: str = TRANSFORMER, beam: int = 4) -> list[str]:
        """The translations of all sentences."""
        return self.found["systems"][system][str(beam)]["translations"]

    def flagged(self, sign: str, system: str = TRANSFORMER, beam: int = 4) -> set[int]:
        """The numbers of the sentences whose translation shows a sign, or ``any``."""
        found = self.found["systems"][system][str(beam)]["flagged"]
        return set().union(*found.values()) if sign == "any" else set(found[sign])

    def kind_numbers(self, kind: str) -> set[int]:
        """The numbers of the sentences of a kind."""
        return {sentence.number for sentence in own_sentences() if sentence.kind == kind}

    def having(self, *categories: str) -> set[int]:
        """The numbers of the sentences whose translation was read as one of these categories."""
        return {r.sentence for r in self.readings.by_system[TRANSFORMER] if r.category in categories}

    def harmful(self) -> set[int]:
        """The numbers of the sentences whose translation says something else than they do, or less."""
        return {r.sentence for r in self.readings.by_system[TRANSFORMER] if r.harm == 2}

    def rows(self) -> list[tuple[str, ...]]:
        """What was read, a row per kind of sentence, for :data:`HEADER`."""
        return [
            (said, *(str(len(self.kind_numbers(kind) & self.having(category))) for category in CATEGORIES))
            for kind, said in KINDS.items()
        ]

    def sign_rows(self, beam: int = 4) -> list[tuple[str, ...]]:
        """What the program found, a row per kind of sentence, for :data:`SIGN_HEADER`; the last row is false alarms.

        Args:
            beam: of the search; 1 is greedy.
        """
        rows = [
            (said, *(str(len(self.kind_numbers(kind) & self.flagged(sign, beam=beam))) for sign in [*SIGNS, "any"]))
            for kind, said in KINDS.items()
        ]
        alarms = (f"{100 * self.found['reference_signs'][sign] / self.found['references']:.1f}" for sign in SIGNS)
        any_alarm = f"{100 * self.found['reference_signs']['any'] / self.found['references']:.1f}"
        return [*rows, ("right ones, per 100", *alarms, any_alarm)]

    def caught_rows(self) -> list[tuple[str, ...]]:
        """How many harmful errors show a sign, a row per kind of sentence, for :data:`CAUGHT_HEADER`."""
        rows = [(said, self.kind_numbers(kind) & self.harmful()) for kind, said in KINDS.items()]
        return [(said, str(len(here)), str(len(here & self.flagged("any")))) for said, here in rows]

    def still(self, today: Sequence[str] | None = None) -> int:
        """How many of the translations that were read are what the translator writes.

        Args:
            today: its translations of all sentences now; those on record if None.
        """
        return self.readings.still(TRANSFORMER, [text_digest(text) for text in today or self.written()])

    def example_rows(self, chosen: Sequence[int], today: Sequence[str], back: Sequence[str]) -> list[tuple[str, ...]]:
        """A row per sentence, for :data:`EXAMPLES`; a translation that was not read has no verdict.

        Args:
            chosen: numbers of the sentences.
            today: their translations now.
            back: what these say, put back into English by hand.
        """
        texts = {sentence.number: sentence.text for sentence in own_sentences()}
        verdicts = {reading.sentence: reading for reading in self.readings.by_system[TRANSFORMER]}
        rows = []
        for sentence, text, english in zip(chosen, today, back, strict=True):
            reading = verdicts[sentence]
            read_so = reading.category if reading.digest == text_digest(text) else "not read yet"
            rows.append((texts[sentence], text, english, read_so))
        return rows

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        harmful, flagged = self.harmful(), self.flagged("any")
        every = {sentence.number for sentence in own_sentences()}
        harmless = every - harmful
        lost = self.having("dropped") - self.kind_numbers("name")
        found: dict[str, int | float | str] = {
            "own": len(every),
            "own_fine": len(self.having("fine")),
            "own_harmful": len(harmful),
            "own_caught": len(harmful & flagged),
            "own_missed": len(harmful - flagged),
            "own_harmless": len(harmless),
            "own_alarms": len(harmless & flagged),
            "own_lost": len(lost),
            "own_lost_short": len(lost & self.flagged("short")),
            "own_repeated": len(self.flagged("repeated")),
            "own_repeated_greedy": len(self.flagged("repeated", beam=1)),
            "own_short": len(self.flagged("short")),
            "own_short_greedy": len(self.flagged("short", beam=1)),
            "own_any": len(flagged),
            "own_unflagged": len(every - flagged),
            "enough": ENOUGH,
            "shortest": SHORTEST,
            "false_alarms": f"{100 * self.found['reference_signs']['any'] / self.found['references']:.1f}{NARROW}%",
        }
        for kind in KINDS:
            here = self.kind_numbers(kind)
            found |= {f"{kind}_{name}": len(here & self.having(name)) for name in CATEGORIES}
            found[f"{kind}_harmful"] = len(here & harmful)
            found[f"{kind}_caught"] = len(here & harmful & flagged)
        return found


def read() -> OwnSentences:
    """The result on record, with its readings."""
    return OwnSentences(experiments.read("own-sentences"), read_verdicts("own-sentences"))
