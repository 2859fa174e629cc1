"""What *decoding-roofline* measured: the time of a step over the batch, beside the two limits of the machine."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ... import experiments
from ...models.config import TransformerConfig
from ...translation.fast.step_costs import StepCost, step_cost, weights_of_a_step
from ..reader import ResultReader

BYTES = {"float32": 4, "bfloat16": 2, "int8": 1}
"""Bytes per weight."""
HEADER = ("rows", "products: limit by bytes", "limit by arithmetic", "products, measured", "whole step, measured")
WEIGHTS_HEADER = ("weights", "megabytes read", "products, 1 row", "products, 64 rows")
IN_TABLE = (1, 2, 16, 64)
"""The batches of :meth:`DecodingRoofline.rows`; the figure shows all."""


@dataclass(frozen=True)
class DecodingRoofline(ResultReader):
    """The result, as its page reads it."""

    @property
    def config(self) -> TransformerConfig:
        """The shape of the translator that was measured."""
        return TransformerConfig.small()

    @property
    def batches(self) -> list[int]:
        """Rows that were decoded side by side, the fewest first."""
        return self.setting["batches"]

    def runs_of(self, metric: str) -> Float[np.ndarray, "*points runs"]:
        """What was measured, a row per point if there are several, the rounds of all seeds side by side."""
        return np.concatenate(list(self.of(metric)), axis=-1)

    @property
    def peak(self) -> float:
        """Billions of operations per second in a product of large matrices: the median."""
        return float(np.median(self.runs_of("peak_gflops")))

    def read_rates(self) -> Float[np.ndarray, "arrays runs"]:
        """Gigabytes per second for each array, by the faster of the two ways in each round."""
        return np.maximum(self.runs_of("read_sum"), self.runs_of("read_vector"))

    @property
    def rate(self) -> float:
        """Gigabytes per second that are read from an array of the size of a step's weights: the median."""
        return float(np.median(self.read_rates()[-1]))

    @property
    def balance(self) -> float:
        """Operations per byte at which both limits are equal."""
        return self.peak / self.rate

    def cost(self, batch: int) -> StepCost:
        """The work of a step in the middle of those that were timed."""
        written = self.setting["warm"] + (self.setting["steps"] + 1) // 2
        return step_cost(self.config, batch, written, self.setting["src_len"])

    @property
    def weights_read(self) -> int:
        """The weights of a step."""
        return weights_of_a_step(self.config)

    def limits(self, batch: int) -> tuple[float, float]:
        """The least milliseconds for the products by weights in single precision: by bytes, and by arithmetic."""
        return 4 * self.weights_read / self.rate / 1e6, 2 * self.weights_read * batch / self.peak / 1e6

    def medians(self, weights: str, what: str) -> Float[np.ndarray, " batches"]:
        """Median milliseconds for each batch, of ``what``: "step" or "products"."""
        return np.median(self.runs_of(f"{weights}_{what}_ms"), axis=1)

    def over_one(self, weights: str, batch: int) -> Float[np.ndarray, " runs"]:
        """How many times as long as with one row the products took with a batch, in each round by itself."""
        products = self.runs_of(f"{weights}_products_ms")
        return products[self.batches.index(batch)] / products[0]

    def two_numbers(self) -> dict[str, float | int]:
        """What the text says of two rows beside one, by name: rounds in single precision, and medians of all kinds."""
        over, two = self.over_one("float32", 2), self.batches.index(2)
        found: dict[str, float | int] = {
            "all_rounds": over.size,
            "unshared": int((over >= 2).sum()),
            "half_less": int((self.over_one("bfloat16", 2) < 1).sum()),
        }
        for name, weights in (("half", "bfloat16"), ("eight", "int8")):
            medians = self.medians(weights, "products")
            found |= {f"{name}_one": medians[0], f"{name}_two": medians[two]}
        return found

    def roof(self) -> tuple[list[float], list[float]]:
        """Operations per byte, and the most operations per second, in billions, that the two limits leave."""
        ends = [self.batches[0] / 2, self.balance, self.batches[-1] / 2]
        return ends, [min(self.peak, self.rate * x) for x in ends]

    def reached(self, what: str) -> tuple[list[float], Float[np.ndarray, " batches"]]:
        """Operations per byte of weights, and the billions of operations per second that were reached by batch."""
        work = [2 * (self.weights_read * b if what == "products" else self.cost(b).multiply_adds) for b in self.batches]
        return [b / 2 for b in self.batches], np.array(work) / self.medians("float32", what) / 1e6

    def rows(self) -> list[tuple[str, ...]]:
        """A row per batch of :data:`IN_TABLE`, for :data:`HEADER`, in single precision."""
        times = [self.runs_of(f"float32_{what}_ms") for what in ("products", "step")]
        rows = []
        for batch in IN_TABLE:
            limits = (f"{limit:.2f} ms" for limit in self.limits(batch))
            rows.append((str(batch), *limits, *(_told(each[self.batches.index(batch)]) for each in times)))
        return rows

    def weights_rows(self) -> list[tuple[str, ...]]:
        """A row per kind of weights, for :data:`WEIGHTS_HEADER`."""
        rows = []
        for weights, each in BYTES.items():
            products = self.runs_of(f"{weights}_products_ms")
            megabytes = f"{each * self.weights_read / 1e6:.1f}"
            rows.append((weights, megabytes, _told(products[0]), _told(products[-1])))
        return rows

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        products, step = (self.medians("float32", what) for what in ("products", "step"))
        rates, load = self.read_rates(), self.of("load")
        return {
            "weights_read": self.weights_read,
            "peak": self.peak,
            "rate": self.rate,
            "rate_least": rates[-1].min(),
            "rate_most": rates[-1].max(),
            "rate_small": np.median(rates[0]),
            "rate_large": np.median(rates[-2]),
            "large_mb": self.setting["array_mb"][-1],
            "balance_batch": 2 * self.balance,
            "arithmetic_ms": self.limits(1)[1],
            "alone_ms": step[0],
            "products_alone": products[0],
            "alone_over": step[0] / self.limits(1)[1],
            "two_over": products[self.batches.index(2)] / products[0],
            **self.two_numbers(),
            "sixteen": 16,
            "sixteen_over": products[self.batches.index(16)] / products[0],
            "step_ratio": step[-1] / step[0],
            "eight_alone": products[0] / self.medians("int8", "products")[0],
            "eight_step": step[0] / self.medians("int8", "step")[0],
            "roof_runs": self.runs_of("peak_gflops").shape[0],
            "roof_processor": self.result["machine"]["processor"],
            "roof_load_least": load.min(),
            "roof_load_most": load.max(),
        }


def _told(times: Float[np.ndarray, " runs"]) -> str:
    return f"{np.median(times):.2f} ms ({times.min():.2f} to {times.max():.2f})"


def read() -> DecodingRoofline:
    """The result on record."""
    return DecodingRoofline(experiments.read("decoding-roofline"))
