"""How large are scores before any training? Drawn models on recurrent states, beside random vectors of variance 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...analysis.seed_statistics import Measured, Seeds, number, over_seeds
from ...experiments.recurrent_study import shape, weights_and_scores
from ...little_language.language import sample, word_vocabulary
from ...models.recurrent import RecurrentEncoderDecoder


@dataclass(frozen=True)
class StartingScores:
    """The standard deviation of scores within a row, before training.

    Attributes:
        spreads: by score and width, one number per random start.
        random: by width, the standard deviation of dot products of random vectors whose components have variance 1.
    """

    spreads: Mapping[tuple[str, int], Seeds]
    random: Mapping[int, float]

    @property
    def kinds(self) -> list[str]:
        """The scores."""
        return list(dict.fromkeys(kind for kind, _ in self.spreads))

    def spread(self, kind: str, width: int) -> Measured:
        """Mean and standard deviation over the starts."""
        return over_seeds(self.spreads[kind, width])

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        return ["scores before training", *(f"width {width}" for width in self.random)]

    def rows(self) -> list[tuple[str, ...]]:
        """The dot products of random vectors, and a row per score."""
        return [
            ("dot of random vectors, variance 1", *(number(spread, ".2f") for spread in self.random.values())),
            *(
                (f"{kind}, on recurrent states", *(f"{self.spread(kind, width):.2f}" for width in self.random))
                for kind in self.kinds
            ),
        ]

    def numbers(self) -> dict[str, float | int]:
        """The number of starts, and the mean spread of dot at the smallest and at the largest width."""
        dots = [self.spread("dot", width) for width in self.random]
        return {"n_starts": dots[0].n, "start_narrow": dots[0].value, "start_wide": dots[-1].value}


def starting_scores(
    common: Mapping[str, Any], kinds: Sequence[str], widths: Sequence[int], starts: int = 3, vectors: int = 2000
) -> StartingScores:
    """Draw models and measure the scores that they give on forty sentences of the little language.

    Args:
        common: what the models have in common, as :func:`attention_book.experiments.recurrent_study.shape` reads it.
        kinds: the scores.
        widths: of the states.
        starts: how many models to draw of each kind and width; start n is drawn from seed n.
        vectors: how many pairs of random vectors to multiply at each width.
    """
    words, pairs, spreads = word_vocabulary("es"), sample(40, 2002, "es"), {}
    with torch.random.fork_rng():
        for kind in kinds:
            for width in widths:
                found = []
                for seed in range(starts):
                    torch.manual_seed(seed)
                    setting = {**common, "score": kind, "width": width}
                    model = RecurrentEncoderDecoder(shape(setting, len(words))).eval()
                    found.append(weights_and_scores(model, pairs, words)["score_deviation"])
                spreads[kind, width] = np.array(found)
        random = {n: (torch.randn(vectors, n) * torch.randn(vectors, n)).sum(1).std().item() for n in widths}
    return StartingScores(spreads, random)
