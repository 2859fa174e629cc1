"""What *verdict* measured: six ways of translating on the same sentences, their costs, and where the winner loses."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import experiments
from ...analysis.seed_statistics import Measured, holm
from ...experiments.records import recorded
from ..reader import ResultReader
from ..translator.piece_lengths import CLASS_TOLD
from .paired_words import LEVEL, PairedWords

COUNTING, RULES, RNN, ATTENTIVE, TRANSFORMER, SHIPPED = (
    "counting",
    "Apertium",
    "RNN",
    "RNN with attention",
    "Transformer",
    "shipped",
)
NEURAL = (RNN, ATTENTIVE, TRANSFORMER)
"""The three that were trained alike."""
LABELS = {RNN: "RNN without attention", SHIPPED: "the book's translator"}
"""The systems as the page calls them, where it does not call them as the experiment does."""
SCORE_HEADER = ("system", "BLEU", "chrF")
COST_HEADER = ("system", "parameters", "sentences/s, one by one", "in batches")
EXACT_HEADER = ("system", "translations that are a reference, letter by letter")
MIXTURE_HEADER = ("a test of 100 words", "the Transformer finds", "Apertium finds")
LOSS_HEADER = ("against the Transformer", "clearly ahead", "clearly behind")


def label(name: str) -> str:
    """A system as the page calls it."""
    return LABELS.get(name, name)


def rate(per_second: float) -> str:
    """Sentences per second with two digits that count."""
    digits = max(0, 1 - math.floor(math.log10(per_second)))
    return f"{round(per_second, 1 - math.floor(math.log10(per_second))):.{digits}f}"


@dataclass(frozen=True)
class Verdict(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *verdict*, as :func:`attention_book.experiments.read` returns it.
        earlier: BLEU of another training of the RNN without attention, by the same command, on the same sentences.
    """

    earlier: float

    @property
    def systems(self) -> Mapping[str, Any]:
        """What was measured of each system."""
        return self.found["systems"]

    @property
    def names(self) -> list[str]:
        """The systems, the one with the lowest BLEU first; the shipped translator, trained for longer, comes last."""
        return sorted(self.systems, key=lambda name: (name == SHIPPED, self.systems[name]["bleu"]))

    @property
    def rivals(self) -> list[str]:
        """The systems that the Transformer is held against: all but itself and the book's own translator."""
        return [name for name in self.names if name not in (TRANSFORMER, SHIPPED)]

    def score(self, name: str, metric: str) -> Measured:
        """BLEU or chrF on the test sentences, with half the width of the 95 % interval over resampled sentences."""
        found = self.systems[name]
        return Measured(found[metric], found[f"{metric}_half_width"], "interval", self.setting["bootstrap"])

    def score_rows(self) -> list[tuple[str, ...]]:
        """A row per system for `SCORE_HEADER`."""
        return [(label(name), *(f"{self.score(name, kind):.1f}" for kind in ("bleu", "chrf"))) for name in self.names]

    def adjusted(self) -> dict[tuple[str, str, str], float]:
        """The p-value of every two systems by both scores after Holm's correction, by (one, other, score)."""
        raw = {}
        for one, other, bleu, chrf in self.found["pairs"]:
            raw |= {(one, other, "BLEU"): bleu, (one, other, "chrF"): chrf}
        corrected = holm({str(place): p for place, p in enumerate(raw.values())})
        return dict(zip(raw, corrected.values(), strict=True))

    def open_tests(self) -> list[tuple[str, str, str]]:
        """The tests that do not settle who is ahead."""
        return [test for test, p in self.adjusted().items() if p > LEVEL]

    def open_told(self) -> str:
        """:meth:`open_tests` in words."""
        told = [f"{label(one)} and {label(other)} by {metric}" for one, other, metric in self.open_tests()]
        return ", ".join(told) if told else "none"

    def turned(self) -> list[tuple[str, str]]:
        """The pairs that BLEU and chrF put in opposite orders, the one with the higher BLEU first."""
        pairs = [sorted(test[:2], key=lambda name: -self.systems[name]["bleu"]) for test in self.found["pairs"]]
        return [(one, other) for one, other in pairs if self.systems[one]["chrf"] < self.systems[other]["chrf"]]

    @property
    def groups(self) -> list[str]:
        """The groups of sentences by the words of the source, such as "5–6"."""
        return list(self.systems[TRANSFORMER]["by_length"])

    def by_length(self, name: str) -> list[Measured]:
        """BLEU of a system on each group, with half the width of its interval."""
        groups = (self.systems[name]["by_length"][group] for group in self.groups)
        return [Measured(g["bleu"], g["bleu_half_width"], "interval", self.setting["bootstrap"]) for g in groups]

    def length_rows(self) -> list[tuple[str, ...]]:
        """How many sentences each group has, and a row per system with its BLEU."""
        counted = self.systems[TRANSFORMER]["by_length"].values()
        return [
            ("sentences", *(str(group["sentences"]) for group in counted)),
            *((label(name), *(f"{score.value:.1f}" for score in self.by_length(name))) for name in self.names),
        ]

    def lead(self, other: str) -> list[float]:
        """By how many points of BLEU the Transformer is ahead of another system on each group of lengths."""
        both = zip(self.by_length(TRANSFORMER), self.by_length(other), strict=True)
        return [mine.value - theirs.value for mine, theirs in both]

    def recall(self, name: str, kind: str) -> Measured:
        """The share of a class's words in the references that the translations have too, with half of its interval.

        The interval is Agresti and Coull's, as if each word were found or not by itself.
        """
        entry = self.systems[name]["recall"][kind]
        words, share = entry["words"] + 4, (entry["found"] + 2) / (entry["words"] + 4)
        half = 1.96 * math.sqrt(share * (1 - share) / words)
        return Measured(entry["found"] / entry["words"], half, "interval", entry["words"])

    @property
    def recall_header(self) -> list[str]:
        """The headings of :meth:`recall_rows`."""
        kinds = self.setting["classes"]
        words = (self.systems[TRANSFORMER]["recall"][kind]["words"] for kind in kinds)
        return ["seen in training", *(f"{CLASS_TOLD[k]} ({n:,} words)" for k, n in zip(kinds, words, strict=True))]

    def recall_rows(self) -> list[tuple[str, ...]]:
        """A row per system: how many of a hundred words of each class are found."""
        return [
            (label(name), *(f"{self.recall(name, kind).scaled(100):.1f}" for kind in self.setting["classes"]))
            for name in self.names
        ]

    def paired_words(self, kind: str) -> PairedWords:
        """The words of a class that the Transformer and the RNN with attention found, for a paired test."""
        mine, theirs = (self.systems[name]["recall"][kind] for name in (TRANSFORMER, ATTENTIVE))
        return PairedWords(mine["found"], theirs["found"], mine["words"])

    def paired_numbers(self) -> dict[str, float | int]:
        """What the page says of the Transformer's lead over the RNN with attention, class by class."""
        rarer, more, often = (self.paired_words(kind) for kind in ("1–5", "6–50", "more"))
        return {
            "rarer_one": rarer.one,
            "rarer_other": rarer.other,
            "rarer_p": rarer.p_value(rarer.most_split),
            "some_one": more.one,
            "some_other": more.other,
            "some_settled": more.settled_up_to() or 0,
            "some_independent": more.independent_split,
            "often_one": often.one,
            "often_other": often.other,
        }

    def mixture_rows(self, shares: Sequence[float] = (0.1, 0.5)) -> list[tuple[str, ...]]:
        """A row per share of words never seen for `MIXTURE_HEADER`, worked out with shares found to two decimals."""
        rows = []
        for often in (round(100 * (1 - share)) for share in shares):
            sums = []
            for name in (TRANSFORMER, RULES):
                known, new = (round(self.recall(name, kind).value, 2) for kind in ("more", "never"))
                found = known * often + new * (100 - often)
                sums.append(f"{known:.2f} · {often} + {new:.2f} · {100 - often} = {found:.1f}")
            rows.append((f"{often} frequent, {100 - often} never seen", *sums))
        return rows

    def of_all_words(self, name: str) -> float:
        """The share of all words that a system finds, whatever their class."""
        recall = self.systems[name]["recall"].values()
        return sum(entry["found"] for entry in recall) / sum(entry["words"] for entry in recall)

    def per_second(self, name: str) -> list[float]:
        """Sentences per second of processor time, with each size of batch."""
        return [timed["sentences"] / timed["seconds"] for timed in self.systems[name]["speed"]]

    def twins_apart(self) -> float:
        """How far the speeds of the Transformer and of the book's translator, of one size, lie apart, as a share."""
        both = zip(self.per_second(TRANSFORMER), self.per_second(SHIPPED), strict=True)
        return max(max(pair) / min(pair) for pair in both) - 1

    def cost_rows(self) -> list[tuple[str, ...]]:
        """A row per system of the race for `COST_HEADER`; counting and rules have no parameters to count."""
        found = {name: self.systems[name]["made"].get("parameters") for name in (*NEURAL, COUNTING, RULES)}
        return [
            (label(name), f"{size / 1e6:.1f} million" if size else "–", *map(rate, self.per_second(name)))
            for name, size in found.items()
        ]

    def slower(self) -> float:
        """How much faster the slowest of the other networks is than the Transformer, at least, as a share."""
        ways = zip(*(self.per_second(name) for name in (TRANSFORMER, RNN, ATTENTIVE)), strict=True)
        return min(min(others) / mine for mine, *others in ways) - 1

    def hits(self, one: str, other: str) -> PairedWords:
        """The sentences for which two systems hit a reference letter by letter, for a paired test."""
        return PairedWords(self.systems[one]["exact"], self.systems[other]["exact"], self.found["sentences"])

    def exact_rows(self) -> list[tuple[str, ...]]:
        """A row per system for `EXACT_HEADER`: translations that are one of the references, most hits first."""
        hits = {name: self.systems[name]["exact"] for name in self.names}
        return [(label(name), f"{hits[name]:,}") for name in sorted(hits, key=lambda name: -hits[name])]

    def machines(self) -> list[str]:
        """When and on what each neural system was trained, as clauses."""
        made = {name: self.systems[name]["made"] for name in self.names if "machine" in self.systems[name]["made"]}
        return [f"{label(name)} on {one['date']} ({one['machine']['processor']})" for name, one in made.items()]

    def against(self, name: str) -> Mapping[str, Any]:
        """How a system stands against the Transformer, sentence by sentence."""
        return self.systems[name]["against_winner"]

    def loss_rows(self) -> list[tuple[str, ...]]:
        """A row per rival for `LOSS_HEADER`, in numbers of sentences."""
        parts = ("clearly_ahead", "clearly_behind")
        return [(label(name), *(f"{self.against(name)[part]:,}" for part in parts)) for name in self.rivals]

    def precision(self, name: str) -> str:
        """The type of the numbers with which a network's products were computed in training, such as "float32"."""
        return self.systems[name]["made"]["settings"]["precision"]

    def passes(self) -> Measured:
        """How often each of the three trainings met each pair, with half of the range between them."""
        met = [self.systems[name]["made"]["epochs"] for name in NEURAL]
        return Measured((max(met) + min(met)) / 2, (max(met) - min(met)) / 2, "deviation", len(met))

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        bleu = {name: found["bleu"] for name, found in self.systems.items()}
        chrf = {name: found["chrf"] for name, found in self.systems.items()}
        words = {
            f"{key}_{_KINDS[kind]}": 100 * self.recall(name, kind).value
            for key, name in (("rules", RULES), ("transformer", TRANSFORMER))
            for kind in self.setting["classes"]
        }
        race = self.systems[TRANSFORMER]["made"]
        best_rival = max(self.rivals, key=bleu.__getitem__)
        lead = self.lead(ATTENTIVE)
        return {
            "n_test": self.found["sentences"],
            "bleu_signature": self.systems[TRANSFORMER]["bleu_signature"],
            "chrf_signature": self.systems[TRANSFORMER]["chrf_signature"],
            "samples": self.setting["bootstrap"],
            "ngram_order": self.setting["systems"][COUNTING]["order"],
            "beam": self.setting["beam_size"],
            "n_pairs": race["pairs"]["train"],
            "race_tokens": race["settings"]["tokens"] / 1e6,
            "race_batch": race["settings"]["tokens_per_batch"],
            "n_tests": len(self.adjusted()),
            "n_open": len(self.open_tests()),
            **{f"{key}_hits": self.systems[name]["exact"] for key, name in _HITS.items()},
            "hits_p": self.hits(COUNTING, RULES).p_value(self.hits(COUNTING, RULES).most_split),
            "open_told": self.open_told(),
            **{f"{key}_bleu": bleu[name] for key, name in (("rnn", RNN), ("rules", RULES))},
            **{f"{key}_chrf": chrf[name] for key, name in (("rnn", RNN), ("rules", RULES))},
            "lead_bleu": bleu[TRANSFORMER] - bleu[best_rival],
            "attention_bleu": bleu[ATTENTIVE] - bleu[RNN],
            "longer_bleu": bleu[SHIPPED] - bleu[TRANSFORMER],
            "trainings_apart": abs(self.earlier - bleu[RNN]),
            "attentive_precision": self.precision(ATTENTIVE),
            "transformer_precision": self.precision(TRANSFORMER),
            "shortest": self.groups[0],
            "counting_short": self.by_length(COUNTING)[0].value,
            "counting_long": self.by_length(COUNTING)[-1].value,
            "behind_long": -lead[-1],
            "n_long": self.systems[TRANSFORMER]["by_length"][self.groups[-1]]["sentences"],
            "apertium_versions": ", ".join(f"{k} {v}" for k, v in self.systems[RULES]["made"]["versions"].items()),
            **words,
            "counting_never": 100 * self.recall(COUNTING, "never").value,
            **self.paired_numbers(),
            "rules_all": 100 * self.of_all_words(RULES),
            "transformer_all": 100 * self.of_all_words(TRANSFORMER),
            "slower": 100 * self.slower(),
            "clearly": self.setting["clearly"],
            "exact_share": 100 * self.systems[TRANSFORMER]["exact"] / self.found["sentences"],
            "n_timed": self.setting["speed"]["sentences"],
            "large_batch": self.setting["speed"]["batches"][-1],
            "twins_apart": 100 * self.twins_apart(),
            "machines": "; ".join(self.machines()),
            "passes": self.passes().value,
        }


_HITS = {"counting": COUNTING, "rules": RULES, "winner": TRANSFORMER, "shipped": SHIPPED}
_KINDS = {"never": "never", "1–5": "rare", "6–50": "some", "more": "often"}


def read() -> Verdict:
    """The result on record, with the BLEU that *translators-compared* found for an earlier training of one system.

    Raises:
        ValueError: the Transformer that was scored is not the one whose training is on record.
    """
    (earlier,) = experiments.read("translators-compared")["seeds"].values()
    verdict = Verdict(experiments.read("verdict"), earlier["systems"]["without attention"]["bleu"])
    made, record = verdict.systems[TRANSFORMER]["made"], recorded("en-es-small")
    if any(made[name] != record[name] for name in ("command", "tokens", "training_seconds", "date")):
        raise ValueError("results/real/en-es-small.json is of another training: run the experiment verdict again")
    return verdict
