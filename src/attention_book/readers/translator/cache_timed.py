"""What *cache-timed* measured: the processor time of decoding with and without the caches."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...studies.translator.decoder_caches import NAMES
from ..reader import ResultReader


@dataclass(frozen=True)
class CacheTimed(ResultReader):
    """The result, as its page reads it."""

    @property
    def lengths(self) -> list[int]:
        """Numbers of target tokens, the smallest first."""
        return self.setting["lengths"]

    @property
    def longest(self) -> tuple[int, int]:
        """Target and source tokens of the longest translation."""
        return self.lengths[-1], self.setting["src_len"]

    @property
    def batches(self) -> list[int]:
        """Sentences that were decoded side by side."""
        return self.setting["batches"]

    def times(self, batch: int, way: str) -> Float[np.ndarray, "lengths runs"]:
        """Processor times in milliseconds: a row per length, the runs of all seeds side by side."""
        return np.concatenate(list(self.of(f"{batch}/{way}_ms")), axis=1)

    def medians(self, batch: int, way: str) -> Float[np.ndarray, " lengths"]:
        """The median time for each length, in milliseconds."""
        return np.median(self.times(batch, way), axis=1)

    def saved(self, batch: int, way: str = "both") -> Float[np.ndarray, " lengths"]:
        """How many times as long it takes to keep nothing as to decode in a way, for each length: ratios of medians."""
        return self.medians(batch, "nothing") / self.medians(batch, way)

    @property
    def largest_difference(self) -> float:
        """The largest difference of any log-probability from that without a cache."""
        return max(float(self.of(f"{batch}/{way}_difference").max()) for batch in self.batches for way in NAMES)

    @property
    def load(self) -> tuple[float, float]:
        """The least and the largest load of the machine, before or after a seed."""
        return float(self.of("load").min()), float(self.of("load").max())

    def lines(self) -> dict[str, tuple[list[int], Float[np.ndarray, " lengths"]]]:
        """Lengths and milliseconds per token and sentence, with nothing kept and with both, by name."""
        return {
            f"{said}, batch {batch}": (self.lengths, self.medians(batch, way) / np.array(self.lengths) / batch)
            for batch in self.batches
            for way, said in (("nothing", "no cache"), ("both", "cache"))
        }

    def lines_told(self) -> str:
        """The lines of :meth:`lines` in words."""
        told = ["Milliseconds per token of one sentence, by number of target tokens, logarithmic axes."]
        for name, (_, spent) in self.lines().items():
            told.append(f"{name[0].upper()}{name[1:]}: {spent[0]:.2f} for {self.lengths[0]}, {spent[-1]:.2f} for "
                        f"{self.lengths[-1]}.")  # fmt: skip
        return " ".join(told)

    @property
    def header(self) -> tuple[str, ...]:
        """The headings of :meth:`rows`."""
        return ("keys and values kept", *(f"batch {batch}" for batch in self.batches))

    def rows(self) -> list[tuple[str, ...]]:
        """A row per way: the time for the longest target by batch, with the least and the most."""
        rows = []
        for way, name in NAMES.items():
            times = [self.times(batch, way)[-1] for batch in self.batches]
            rows.append((name, *(f"{np.median(t):,.0f} ms ({t.min():,.0f} to {t.max():,.0f})" for t in times)))
        return rows

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        small, large = self.batches[0], self.batches[-1]
        return {
            "timed_longest": self.longest[0],
            "timed_source": self.longest[1],
            "timed_runs": self.times(small, "both").shape[1],
            "timed_processor": self.result["machine"]["processor"],
            "timed_difference": self.largest_difference,
            "timed_batch": large,
            "saved_alone": self.saved(small)[-1],
            "saved_own": self.saved(small, "own")[-1],
            "saved_source": self.saved(small, "source")[-1],
            "load_least": self.load[0],
            "load_most": self.load[1],
        }


def read() -> CacheTimed:
    """The result on record."""
    return CacheTimed(experiments.read("cache-timed"))
