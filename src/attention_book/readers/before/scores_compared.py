"""What *scores-compared* measured: four scores side by side, their alignments, and two scores as states grow wider."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, Seeds, difference, number, over_seeds
from .bottleneck import Bottleneck, ByLength, told_by_length

KINDS = {
    "additive": "additive",
    "dot": "dot",
    "general": "general",
    "concat": "concat",
    "additive before": "additive, asks before",
}
"""The settings of the experiment, as the page calls them."""
ALIGNERS = {"ibm1": "IBM Model 1"} | KINDS
SCORE_HEADER = ("score", "parameters", "loss above the floor", "right, in %", "right, minus additive")
ERROR_RATE_HEADER = ("aligner", "AER")
ALIGNER_HEADER = ("aligner", "precision", "recall", "AER", "AER, rows given to the word before", "largest weight")
WIDTH_HEADER = ("width", "loss, additive", "loss, dot", "dot minus additive", "scores, additive", "scores, dot")


@dataclass(frozen=True)
class ScoresCompared(ByLength):
    """The result, as its page reads it."""

    @property
    def state_width(self) -> int:
        """How wide the states of the first set of runs are."""
        return self.setting["settings"]["additive"]["width"]

    # Side by side ---------------------------------------------------------------------------------
    def less_right(self, kind: str) -> Measured:
        """Percentage points of right translations ahead of additive, same seed, with its interval."""
        return difference(self.right_inside(kind), self.right_inside("additive"))

    def more_loss(self, kind: str, than: str = "additive") -> Measured:
        """Nats per token above additive, or another setting, same seed, with its interval."""
        return difference(self.above_inside(kind), self.above_inside(than))

    @property
    def lead_header(self) -> list[str]:
        """The headings of :meth:`lead_rows`."""
        return ["right, minus additive", *(f"training {n}" for n in range(1, self.n_seeds + 1))]

    def lead_rows(self, kinds: Sequence[str]) -> list[tuple[str, ...]]:
        """A row per setting asked for: percentage points of right translations ahead of additive, a column per seed."""
        return [(label, *(number(lead, "+.1f") for lead in row)) for label, row in self.leads(kinds).items()]

    def leads(self, kinds: Sequence[str]) -> dict[str, Seeds]:
        """Percentage points of right translations ahead of additive, same seed, by the name of the setting."""
        return {KINDS[kind]: self.right_inside(kind) - self.right_inside("additive") for kind in kinds}

    def costs(self, kinds: Sequence[str]) -> dict[str, Seeds]:
        """Nats per token above additive, same seed, by the name of the setting."""
        return {KINDS[kind]: self.above_inside(kind) - self.above_inside("additive") for kind in kinds}

    def score_rows(self) -> list[tuple[str, ...]]:
        """A row per setting, under `SCORE_HEADER`; each ± stands before half the width of a 95 % interval."""
        return [
            (
                label,
                f"{self.parameters(kind):,}",
                f"{over_seeds(self.above_inside(kind), 'interval'):.3f}",
                f"{over_seeds(self.right_inside(kind), 'interval'):.1f}",
                "" if kind == "additive" else f"{self.less_right(kind):+.1f}",
            )
            for kind, label in KINDS.items()
        ]

    def score_numbers(self) -> dict[str, float | int | str]:
        """What the text of *Side by side* is given, by name."""
        return {
            **{f"less_{kind}": f"{self.less_right(kind):+.1f}" for kind in ("dot", "concat")},
            "before_minus_dot": f"{self.more_loss('additive before', 'dot'):+.3f}",
            "alone_dot": f"{over_seeds(self.above_inside('dot'), 'interval'):.3f}",
            "n_seeds": self.n_seeds,
            "n_pairs": self.n_pairs,
            "tokens": self.setting["training"]["tokens"],
            "longest": self.setting["longest"],
            "state_width": self.state_width,
        }

    def beside(self, alone: Bottleneck) -> "Beside":
        """The same curves beside those of models with one state, of the same seeds."""
        seeds = {seed: alone.result["seeds"][seed] for seed in self.result["seeds"]}
        return Beside(self, replace(alone, result={**alone.result, "seeds": seeds}))

    # Alignments -----------------------------------------------------------------------------------
    def error_rate(self, kind: str) -> Seeds:
        """The alignment error rate of one of `ALIGNERS`."""
        return self.of(f"{kind}/error_rate")

    def shifted(self, kind: str) -> Seeds:
        """The error rate if each row is given to the word before."""
        return self.of(f"{kind}/shifted_error_rate")

    def largest(self, kind: str) -> Seeds:
        """The largest weight of a row, mean over rows."""
        return self.of(f"{kind}/largest")

    def error_rate_rows(self) -> list[tuple[str, str]]:
        """A row per aligner, under `ERROR_RATE_HEADER`, the best first; each ± stands before half a 95 % interval."""
        found = {label: over_seeds(self.error_rate(kind), "interval") for kind, label in ALIGNERS.items()}
        return [(label, f"{rate:.2f}") for label, rate in sorted(found.items(), key=lambda one: one[1].value)]

    def aligner_rows(self) -> list[tuple[str, ...]]:
        """A row per aligner: precision, recall, both error rates, the largest weight; ± is half a 95 % interval."""
        rows = []
        told = lambda values: f"{over_seeds(values, 'interval'):.2f}"  # noqa: E731
        for kind, label in ALIGNERS.items():
            rates = [told(self.of(f"{kind}/{what}")) for what in ("precision", "recall", "error_rate")]
            late, largest = "", ""
            if kind in KINDS:  # counting has no rows of weights
                late, largest = told(self.shifted(kind)), number(self.largest(kind).mean(), ".2f")
            rows.append((label, *rates, late, largest))
        return rows

    def aligner_numbers(self) -> dict[str, float | int | str]:
        """What the text of *Many sentences* is given, by name."""
        rate = self.error_rate("additive")
        return {
            "rounds": self.setting["rounds"],
            "aer_late_additive": f"{difference(self.shifted('additive'), rate):.2f}",
            "aer_before": f"{difference(self.error_rate('additive before'), rate):.2f}",
            **{f"precise_{kind}": self.of(f"{kind}/precision").mean() for kind in ("additive", "general")},
            **{f"sharp_{kind}": self.largest(kind).mean() for kind in ("additive", "dot", "general")},
        }

    # The box on wider states ----------------------------------------------------------------------
    @property
    def widths(self) -> list[int]:
        """The widths of the second set of runs, the narrowest first."""
        return self.setting["widths"]

    def wide(self, kind: str, width: int, what: str) -> Seeds:
        """A metric of the second set of runs."""
        return self.of(f"wide/{kind}/{width}/{what}")

    def dot_costs(self, width: int) -> Measured:
        """The loss of dot less that of additive, same seed, in nats per token, with its interval."""
        return difference(self.wide("dot", width, "loss"), self.wide("additive", width, "loss"))

    def grown(self, kind: str) -> list[float]:
        """The spread of a row's scores after training, mean over seeds, by width."""
        return [float(self.wide(kind, width, "score_deviation").mean()) for width in self.widths]

    def width_rows(self) -> list[tuple[str, ...]]:
        """A row per width, under `WIDTH_HEADER`; each ± stands before half the width of a 95 % interval."""
        kinds = ("additive", "dot")
        return [
            (
                str(width),
                *(f"{over_seeds(self.wide(kind, width, 'loss'), 'interval'):.3f}" for kind in kinds),
                f"{self.dot_costs(width):+.3f}",
                *(number(self.grown(kind)[place], ".1f") for kind in kinds),
            )
            for place, width in enumerate(self.widths)
        ]

    def width_verdict(self, width: int) -> str:
        """Which score is ahead at a width, or that the seeds do not tell, with the difference of the losses."""
        costs = self.dot_costs(width)
        ahead = "dot is ahead" if costs.value < 0 else "additive is ahead"
        return f"{ahead if costs.settled else 'the seeds do not tell'} ({costs:+.2f})"

    def width_numbers(self) -> dict[str, float | int | str]:
        """What the box on wider states is given, by name."""
        narrow, wide = self.widths[0], self.widths[-1]
        return {
            "short_tokens": self.setting["short_training"]["tokens"],
            **{f"wide_gap_{width}": self.width_verdict(width) for width in self.widths},
            **{f"grown_{kind}_narrow": self.grown(kind)[0] for kind in ("additive", "dot")},
            **{f"grown_{kind}_wide": self.grown(kind)[-1] for kind in ("additive", "dot")},
            "largest_wide": self.wide("dot", wide, "largest").mean(),
            "narrow": narrow,
            "wide": wide,
        }


