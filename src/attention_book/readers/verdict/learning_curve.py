"""What *learning-curve* measured: the scores of networks, of counting and of a look-up by the pairs; when to stop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured, over_seeds
from ...experiments.verdict.learning_curve import COUNTING, MEMORY
from ..reader import ResultReader
from .climbs import Climb
from .verdict import ATTENTIVE, SHIPPED, TRANSFORMER
from .verdict import label as label_of_system

NETWORKS = (TRANSFORMER, ATTENTIVE)
CURVES = (*NETWORKS, COUNTING, MEMORY)
"""In the order in which the figure draws them."""
LABELS = {MEMORY: "look-up"}
"""What the page calls a curve, where it does not call it as the experiment does."""
SCORE_HEADER = ("pairs", "look-up", "counting", "RNN with attention", "Transformer")
STOP_HEADER = ("pairs", "passes to the lowest loss", "chrF there", "passes to the highest chrF", "highest chrF")
CLIMB_HEADER = ("training", "lowest loss", "loss at the top", "chrF at the lowest loss", "chrF at the top", "best chrF")


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

    def leads(self, size: int, first: str, second: str, metric: str = "chrf") -> list[float]:
        """By how many points of a score one is ahead of another on one number of pairs, one lead per seed."""
        both = zip(self.scores(first, size, metric), self.scores(second, size, metric), strict=True)
        return [one - other for one, other in both]

    def passes_rule(self, size: int, first: str, second: str, metric: str = "chrf") -> bool:
        """Whether one is ahead with every seed, and on average by more than twice the :meth:`largest_distance`."""
        leads = self.leads(size, first, second, metric)
        return min(leads) > 0 and float(np.mean(leads)) > 2 * self.largest_distance(metric)

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

    def largest_distance(self, metric: str = "chrf") -> float:
        """The largest distance in a score between two seeds of one translator with one number of pairs."""
        points = ((name, size) for name in CURVES for size in self.sizes(name))
        return max(max(scores) - min(scores) for scores in (self.scores(*point, metric) for point in points))

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

    def climbs(self, name: str, size: int) -> list[Climb]:
        """Three validations of each training of a network: of the lowest loss, the highest after it, the best chrF.

        Args:
            name: of a network.
            size: a number of pairs.
        """
        found = []
        for point in self.points(name, size):
            curve = point["curve"]
            lowest = min(range(len(curve)), key=lambda place: curve[place][2])
            worst = max(curve[lowest:], key=lambda record: record[2])
            found.append(Climb(curve[lowest], worst, max(curve, key=lambda record: record[3])))
        return found

    def climb_rows(self, name: str, size: int) -> list[tuple[str, ...]]:
        """A row per training for `CLIMB_HEADER`."""
        return [
            (
                str(place),
                f"{climb.lowest[2]:.2f}",
                f"{climb.worst[2]:.2f}",
                f"{climb.lowest[3]:.1f}",
                f"{climb.worst[3]:.1f}",
                f"{climb.best[3]:.1f}",
            )
            for place, climb in enumerate(self.climbs(name, size), start=1)
        ]

    def catching_up(self) -> dict[str, float]:
        r"""With how many million pairs counting would reach the shipped translator's chrF, by two gains.

        .. math:: n = n_0 \, 10^{(s - s(n_0)) / g}

        One gain g is that of the line through all points, the other that of the last step. Both start from the last.
        """
        *_, before, last = self.sizes(COUNTING)
        reached, aim = self.mean(COUNTING, last), float(self.long[SHIPPED]["chrf"])
        gains = {"catch": self.gain(COUNTING).value, "last": self.gain(COUNTING, least=before).value}
        tens = {name: (aim - reached) / gain for name, gain in gains.items()}
        return {
            "counting_all": reached,
            "book_chrf": aim,
            "counting_gain": gains["catch"],
            "last_gain": gains["last"],
            "catch_tens": tens["catch"],
            **{f"{name}_pairs": last * 10**many / 1e6 for name, many in tens.items()},
        }

    def stopped(self, size: int) -> int:
        """How many trainings with a number of pairs stopped before their budget was spent."""
        return sum(point["stopped"] for name in NETWORKS for point in self.points(name, size))

    def long_scores(self) -> dict[str, tuple[int, float, float]]:
        """The pairs, the chrF and the million tokens of each longer training, by its label."""
        return {
            label_of_system(name): (system["made"]["pairs"]["train"], system["chrf"], system["made"]["tokens"] / 1e6)
            for name, system in self.long.items()
        }

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        setting, training = self.setting, self.setting["training"]
        sizes = self.sizes(TRANSFORMER)
        first, last = (self.points(TRANSFORMER, size)[0] for size in (sizes[0], sizes[-1]))
        few, level = sizes[1:3]
        return {
            "n_seeds": self.n_seeds,
            "n_test": self.seeds[0]["sentences"],
            "n_first": sizes[0],
            "n_few": few,
            "n_level": level,
            "n_last": sizes[-1],
            "n_all": self.sizes()[-1],
            "budget": training["tokens"],
            "every": training["validate_every"],
            "patience": setting["patience"],
            "n_translated": setting["translated"],
            "pieces": setting["vocabulary"],
            "parameters": first["parameters"] / 1e6,
            "chrf_signature": first["chrf_signature"],
            "bleu_signature": first["bleu_signature"],
            "largest_distance": self.largest_distance(),
            "twice_distance": 2 * self.largest_distance(),
            "behind_few": self.mean(COUNTING, few) - self.mean(TRANSFORMER, few),
            "level_transformer": self.mean(TRANSFORMER, level),
            "level_counting": self.mean(COUNTING, level),
            "reads_first": self.passes(TRANSFORMER, sizes[0], "best_tokens"),
            "passes_first": training["tokens"] / first["a_pass"],
            "passes_last": training["tokens"] / last["a_pass"],
            "passes_long": self.long[TRANSFORMER]["made"]["epochs"],
            **self.catching_up(),
        }

    def stop_numbers(self, size: int) -> dict[str, float | int | str]:
        """What *When to stop* is given of the Transformer with a number of pairs, some of it of the first training."""
        records, a_pass = self.records(TRANSFORMER, size)
        climbs = self.climbs(TRANSFORMER, size)
        first, lost = climbs[0], [climb.given_away for climb in climbs]
        sizes, patience = self.sizes(TRANSFORMER), self.setting["patience"]
        one, ours = (self.kept(TRANSFORMER, sizes[-1], least) for least in (1, patience))
        return {
            "n_seeds": self.n_seeds,
            "n_pairs": size,
            "n_first": sizes[0],
            "n_level": sizes[2],
            "n_last": sizes[-1],
            "n_validated": self.setting["validated"],
            "n_translated": self.setting["translated"],
            "patience": patience,
            "cost_of_one": ours - one,
            "passes_between": records[0][0] / a_pass,
            "lowest_passes": first.lowest[0] / a_pass,
            "lowest_loss": first.lowest[2],
            "lowest_chrf": first.lowest[3],
            "worst_passes": first.worst[0] / a_pass,
            "worst_loss": first.worst[2],
            "worst_chrf": first.worst[3],
            "least_given_away": min(lost),
            "most_given_away": max(lost),
            "level_given_away": float(np.mean([climb.given_away for climb in self.climbs(TRANSFORMER, sizes[2])])),
        }


def read() -> LearningCurve:
    """The result on record, with the longer trainings of *verdict*."""
    (verdict,) = experiments.read("verdict")["seeds"].values()
    return LearningCurve(
        experiments.read("learning-curve"),
        {name: verdict["systems"][name] for name in (ATTENTIVE, TRANSFORMER, SHIPPED)},
    )
