"""What *counting-little-language* measured: entropies, alignment scores and right translations, by number of pairs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from ... import experiments
from ...analysis.seed_statistics import Measured
from ...pages.figures.axis_marks import marked
from ...pages.figures.plotting import curves
from ..reader import ResultReader

LANGUAGES = {"es": "Spanish", "hi": "Hindi"}
KINDS = {
    "forward": "x makes y",
    "backward": "y makes x",
    "both": "both say so",
    "either": "either says so",
    "diagonal": "diagonal",
}
"""Where links come from, as the page calls it."""
DRAWN = ("forward", "diagonal")
ENTROPIES = {
    "2-gram, counted": "2",
    "3-gram, counted": "3",
    "last two words, 5 epochs": "last two words",
    "and the ending, 5 epochs": "with ending",
}
"""Models of Spanish as the page calls them, and as the result does."""


@dataclass(frozen=True)
class CountingLittleLanguage(ResultReader):
    """The result, as its page reads it."""

    @property
    def pairs(self) -> list[int]:
        """In how many pairs was counted, rising."""
        return self.setting["pairs"]

    def entropies(self) -> dict[str, Measured]:
        """Cross-entropy of models of Spanish on new sentences, in nats per token, by the page's name of the model."""
        return {name: self.measured(f"entropy/{metric}") for name, metric in ENTROPIES.items()}

    def behind(self) -> Float[np.ndarray, " seeds"]:
        """How far the better log-linear model is behind the counted trigram, in nats per token, one per seed."""
        two, ending, trigram = (self.of(f"entropy/{name}") for name in ("last two words", "with ending", "3"))
        return np.minimum(two, ending) - trigram

    def error_rate(self, target: str, pairs: int, kind: str = "forward") -> float:
        """The mean alignment error rate."""
        return self.measured(f"{target}/{pairs}/{kind}_error_rate").value

    def precision(self, target: str, kind: str) -> float:
        """The mean precision of links, with the most pairs."""
        return self.measured(f"{target}/{self.pairs[-1]}/{kind}_precision").value

    def right(self, target: str, pairs: int) -> Measured:
        """The share of translations that the grammar gives, with its standard deviation over seeds."""
        return self.measured(f"{target}/{pairs}/right")

    def alignment_rows(self) -> list[tuple[str, ...]]:
        """A row per kind of links, with the most pairs of English and Spanish: precision, recall, error rate."""
        scores = ("precision", "recall", "error_rate")
        return [
            (label, *(f"{self.measured(f'es/{self.pairs[-1]}/{kind}_{score}'):.3f}" for score in scores))
            for kind, label in KINDS.items()
        ]

    def error_lines(self) -> dict[str, tuple[list[int], list[float]]]:
        """The mean alignment error rate by the number of pairs, a line per language and kind that is drawn."""
        return {
            f"{language}, {KINDS[kind]}": (self.pairs, [self.error_rate(target, n, kind) for n in self.pairs])
            for target, language in LANGUAGES.items()
            for kind in DRAWN
        }

    def errors_told(self) -> str:
        """The lines of :meth:`error_lines` in words."""
        lines = (
            f"{name}: {', '.join(f'{rate:.2f} with {n}' for n, rate in zip(*line, strict=True))}."
            for name, line in self.error_lines().items()
        )
        return " ".join(["Alignment error rate by the number of pairs.", *lines])

    def error_figure(self) -> Figure:
        """The lines of :meth:`error_lines`, drawn."""
        figure = curves(self.error_lines(), x_label="pairs", y_label="alignment error rate", x_scale="log")
        fifths = [0, 0.2, 0.4, 0.6, 0.8, 1]
        return marked(figure, x={n: str(n) for n in self.pairs}, y=fifths, y_limits=(0, 1.2))

    def numbers(self) -> dict[str, int | float | str]:
        """What the page's text is given, by name."""
        few, most = self.pairs[0], self.pairs[-1]
        behind = self.behind()
        return {
            "many_sentences": self.setting["log_linear_pairs"],
            "many_0": few,
            "aer_pairs": most,
            "aer_seeds": self.n_seeds,
            "ahead": int((behind > 0).sum()),
            **{f"aer_{target}": self.error_rate(target, most) for target in LANGUAGES},
            **{f"first_{target}": self.error_rate(target, few) for target in LANGUAGES},
            **{f"diagonal_{target}": self.error_rate(target, most, "diagonal") for target in LANGUAGES},
            "right_first": f"{self.right('es', few).scaled(100):.0f}",
            "right_last": f"{self.right('es', most).scaled(100):.0f}",
        }


def read() -> CountingLittleLanguage:
    """The result on record."""
    return CountingLittleLanguage(experiments.read("counting-little-language"))