@dataclass(frozen=True)
class Beside:
    """The additive setting beside the models of *bottleneck*, which have one state; same pairs, same seeds.

    Attributes:
        attentive: the result of *scores-compared*.
        alone: the result of *bottleneck*, with the seeds of the other.
    """

    attentive: ScoresCompared
    alone: Bottleneck

    def right(self) -> dict[str, Float[np.ndarray, "seeds groups"]]:
        """Percentage of right translations by seed and group, by name of the line."""
        with_attention = {f"attention, states of {self.attentive.state_width}": self.attentive.right("additive")}
        alone = {f"one state of {width}": self.alone.right(width) for width in ("64", "128", "256")}
        return {name: 100 * values for name, values in (with_attention | alone).items()}

    def lines(self) -> Mapping[str, tuple[Float[np.ndarray, " groups"], Float[np.ndarray, " groups"]]]:
        """Lengths and mean percentages of right translations, by name."""
        return {name: (self.attentive.middles, values.mean(0)) for name, values in self.right().items()}

    def told(self) -> str:
        """:meth:`lines` in words."""
        means = {name: line for name, (_, line) in self.lines().items()}
        return told_by_length(means, self.attentive.groups, self.attentive.n_seeds)

    def ahead(self, place: int) -> Measured:
        """The lead of attention over the widest state in a group, in percentage points, with its interval."""
        with_attention, *_, widest = self.right().values()
        return difference(with_attention[:, place], widest[:, place])

    def ahead_in_loss(self) -> Float[np.ndarray, "seeds groups"]:
        """How much more loss the widest state has, in nats per token."""
        return self.alone.of("256/loss") - self.attentive.of("additive/loss")

    def numbers(self) -> dict[str, float | int | str]:
        """What the text of *The curve again* is given, by name."""
        last = self.attentive.inside[-1]
        with_attention, *_, widest = self.right().values()
        loss = self.ahead_in_loss()
        return {
            **{f"ahead_{name}": f"{self.ahead(n):+.1f}" for name, n in (("short", 0), ("long", last), ("beyond", -1))},
            "ahead_loss_short": f"{over_seeds(loss[:, 0], 'interval'):+.2f}",
            "ahead_loss_long": f"{over_seeds(loss[:, last], 'interval'):+.2f}",
            "long_attention": with_attention[:, last].mean(),
            "long_widest": widest[:, last].mean(),
            "fall_attention": (with_attention[:, 0] - with_attention[:, last]).mean(),
            "fall_widest": (widest[:, 0] - widest[:, last]).mean(),
            "parameters_attention": self.attentive.parameters("additive"),
            "parameters_widest": self.alone.parameters("256"),
            "parameter_ratio": self.alone.parameters("256") / self.attentive.parameters("additive"),
        }


def read() -> ScoresCompared:
    """The result on record."""
    return ScoresCompared(experiments.read("scores-compared"))
