"""What *patches-or-convolution* measured: the share of right labels, by model and number of training images."""

from dataclasses import dataclass

import numpy as np

from ... import experiments
from ...analysis.seed_statistics import Measured, Seeds, over_seeds
from ...experiments.beyond.patches_or_convolution import BAR
from ..reader import ResultReader

NAMES = {
    "patches": "patches with positions",
    "no_positions": "patches without positions",
    "convolution": "convolution",
}


@dataclass(frozen=True)
class PatchesOrConvolution(ResultReader):
    """The result, as its page reads it."""

    @property
    def sizes(self) -> list[int]:
        """Numbers of training images, the fewest first."""
        return self.setting["arms"]["patches"]

    @property
    def few(self) -> int:
        """The smaller number of training images."""
        return self.sizes[0]

    @property
    def many(self) -> int:
        """The larger number of training images."""
        return self.sizes[-1]

    def right(self, arm: str, images: int, metric: str = "right") -> Seeds:
        """New images with the right label, or with ``"seen_right"`` images of the training; in per cent, by seed."""
        place = self.setting["arms"][arm].index(images)
        return 100 * np.asarray(self.of(f"{arm}_{metric}"))[:, place]

    def at(self, arm: str, images: int, metric: str = "right") -> Measured:
        """The mean of `right`, with its spread over the seeds."""
        return over_seeds(self.right(arm, images, metric))

    def worst_middle(self) -> tuple[int, int]:
        """The middle number of images, and the seed whose encoder was worst with it."""
        images = self.sizes[1]
        return images, int(list(self.result["seeds"])[int(self.right("patches", images).argmin())])

    @property
    def arrangements(self) -> int:
        """How many different images there are without noise: pairs of rows for both bars, times pairs of columns."""
        places, patch = range(self.setting["side"] - BAR + 1), self.setting["patch"]
        pairs = [(one, other) for one in places for other in places]
        rows = [pair for pair in pairs if pair[0] != pair[1] and (pair[0] - pair[1]) % patch == 0]
        columns = [pair for pair in pairs if abs(pair[0] - pair[1]) >= BAR + patch - 1]
        return len(rows) * len(columns)

    def met(self, images: int) -> float:
        """The per cent of the arrangements that are among so many training images, on average.

        With A arrangements, a given one is in none of n images with probability (1 − 1/A)ⁿ.
        """
        return 100 * (1 - (1 - 1 / self.arrangements) ** images)

    def by_heart(self, images: int) -> float:
        """What a list of the arrangements in so many training images gets right, on average, guessing at the rest."""
        return (100 + self.met(images)) / 2

    @property
    def header(self) -> tuple[str, ...]:
        """Of :meth:`rows`."""
        return ("model", "parameters", *(f"{n:,} images" for n in self.sizes))

    def rows(self) -> list[tuple[str, ...]]:
        """A row per model: its size, and right labels of new images in per cent; then what a list would get."""
        models = [
            (
                name,
                f"{self.shared(f'{arm}_parameters'):,}",
                *(f"{self.at(arm, n):.1f}" if n in self.setting["arms"][arm] else "–" for n in self.sizes),
            )
            for arm, name in NAMES.items()
        ]
        return [*models, ("a list learned by heart (computed)", "–", *(f"{self.by_heart(n):.1f}" for n in self.sizes))]

    def numbers(self) -> dict[str, int | float]:
        """What the page's text is given, by name."""
        return {
            "patch_seeds": self.n_seeds,
            "patch_few": self.few,
            "patch_middle": self.sizes[1],
            "patch_many": self.many,
            "patch_steps": self.setting["steps"],
            "patch_batch": self.setting["batch"],
            "patch_tests": self.setting["tests"],
            "patch_seen_few": self.at("patches", self.few, "seen_right").value,
            "patch_right_few": self.at("patches", self.few).value,
            "patch_best_middle": float(self.right("patches", self.sizes[1]).max()),
            "patch_worst_middle": float(self.right("patches", self.sizes[1]).min()),
            "patch_conv_few": self.at("convolution", self.few).value,
            "patch_met": self.met(self.few),
            "patch_met_middle": self.met(self.sizes[1]),
            "patch_list_few": self.by_heart(self.few),
            "patch_arrangements": self.arrangements,
            "patch_times_first": self.sizes[1] // self.few,
        }


def read() -> PatchesOrConvolution:
    """The committed result."""
    return PatchesOrConvolution(experiments.read("patches-or-convolution"))
