"""What *learning-curve* measured: the scores of networks, of counting and of a look-up by the pairs; when to stop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured, difference, over_seeds
from ...experiments.verdict.learning_curve import COUNTING, MEMORY
from ..reader import ResultReader
from .climbs import Climb, listed
from .verdict import ATTENTIVE, SHIPPED, TRANSFORMER
from .verdict import label as label_of_system

NETWORKS = (TRANSFORMER, ATTENTIVE)
CURVES = (*NETWORKS, COUNTING, MEMORY)
"""In the order in which the figure draws them."""
LABELS = {MEMORY: "look-up"}
"""What the page calls a curve, where it does not call it as the experiment does."""
SCORE_HEADER = ("pairs", "look-up", "counting", "RNN with attention", "Transformer")
STOP_HEADER = ("pairs", "passes to the lowest loss", "chrF there", "passes to the highest chrF", "highest chrF")
CLIMB_HEADER = ("training", "loss: 2nd validation", "highest", "chrF: 2nd validation", "at the highest loss", "best")


def label(name: str) -> str:
    """A curve as the page calls it."""
    return LABELS.get(name, name)


def gain_per_tenfold(pairs: Sequence[int | float], scores: Sequence[int | float]) -> float:
    r"""The slope of the straight line through (log10 pairs, score) with the least squares.

    .. math:: g = \frac{\sum_i (x_i - \bar x)(s_i - \bar s)}{\sum_i (x_i - \bar x)^2}, \qquad x_i = \log_{10} n_i

    Args:
        pairs: numbers of pairs, at least two different ones.
        scores: one per number.

    Returns:
        Points of the score per factor of ten.

    Raises:
        ValueError: different numbers of both, a number of pairs that is not positive, or fewer than two different ones.
    """
    if len(pairs) != len(scores):
        raise ValueError(f"{len(pairs)} numbers of pairs and {len(scores)} scores")
    if any(n <= 0 for n in pairs) or len(set(pairs)) < 2:
        raise ValueError("a line needs at least two different numbers of pairs, all of them positive")
    x = np.log10(np.asarray(pairs, dtype=float))
    s = np.asarray(scores, dtype=float)
    return float(((x - x.mean()) * (s - s.mean())).sum() / ((x - x.mean()) ** 2).sum())


def stop(scores: Sequence[int | float], patience: int) -> tuple[int, int]:
    """The place of the best score, whose weights are kept, and that after which training stops, both from 0.

    Args:
        scores: of the validations, in their order; higher is better. At least one.
        patience: training stops when so many in a row have not been better than the best before; at least 1.
    """
    best = 0
    for place, score in enumerate(scores):
        if score > scores[best]:
            best = place
        if place - best == patience:
            return best, place
    return best, len(scores) - 1


@dataclass(frozen=True)
class LearningCurve(ResultReader):
    """The result, as its page reads it.

    Attributes:
        result: of *learning-curve*, as :func:`attention_book.experiments.read` returns it.
        long: the systems of *verdict* that were trained for longer, on all pairs, by name.
    """

    long: Mapping[str, Any]

    def sizes(self, name: str = MEMORY) -> list[int]:
        """The numbers of pairs of a curve, the smallest first; "all" as what it is."""
        return [point["pairs"] for point in self.seeds[0]["points"][name].values()]

    def points(self, name: str, size: int) -> list[Mapping[str, Any]]:
        """What each seed measured of a network, of counting or of the look-up, with a number of pairs.

        Raises:
            ValueError: if the curve has no such point.
        """
        place = self.sizes(name).index(size)
        return [list(seed["points"][name].values())[place] for seed in self.seeds]

    def scores(self, name: str, size: int, metric: str = "chrf") -> list[float]:
        """A score on the test sentences, one per seed."""
        return [point[metric] for point in self.points(name, size)]

    def curve(self, name: str, metric: str = "chrf") -> dict[int, list[float]]:
        """The scores at each number of pairs, one per seed."""
        return {size: self.scores(name, size, metric) for size in self.sizes(name)}

    def mean(self, name: str, size: int, metric: str = "chrf") -> float:
        """The mean over the seeds."""
        return float(np.mean(self.scores(name, size, metric)))

    def leads(self, size: int, first: str, second: str) -> list[float]:
        """By how many points of chrF one is ahead of another on one number of pairs, one lead per seed."""
        both = zip(self.scores(first, size), self.scores(second, size), strict=True)
        return [one - other for one, other in both]

    def settled(self, size: int, first: str, second: str) -> bool:
        """Whether the 95 % interval of the mean lead over the seeds leaves zero out."""
        scores = (np.array(self.scores(name, size)) for name in (first, second))
        return difference(*scores).settled

    def said(self, name: str, size: int, metric: str = "chrf") -> str:
        """A score of each seed, in the order of the seeds; a dash where nothing was trained."""
        if size not in self.sizes(name):
            return "–"
        return " · ".join(f"{score:.1f}" for score in self.scores(name, size, metric))

    def score_rows(self, metric: str = "chrf") -> list[tuple[str, ...]]:
        """A row per number of pairs for `SCORE_HEADER`, every seed by itself."""
        names = (MEMORY, COUNTING, ATTENTIVE, TRANSFORMER)
        return [(f"{size:,}", *(self.said(name, size, metric) for name in names)) for size in self.sizes()]

    def gain(self, name: str, least: int = 0, most: int | float = math.inf) -> Measured:
        """Points of chrF per factor of ten in pairs, by a line through the points from ``least`` to ``most`` pairs."""
        some = [size for size in self.sizes(name) if least <= size <= most]
        curves = zip(*(self.scores(name, size) for size in some), strict=True)
        return over_seeds(np.array([gain_per_tenfold(some, scores) for scores in curves]))

    def largest_distance(self) -> float:
        """The largest distance in chrF between two seeds of one translator with one number of pairs."""
        points = ((name, size) for name in CURVES for size in self.sizes(name))
        return max(max(scores) - min(scores) for scores in (self.scores(*point) for point in points))

    def step(self, name: str, first: int, second: int) -> float:
        """By how many points of chrF the mean rises from one number of pairs to another."""
        return self.mean(name, second) - self.mean(name, first)

    def passes(self, name: str, size: int, until: str) -> float:
        """Passes through the pairs until the best translations, the lowest loss or the end, as a mean over the seeds.

        Args:
            name: of a family.
            size: a number of pairs.
            until: "best_tokens", "lowest_tokens" or "tokens".
        """
        return float(np.mean([point[until] / point["a_pass"] for point in self.points(name, size)]))

    def seen_at(self, name: str, size: int, until: str, value: str) -> float:
        """The validation loss or chrF at the moment of :meth:`passes`, as a mean over the seeds.

        Args:
            name, size, until: as for :meth:`passes`.
            value: "loss" or "chrf".
        """
        column = {"loss": 2, "chrf": 3}[value]
        found = []
        for point in self.points(name, size):
            (record,) = (record for record in point["curve"] if record[0] == point[until])
            found.append(record[column])
        return float(np.mean(found))

    def records(self, name: str, size: int, place: int = 0) -> tuple[list[list[int | float]], int]:
        """The validations of one training, and how many target tokens one of its passes has.

        Args:
            name: of a network.
            size: a number of pairs.
            place: of the seed among the seeds, from 0.
        """
        point = self.points(name, size)[place]
        return point["curve"], point["a_pass"]

    def stop_rows(self, name: str) -> list[tuple[str, ...]]:
        """A row per number of pairs for `STOP_HEADER`, as means over the seeds of a network."""
        return [
            (
                f"{size:,}",
                f"{self.passes(name, size, 'lowest_tokens'):.1f}",
                f"{self.seen_at(name, size, 'lowest_tokens', 'chrf'):.1f}",
                f"{self.passes(name, size, 'best_tokens'):.1f}",
                f"{self.seen_at(name, size, 'best_tokens', 'chrf'):.1f}",
            )
            for size in self.sizes(name)
        ]

    def kept(self, name: str, size: int, patience: int) -> float:
        """The validation chrF of the weights that a patience would have kept, as a mean over the seeds.

        Args:
            name: of a network.
            size: a number of pairs.
            patience: at most that of the experiment, because later validations were never made.
        """
        if not 1 <= patience <= self.setting["patience"]:
            raise ValueError(f"a patience from 1 to {self.setting['patience']} is on record, got {patience}")
        curves = ([record[3] for record in point["curve"]] for point in self.points(name, size))
        return float(np.mean([scores[stop(scores, patience)[0]] for scores in curves]))

    def patience_header(self, name: str) -> tuple[str, ...]:
        """The header of :meth:`patience_rows`."""
        return ("patience", *(f"{size:,} pairs" for size in self.sizes(name)))

    def patience_rows(self, name: str) -> list[tuple[str, ...]]:
        """A row per patience: the validation chrF that it keeps with each number of pairs, as means over the seeds."""
        return [
            (str(patience), *(f"{self.kept(name, size, patience):.1f}" for size in self.sizes(name)))
            for patience in range(1, self.setting["patience"] + 1)
        ]

    def climbs(self, name: str, size: int, first: int = 1) -> list[Climb]:
        """A validation of each training of a network, that of the highest loss and that of the best chrF.

        Args:
            name: of a network.
            size: a number of pairs.
            first: the place of the first of the three, from 0; the other two are at it or after it. By default it is
                the second validation, since the first one may stand before the model has begun to translate.

        Raises:
            ValueError: if a training has no such validation.
        """
        found = []
        for point in self.points(name, size):
            rest = point["curve"][first:]
            if first < 0 or not rest:
                raise ValueError(f"a training has {len(point['curve'])} validations, and none at the place {first}")
            found.append(Climb(rest[0], max(rest, key=lambda one: one[2]), max(rest, key=lambda one: one[3])))
        return found

    def climb_rows(self, name: str, size: int) -> list[tuple[str, ...]]:
        """A row per training for `CLIMB_HEADER`."""
        return [
            (
                str(place),
                f"{climb.start[2]:.2f}",
                f"{climb.worst[2]:.2f}",
                f"{climb.start[3]:.1f}",
                f"{climb.worst[3]:.1f}",
                f"{climb.best[3]:.1f}",
            )
            for place, climb in enumerate(self.climbs(name, size), start=1)
        ]

    def lost_at_lowest(self, name: str, size: int) -> list[float]:
        """How many points of validation chrF the weights of the lowest loss are behind the best ones, per training."""
        curves = (point["curve"] for point in self.points(name, size))
        return [max(r[3] for r in curve) - min(curve, key=lambda r: r[2])[3] for curve in curves]

    def stopped(self, size: int) -> int:
        """How many trainings with a number of pairs stopped before their budget was spent."""
        return sum(point["stopped"] for name in NETWORKS for point in self.points(name, size))

    def ahead(self, first: str, second: str) -> list[int]:
        """The numbers of pairs at which one is ahead of another by chrF, with every seed."""
        shared = [size for size in self.sizes(first) if size in self.sizes(second)]
        return [size for size in shared if all(lead > 0 for lead in self.leads(size, first, second))]

    def long_scores(self) -> dict[str, tuple[int, float, float]]:
        """The pairs, the chrF and the million tokens of each longer training, by its label."""
        return {
            label_of_system(name): (system["made"]["pairs"]["train"], system["chrf"], system["made"]["tokens"] / 1e6)
            for name, system in self.long.items()
        }

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        setting, training = self.setting, self.setting["training"]
        trained = self.sizes(TRANSFORMER)
        first = self.points(TRANSFORMER, trained[0])[0]
        found: dict[str, float | int | str] = {
            "n_seeds": self.n_seeds,
            "n_test": self.seeds[0]["sentences"],
            "n_first": trained[0],
            "n_last": trained[-1],
            "n_all": self.sizes()[-1],
            "budget": training["tokens"],
            "every": training["validate_every"],
            "patience": setting["patience"],
            "n_translated": setting["translated"],
            "pieces": setting["vocabulary"],
            "chrf_signature": first["chrf_signature"],
            "bleu_signature": first["bleu_signature"],
            "largest_distance": self.largest_distance(),
            "least_bleu": min(self.mean(name, trained[0], "bleu") for name in CURVES),
            "most_bleu": max(self.mean(name, trained[0], "bleu") for name in CURVES),
            "passes_first": training["tokens"] / first["a_pass"],
            "passes_last": training["tokens"] / self.points(TRANSFORMER, trained[-1])[0]["a_pass"],
        }
        for key, name in (("rnn", ATTENTIVE), ("transformer", TRANSFORMER), ("counting", COUNTING), ("memory", MEMORY)):
            for size in self.sizes(name):
                short = f"{key}_{'all' if size == self.sizes()[-1] else f'{size // 1000}k'}"
                found[short] = self.mean(name, size)
                found[f"{short}_bleu"] = self.mean(name, size, "bleu")
            if name in NETWORKS:
                found[f"{key}_parameters"] = self.points(name, trained[0])[0]["parameters"] / 1e6
            found[f"{key}_step"] = self.step(name, trained[0], trained[-1])
        for key, name in (("rnn", ATTENTIVE), ("transformer", TRANSFORMER), ("shipped", SHIPPED)):
            found[f"long_{key}"] = self.long[name]["chrf"]
        return found

    def stop_numbers(self) -> dict[str, float | int | str]:
        """What the text of *When to stop* is given: of the Transformer, and first of all of its first training."""
        trained = self.sizes(TRANSFORMER)
        records, a_pass = self.records(TRANSFORMER, trained[0])
        losses = [record[2] for record in records]
        first, worst = records[0], records[losses.index(max(losses))]
        climbs = self.climbs(TRANSFORMER, trained[0])
        hairs = [
            climb.start[2] - one["curve"][0][2]
            for climb, one in zip(climbs, self.points(TRANSFORMER, trained[0]), strict=True)
        ]
        return {
            "n_seeds": self.n_seeds,
            "n_first": trained[0],
            "n_last": trained[-1],
            "n_validated": self.setting["validated"],
            "n_translated": self.setting["translated"],
            "patience": self.setting["patience"],
            "first_passes": first[0] / a_pass,
            "first_loss": first[2],
            "first_chrf": first[3],
            "worst_passes": worst[0] / a_pass,
            "worst_loss": worst[2],
            "worst_chrf": worst[3],
            "second_chrf": records[1][3],
            "gained": listed([climb.gained for climb in climbs]),
            "given_away": listed([climb.given_away for climb in climbs]),
            "least_given_away": min(climb.given_away for climb in climbs),
            "rnn_given_away": listed(self.lost_at_lowest(ATTENTIVE, trained[0])),
            "lost_at_lowest": listed(self.lost_at_lowest(TRANSFORMER, trained[0])),
            "most_lost": max(self.lost_at_lowest(TRANSFORMER, trained[0])),
            "hairs": listed([hair for hair in hairs if hair > 0], 2),
            "passes_last": self.passes(TRANSFORMER, trained[-1], "tokens"),
        }


def read() -> LearningCurve:
    """The result on record, with the longer trainings of *verdict*."""
    (verdict,) = experiments.read("verdict")["seeds"].values()
    return LearningCurve(
        experiments.read("learning-curve"),
        {name: verdict["systems"][name] for name in (ATTENTIVE, TRANSFORMER, SHIPPED)},
    )
