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
HEADER = ("rows", "limit by bytes", "limit by arithmetic", "compiled step", "step of torch")
WEIGHTS_HEADER = ("weights", "megabytes read", "products, 1 row", "products, 64 rows")
STEPS = ("compiled", "float32")
"""The steps of the last two headings, both in single precision."""
IN_TABLE = (1, 4, 16, 64)
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
        return step_cost(self.config, batch, self.written, self.setting["src_len"])

    @property
    def written(self) -> int:
        """Tokens written before a step in the middle of those that were timed."""
        return self.setting["warm"] + (self.setting["steps"] + 1) // 2

    @property
    def weights_read(self) -> int:
        """The weights of a step."""
        return weights_of_a_step(self.config)

    def limits(self, batch: int) -> tuple[float, float]:
        """The least milliseconds for the products by weights in single precision: by bytes, and by arithmetic."""
        return 4 * self.weights_read / self.rate / 1e6, 2 * self.weights_read * batch / self.peak / 1e6

    def medians(self, weights: str, what: str) -> Float[np.ndarray, " batches"]:
        """Median milliseconds for each batch, of ``what``: "step" or "products"; of ``"compiled"`` weights the step."""
        return np.median(self.runs_of(f"{weights}_{what}_ms"), axis=1)

    def roof(self) -> tuple[list[float], list[float]]:
        """Operations per byte, and the most operations per second, in billions, that the two limits leave."""
        ends = [self.batches[0] / 2, self.balance, self.batches[-1] / 2]
        return ends, [min(self.peak, self.rate * x) for x in ends]

    def reached(self, steps: str) -> tuple[list[float], Float[np.ndarray, " batches"]]:
        """Operations per byte of weights, and the billions of operations per second of the steps by batch.

        Counted is what a step that skips nothing performs.
        """
        work = [2 * self.cost(batch).multiply_adds for batch in self.batches]
        return [batch / 2 for batch in self.batches], np.array(work) / self.medians(steps, "step") / 1e6

    def rows(self) -> list[tuple[str, ...]]:
        """A row per batch of :data:`IN_TABLE`, for :data:`HEADER`, in single precision."""
        times = [self.runs_of(f"{steps}_step_ms") for steps in STEPS]
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
        compiled, torchs = (self.medians(steps, "step") for steps in STEPS)
        single, half, eight = (self.medians(weights, "products") for weights in BYTES)
        rates, load, (by_bytes, by_arithmetic) = self.read_rates(), self.of("load"), self.limits(1)
        at = self.batches.index
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
            "arithmetic_ms": by_arithmetic,
            "bytes_ms": by_bytes,
            "alone_ms": compiled[0],
            "alone_over": compiled[0] / by_arithmetic,
            "busy_share": by_arithmetic / compiled[0],
            "four_over": compiled[at(4)] / compiled[0],
            "together_over": compiled[-1] / compiled[0],
            "last_batch": self.batches[-1],
            "unskipped_times": np.median(self.runs_of("unskipped_step_ms")[0] / self.runs_of("compiled_step_ms")[0]),
            "attention_share": self.cost(1).cached / self.cost(1).multiply_adds,
            "torch_alone": torchs[0],
            "torch_over": torchs[0] / compiled[0],
            "torch_last_over": torchs[-1] / compiled[-1],
            "sixteen": 16,
            "torch_sixteen_over": torchs[at(16)] / torchs[0],
            "written": self.written,
            "single_one": single[0],
            "half_one": half[0],
            "half_last_times": single[-1] / half[-1],
            "eight_alone": single[0] / eight[0],
            "eight_last_times": single[-1] / eight[-1],
            "eight_one": eight[0],
            "eight_bytes_ms": by_bytes / BYTES["float32"],
            "eight_step_ms": self.medians("int8", "step")[0],
            "eight_step": torchs[0] / self.medians("int8", "step")[0],
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
