"""What *links-by-hand* counted: the shipped translators' links on thirty sentences of our own, beside those by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from ... import experiments
from ...analysis.seed_statistics import number
from ...counting.hand_linked import LinkedPair, linked_pairs
from ...experiments.link_study import error_rates, precisions, recalls
from ..reader import ResultReader

HEADER = ("aligner", "precision", "recall", "AER", "95 % interval", "AER, read one step late")
ERROR_HEADER = ("aligner", "AER", "95 % interval")
LUCKY_HEADER = ("word written", "head X", "head Y")
NEXT, READ = "to come", "just read"
DRAWS = 2000
Counts = Int[np.ndarray, "sentences four"]


@dataclass(frozen=True)
class LinksByHand(ResultReader):
    """The result, as its page reads it; counts are those of :class:`attention_book.experiments.link_study.Counts`."""

    def heads(self, reading: str = NEXT) -> Int[np.ndarray, "layers heads sentences four"]:
        """The counts of every head of the Transformer."""
        return np.array(self.found["translator"]["heads"][reading])

    @cached_property
    def rates(self) -> Float[np.ndarray, "layers heads"]:
        """The error rate of every head."""
        return error_rates(self.heads())

    @cached_property
    def sentence_rates(self) -> Float[np.ndarray, "layers heads sentences"]:
        """The error rate of every head on each sentence alone."""
        return error_rates(self.heads()[..., None, :])

    def _head(self, flat: np.integer) -> tuple[int, int]:
        layer, head = np.unravel_index(flat, self.rates.shape)
        return int(layer), int(head)

    @property
    def best(self) -> tuple[int, int]:
        """Layer and number of the head with the least error rate on these same sentences."""
        return self._head(self.rates.argmin())

    @property
    def worst(self) -> tuple[int, int]:
        """Layer and number of the head with the largest error rate."""
        return self._head(self.rates.argmax())

    def counts(self, name: str, reading: str = NEXT) -> Counts:
        """The counts of one aligner of :meth:`rows`, by its short name; ``mean`` is that of all heads."""
        if name in ("best", "worst"):
            return self.heads(reading)[self.best if name == "best" else self.worst]
        if name == "mean":
            return np.array(self.found["translator"]["mean"][reading])
        if name == "recurrent":
            return np.array(self.found["recurrent"]["mean"][reading])
        return np.array(self.found[name])

    def rate(self, name: str, reading: str = NEXT) -> float:
        """The error rate of an aligner."""
        return float(error_rates(self.counts(name, reading)))

    def _drawn(self, name: str) -> Float[np.ndarray, " draws"]:
        counts = self.counts(name)
        draws = np.random.default_rng(0).integers(len(counts), size=(DRAWS, len(counts)))
        return error_rates(counts[draws])

    def interval(self, name: str) -> tuple[float, float]:
        """The middle 95 % of the error rates of sentences drawn anew with replacement, the same for each aligner."""
        low, high = np.quantile(self._drawn(name), (0.025, 0.975))
        return float(low), float(high)

    def gap(self, first: str, second: str) -> tuple[float, float, float]:
        """The error rate of one aligner less that of another, and the middle 95 % over the same draws."""
        low, high = np.quantile(self._drawn(first) - self._drawn(second), (0.025, 0.975))
        return self.rate(first) - self.rate(second), float(low), float(high)

    @property
    def labels(self) -> dict[str, str]:
        """What the tables call each aligner, by its short name."""
        return {
            "ibm1": "IBM Model 1",
            "mean": "Transformer, all heads averaged",
            "best": f"Transformer, its best head here, {'.'.join(map(str, self.best))}",
            "worst": f"Transformer, its worst head, {'.'.join(map(str, self.worst))}",
            "recurrent": "recurrent translator",
            "diagonal": "diagonal, without looking",
            "first_gold": "best with one link per word",
        }

    def rows(self) -> list[tuple[str, ...]]:
        """A row per aligner, for :data:`HEADER`."""
        rows = []
        for name, label in self.labels.items():
            counts, (low, high) = self.counts(name), self.interval(name)
            late = number(self.rate(name, READ), ".2f") if name in ("mean", "best", "worst", "recurrent") else ""
            shares = (float(share(counts)) for share in (precisions, recalls, error_rates))
            rows.append((label, *(number(x, ".2f") for x in shares), f"{low:.2f} to {high:.2f}", late))
        return rows

    def error_rows(self, shown: Sequence[str]) -> list[tuple[str, ...]]:
        """Names, error rates and intervals of these :meth:`rows`, in this order, for :data:`ERROR_HEADER`."""
        rows = dict(zip(self.labels, self.rows(), strict=True))
        return [(rows[name][0], *rows[name][3:5]) for name in shown]

    def picked_numbers(self) -> dict[str, float]:
        """What the text says of a head chosen on the fewest sentences, by name."""
        promised, kept = self.found["picked"][str(self.setting["picked_from"][0])]
        return {"real_one_promised": promised, "real_one_kept": kept}

    def beaten(self) -> int:
        """On how many sentences some other head has a lower error rate than the best one has there."""
        return int((self.sentence_rates.min(axis=(0, 1)) < self.sentence_rates[self.best]).sum())

    def perfect(self) -> tuple[int, int]:
        """On how many sentences some head makes no error, and on how many of these the best one does."""
        flawless = self.sentence_rates == 0
        return int(flawless.any(axis=(0, 1)).sum()), int((flawless.any(axis=(0, 1)) & ~flawless[self.best]).sum())

    def choice_numbers(self) -> dict[str, float | int]:
        """What the text says of showing the best head of each sentence, by name; the rates are means over sentences."""
        some, spoiled = self.perfect()
        return {
            "beaten": self.beaten(),
            "perfect_some": some,
            "perfect_other": spoiled,
            "shown_rate": self.sentence_rates.min(axis=(0, 1)).mean(),
            "steady_rate": self.sentence_rates[self.best].mean(),
        }

    def lucky(self) -> tuple[tuple[int, int], int]:
        """A head, not the best one, and a sentence without an error of it: the one with the most sure links."""
        links = np.where(self.sentence_rates == 0, self.heads()[..., 3], 0)
        links[self.best] = 0
        layer, head, sentence = np.unravel_index(links.argmax(), links.shape)
        return (int(layer), int(head)), int(sentence)

    def lucky_worst(self) -> int:
        """The sentence on which the :meth:`lucky` head has its largest error rate."""
        return int(self.sentence_rates[self.lucky()[0]].argmax())

    def lucky_rows(self, pair: LinkedPair, looks: Float[Tensor, "layers heads rows columns"]) -> list[tuple[str, ...]]:
        """What the lucky and the best head link each word with, for :data:`LUCKY_HEADER`; wrong links in brackets.

        Args:
            pair: the sentence and its true links.
            looks: the weights of all heads between its words, the source's ``</s>`` last.
        """
        rows, right, columns = [], pair.sure | pair.possible, [*pair.source_words, "</s>"]
        for j, word in enumerate(pair.target_words):
            chosen = [int(looks[(*head, j)].argmax()) for head in (self.lucky()[0], self.best)]
            rows.append((word, *(columns[i] if (i, j) in right else f"({columns[i]})" for i in chosen)))
        return rows

    def lucky_numbers(self) -> dict[str, float | str]:
        """What the text says of the :meth:`lucky` head, by name."""
        place, sentence = self.lucky()
        return {
            "lucky_head": "head {1} of layer {0}".format(*place),
            "lucky_sentence": linked_pairs()[sentence].source,
            "lucky_worst": linked_pairs()[self.lucky_worst()].source,
            "lucky_all": float(self.rates[place]),
            "lucky_best": self.rate("best"),
        }

    def numbers(self) -> dict[str, float | int | str]:
        """What the text says, by name."""
        late = error_rates(self.heads(READ))
        _, low, high = self.gap("best", "mean")
        sentences, half = len(self.counts("mean")), self.found["picked"][str(self.setting["picked_from"][-1])]
        return {
            "hand_sentences": sentences,
            "hand_sure": self.found["sure"],
            "hand_possible": self.found["possible"],
            "rate_mean": self.rate("mean"),
            "rate_best": self.rate("best"),
            "real_best": "head {1} of layer {0}".format(*self.best),
            "real_late_better": int((late < self.rates).sum()),
            "best_higher_low": number(low, "+.2f"),
            "best_higher_high": number(high, "+.2f"),
            "half_promised": half[0],
            "half_kept": half[1],
            "draws": DRAWS,
        }


def read() -> LinksByHand:
    """The result on record."""
    return LinksByHand(experiments.read("links-by-hand"))
