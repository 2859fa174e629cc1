"""What *filling-gaps* measured: losses per gap beside the grammar's, and labels learned from few sentences."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...analysis.seed_statistics import Measured, number, over_seeds
from ...little_language.gaps import gap_vocabulary
from ...models.config import TransformerConfig
from ...models.one_stack.encoder_only import EncoderOnly
from ..reader import ResultReader

ARMS = {
    "tuned": "fine-tuned",
    "scratch": "from scratch",
    "probe": "linear probe",
    "counted": "counting words",
}
"""The ways to learn labels, as the page calls them."""
DOTS = {"floor_left": "left floor", "gap_loss": "the encoder", "floor": "two-sided floor"}
"""The rows of the figure of losses."""
FIRST_GAP = "<mask> like cats."
"""The gap of the page's bet."""
GUESS_HEADER = ("sentence", "word: exact / encoder")
ANSWERS = ("The girls <mask> letters at night.",)
"""Asked sentences that the page does not show, because they answer one of its exercises."""


def parameters(config: TransformerConfig) -> int:
    """How many numbers are trained in an encoder of this shape."""
    return sum(parameter.numel() for parameter in EncoderOnly(config).parameters())


@dataclass(frozen=True)
class FillingGaps(ResultReader):
    """The result, as its page reads it."""

    @property
    def sizes(self) -> list[int]:
        """Numbers of labelled sentences, the smallest first."""
        return self.setting["labelled"]

    def right(self, arm: str, size: int) -> Measured:
        """The share of right labels after so many labelled sentences: mean and standard deviation."""
        return over_seeds(self.of(arm)[:, self.sizes.index(size)])

    def lead(self, size: int) -> Measured:
        """How far the encoder that filled gaps is ahead of the one that did not; 95 % interval over paired seeds."""
        at = self.sizes.index(size)
        return over_seeds(self.of("tuned")[:, at] - self.of("scratch")[:, at], "interval")

    @property
    def shape(self) -> TransformerConfig:
        """The shape of the encoder."""
        return getattr(TransformerConfig, self.setting["preset"])(len(gap_vocabulary()), max_len=32)

    @property
    def excess(self) -> Measured:
        """How far the encoder's loss lies above the least possible one on the same gaps."""
        return over_seeds(self.of("gap_loss") - self.of("floor"))

    def loss_dots(self) -> dict[str, Float[np.ndarray, " seeds"]]:
        """The losses of every seed by label, for a figure with a dot per seed."""
        return {label: self.of(metric) for metric, label in DOTS.items()}

    def loss_dots_told(self) -> str:
        """The figure of :meth:`loss_dots` in words."""
        told = ["Loss in nats per gap, one dot per seed."]
        for label, values in self.loss_dots().items():
            told.append(f"{label[0].upper()}{label[1:]}: {', '.join(f'{value:.3f}' for value in values)}.")
        return " ".join(told)

    def label_header(self) -> list[str]:
        """The header of :meth:`label_rows`."""
        return ["labelled sentences", *ARMS.values()]

    def label_rows(self) -> list[tuple[str, ...]]:
        """A row per number of labelled sentences, a column per arm."""
        return [(f"{size:,}", *(f"{self.right(arm, size):.1%}" for arm in ARMS)) for size in self.sizes]

    @property
    def enough(self) -> int:
        """The place among the sizes of the first one at which the fine-tuned encoder gets nine of ten labels right."""
        return next(at for at, size in enumerate(self.sizes) if self.right("tuned", size).value >= 0.9)

    def bet_rows(self) -> list[tuple[str, ...]]:
        """The rows of :meth:`label_rows` that settle the bets: around nine of ten, and the most labels."""
        rows = self.label_rows()
        return [*rows[self.enough - 1 : self.enough + 1], rows[-1]]

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " sizes"]]]:
        """Numbers of labelled sentences and mean per cent of right labels, by arm."""
        return {name: (self.sizes, 100 * self.of(arm).mean(0)) for arm, name in ARMS.items()}

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = [f"Right labels in per cent over labelled sentences, logarithmic axis, mean of {self.n_seeds} seeds."]
        for name, (sizes, share) in self.lines().items():
            told.append(
                f"{name[0].upper()}{name[1:]}: {share[0]:.0f} with {sizes[0]}, {share[-1]:.0f} with {sizes[-1]:,}."
            )
        return " ".join(told)

    def guess_rows(self) -> list[tuple[str, str]]:
        """Asked sentences, each with its likeliest words: the exact probability, and that of the first seed.

        Four words, or all that the grammar allows if it allows more.
        """
        rows = []
        for sentence, words in self.seeds[0]["guesses"].items():
            if sentence in ANSWERS:
                continue
            n = max(4, sum(exact > 0 for _, exact, _ in words))
            told = [f"{word} {100 * exact:.0f} / {100 * guess:.0f}" for word, exact, guess in words[:n]]
            rows.append((sentence.replace("<mask>", "___"), ", ".join(told)))
        return rows

    def first_gap(self) -> dict[str, str]:
        """What is said of :data:`FIRST_GAP`, in per cent: two exact probabilities, and what the seeds guess.

        Raises:
            AssertionError: if *I*, *we* and *you* are not equally likely.
        """
        found = {word: (f"{100 * exact:.0f}", f"{100 * guess:.0f}")
                 for word, exact, guess in self.seeds[0]["guesses"][FIRST_GAP]}  # fmt: skip
        assert len({found[word][0] for word in ("I", "we", "you")}) == 1, found
        they = [100 * guess for seed in self.seeds for word, _, guess in seed["guesses"][FIRST_GAP] if word == "they"]
        return {
            "exact_we": found["we"][0],
            "exact_they": found["they"][0],
            "guess_they": found["they"][1],
            "they_from": f"{min(they):.0f}",
            "they_to": f"{max(they):.0f}",
        }

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        middle, most = self.sizes[len(self.sizes) // 2], self.sizes[-1]
        lead = self.lead(middle)
        return {
            **{
                name: self.setting[name]
                for name in ("sentences", "gap_steps", "gap_batch", "label_steps", "label_tests")
            },
            "d_model": self.shape.d_model,
            "n_parameters": parameters(self.shape),
            "too_few": self.sizes[self.enough - 1],
            "probe_ahead": int((self.of("probe") > self.of("scratch"))[:, self.sizes.index(middle)].sum()),
            "middle": middle,
            "most": most,
            "tuned_middle": f"{self.right('tuned', middle):.1%}",
            "scratch_middle": f"{self.right('scratch', middle):.1%}",
            "probe_most": f"{self.right('probe', most):.1%}",
            "n_seeds": self.n_seeds,
            "n_gaps": round(float(self.of("gaps").sum())),
            "excess": f"{self.excess:.3f}",
            "floor": f"{self.measured('floor').value:.2f}",
            "floor_left": f"{self.measured('floor_left').value:.2f}",
            "lead_middle": f"{100 * lead.value:.1f}",
            "lead_from": number(100 * (lead.value - lead.spread), ".1f"),
            "lead_to": number(100 * (lead.value + lead.spread), ".1f"),
            "without_labels": f"{self.measured('without_labels'):.1%}",
        }


def read() -> FillingGaps:
    """The result on record."""
    return FillingGaps(experiments.read("filling-gaps"))
