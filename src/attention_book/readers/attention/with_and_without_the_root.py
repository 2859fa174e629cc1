"""What *with-and-without-the-root* measured: how the five arms begin, when they come close, and how they end."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Num

from ... import experiments
from ...analysis.seed_statistics import Measured, number, over_seeds
from ..reader import ResultReader

NAMES = {
    "divided": "divided",
    "undivided": "undivided",
    "folded": "folded",
    "glorot_divided": "Glorot, divided",
    "glorot_undivided": "Glorot, undivided",
}
"""The arms of the experiment, as the page calls them."""
THREE = ("divided", "undivided", "folded")
"""The arms that differ in the place of the root alone."""
TWO = ("divided", "undivided")
"""Those of *Does it matter?*; *One function, two speeds* adds the other."""
GLOROT = ("glorot_divided", "glorot_undivided")


@dataclass(frozen=True)
class WithAndWithoutTheRoot(ResultReader):
    """The result, as its page reads it."""

    @property
    def widths(self) -> list[int]:
        """The widths of queries and keys, the smallest first."""
        return self.setting["widths"]

    @property
    def floor(self) -> float:
        """The least possible loss, in nats per token."""
        return self.shared("floor")

    @property
    def by_width(self) -> list[str]:
        """A heading per width."""
        return [f"width {width}" for width in self.widths]

    def glorot_rows(self) -> list[tuple[str, ...]]:
        """Two rows per Glorot arm: the spread of a row's scores before the first step, and the steps until close."""
        start = lambda arm, width: number(self._start(arm, width, "spread").value, ".2f")  # noqa: E731
        rows = ((arm, *said) for arm in GLOROT for said in (("spread", start), ("steps", self.steps_until_close)))
        return [
            (f"{NAMES[arm].split(', ')[1]}, {what}", *(cell(arm, w) for w in self.widths)) for arm, what, cell in rows
        ]

    def _start(self, arm: str, width: int, kind: str) -> Measured:
        return self.measured(f"{arm}/{width}/start_encoder_{kind}")

    def loss_lines(
        self, arms: Iterable[str] = THREE
    ) -> dict[str, tuple[Num[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """Steps and training loss at the largest width, mean over seeds, by name; and the least possible."""
        curves = {NAMES[arm]: self.mean_loss(arm) for arm in arms}
        (at, _), *_ = curves.values()
        return curves | {"least possible": (at, np.full(len(at), self.floor))}

    def mean_loss(self, arm: str) -> tuple[Num[np.ndarray, " points"], Float[np.ndarray, " points"]]:
        """Steps and training loss of an arm at the largest width, mean over seeds."""
        at = self.setting["every"] * np.arange(1, self.setting["steps"] // self.setting["every"] + 1)
        return at, self._loss_curve(arm)

    def _loss_curve(self, arm: str) -> Float[np.ndarray, " points"]:
        return self.of(f"{arm}/{self.widths[-1]}/loss_curve").mean(0)

    def loss_told(self, arms: Iterable[str] = THREE) -> str:
        """The lines of :meth:`loss_lines` in words."""
        early = 200 // self.setting["every"] - 1
        lines = ((NAMES[arm], self._loss_curve(arm)) for arm in arms)
        told = [f"{name}: {line[early]:.2f} after 200 steps, {line[-1]:.2f} at the end." for name, line in lines]
        steps = self.setting["steps"]
        return " ".join(
            [f"Training loss at width {self.widths[-1]}, mean of {self.n_seeds} seeds, over {steps} steps.", *told]
        )

    def seed_lines(self) -> dict[str, tuple[Num[np.ndarray, " points"], Float[np.ndarray, " points"]]]:
        """The line of *divided* in :meth:`loss_lines`, and every undivided run by itself."""
        at, divided = self.loss_lines(("divided",))["divided"]
        runs = enumerate(self.of(f"undivided/{self.widths[-1]}/loss_curve"))
        return {"divided": (at, divided)} | {f"undivided, seed {n}": (at, curve) for n, curve in runs}

    def seeds_told(self) -> str:
        """The undivided lines of :meth:`seed_lines` in words, and the others as :meth:`loss_told` does."""
        told = self.loss_told(("divided",))
        ends = ", ".join(f"{line[-1]:.2f}" for name, (_, line) in self.seed_lines().items() if name != "divided")
        return f"{told} Undivided, every run by itself: {ends} at the end. Least possible: {self.floor:.2f}."

    def never_close(self, arm: str, width: int) -> int:
        """In how many seeds an arm does not come close to the least possible loss."""
        return int((self.of(f"{arm}/{width}/close_at") > self.setting["steps"]).sum())

    def steps_until_close(self, arm: str, width: int) -> str:
        """Mean and standard deviation over seeds, or how many seeds do not come close."""
        if never := self.never_close(arm, width):
            return f"not in {self.setting['steps']} ({never} of {self.n_seeds} seeds)"
        return f"{self.measured(f'{arm}/{width}/close_at'):.0f}"

    def close_rows(self, arms: Iterable[str] = tuple(NAMES)) -> list[tuple[str, ...]]:
        """A row per arm: steps until close, by width."""
        return [(NAMES[arm], *(self.steps_until_close(arm, w) for w in self.widths)) for arm in arms]

    def left(self, arm: str, width: int) -> Measured:
        """How far above the least possible loss an arm ends, in nats per token."""
        end = self.measured(f"{arm}/{width}/end_loss")
        return Measured(end.value - self.floor, end.spread, end.kind, end.n)

    def most_left_of_the_others(self) -> float:
        """The largest mean loss above the least possible, in nats, of all arms but the widest undivided one."""
        worst = ("undivided", self.widths[-1])
        return max(self.left(*which).value for which in self._all() if which != worst)

    def most_left_of_one_run(self) -> float:
        """The same of a single run: the largest loss above the least possible, of all arms and seeds but those."""
        worst = ("undivided", self.widths[-1])
        ends = [self.seed_ends(*which) for which in self._all() if which != worst]
        return float(max(map(np.max, ends))) - self.floor

    def seed_ends(self, arm: str, width: int) -> Float[np.ndarray, " seeds"]:
        """The loss on new sentences after training, per seed."""
        return self.of(f"{arm}/{width}/end_loss")

    def _all(self) -> Iterator[tuple[str, int]]:
        return ((arm, width) for arm in NAMES for width in self.widths)

    def first_gradient(self, arm: str, width: int) -> Measured:
        """Norm of the gradient with respect to all W_Q, mean of the first ``every`` steps."""
        return over_seeds(self.of(f"{arm}/{width}/w_q_curve")[:, 0])

    def gradient_ratio(self, width: int, arm: str = "undivided") -> float:
        """How many times larger the first gradient is without the division."""
        return self.first_gradient(arm, width).value / self.first_gradient("divided", width).value

    def saturated(self, when: str, by_rank: int) -> float:
        """The share of saturated encoder queries of one widest undivided model, by its rank in words right.

        Args:
            when: ``"start"`` or ``"end"``.
            by_rank: 0 is the seed with the fewest words right at the end, -1 the one with the most.
        """
        name = f"undivided/{self.widths[-1]}"
        return float(self.of(f"{name}/{when}_encoder_saturated")[self.of(f"{name}/end_right").argsort()[by_rank]])

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        wide = self.widths[-1]
        mean = lambda arm, what: self.measured(f"{arm}/{wide}/end_{what}").value  # noqa: E731
        return {
            "widths": ", ".join(map(str, self.widths)),
            **{name: self.setting[name] for name in ("length", "synonyms", "steps", "every", "close")},
            "n_seeds": self.n_seeds,
            **{f"{arm}_{w}": self.steps_until_close(arm, w) for arm, w in self._all()},
            "left": f"{self.left('undivided', wide):.2f}",
            "right": 100 * mean("undivided", "right"),
            "right_best": 100 * float(self.of(f"undivided/{wide}/end_right").max()),
            "right_worst": 100 * float(self.of(f"undivided/{wide}/end_right").min()),
            "others": _rounded_up(self.most_left_of_the_others()),
            "other_run": _rounded_up(self.most_left_of_one_run()),
            "flat_spread": self._start("glorot_divided", wide, "spread").value,
            "saturated_256": 100 * self._start("undivided", wide, "saturated").value,
            "saturated_best_start": 100 * self.saturated("start", -1),
            "saturated_best_end": 100 * self.saturated("end", -1),
            "folded_saturated_end": 100 * mean("folded", "encoder_saturated"),
            "folded_right": 100 * mean("folded", "right"),
            "ratio_256": self.gradient_ratio(wide),
            "ratio_folded": self.gradient_ratio(wide, "folded"),
        }


def _rounded_up(loss: float) -> float:
    """To the next hundredth, for a text that says *within*."""
    return math.ceil(100 * loss) / 100


def read() -> WithAndWithoutTheRoot:
    """The result on record."""
    return WithAndWithoutTheRoot(experiments.read("with-and-without-the-root"))


def read_large_start() -> WithAndWithoutTheRoot:
    """The result of the arm with the large start and the small rate, whose runs are measured alike."""
    return WithAndWithoutTheRoot(experiments.read("large-start-small-rate"))
