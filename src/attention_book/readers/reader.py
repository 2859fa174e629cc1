"""What all result readers share: what was chosen, over how many seeds, and what the seeds measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..analysis.seed_statistics import Kind, Measured, over_seeds, seed_values


@dataclass(frozen=True)
class ResultReader:
    """The result of an experiment, as its pages read it.

    Attributes:
        result: as :func:`attention_book.experiments.read` returns it.
    """

    result: Mapping[str, Any]

    @property
    def setting(self) -> Mapping[str, Any]:
        """What was chosen."""
        return self.result["configuration"]

    @property
    def seeds(self) -> list[Mapping[str, Any]]:
        """What each seed measured, by the name of the metric."""
        return list(self.result["seeds"].values())

    @property
    def n_seeds(self) -> int:
        """How many seeds were run."""
        return len(self.seeds)

    @property
    def found(self) -> Mapping[str, Any]:
        """What was measured where nothing was drawn, or only to resample, so that there is one seed.

        Raises:
            ValueError: if there are several.
        """
        (found,) = self.seeds
        return found

    def of(self, metric: str) -> Float[np.ndarray, "seeds *points"]:
        """A metric, one row per seed.

        Raises:
            KeyError: if a seed does not have it.
        """
        return seed_values(self.result, metric)

    def measured(self, metric: str, kind: Kind = "deviation") -> Measured:
        """A metric that is one number per seed: its mean, with a spread of the kind asked for.

        Raises:
            KeyError: if a seed does not have it.
            ValueError: if there are fewer than two seeds, which have no spread.
        """
        return over_seeds(self.of(metric), kind)

    def shared(self, metric: str) -> int | float:
        """A metric that does not depend on the seed.

        Raises:
            KeyError: if a seed does not have it.
            ValueError: if it differs between seeds.
        """
        values = {seed[metric] for seed in self.seeds}
        if len(values) > 1:
            raise ValueError(f"{metric} differs between seeds: {sorted(values)}")
        return values.pop()
