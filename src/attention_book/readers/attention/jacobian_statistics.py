"""What *jacobian-statistics* measured: how large softmax Jacobians are with the division by √d_k and without it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Num

from ... import experiments
from ...analysis.seed_statistics import Measured, crossing, number, over_seeds
from ...pages.significant_digits import compact
from ...studies.attention.order_statistics import mean_of_the_largest, typical_crossing
from ..reader import ResultReader

Points = Float[np.ndarray, " points"]

ARMS = ("undivided", "divided")
POPULAR = "popular"
"""The setting in which the scores of n keys have the variance n; the others are ``keys_N``, over the width."""
PICTURED = (4, 8, 16, 32, 64)
"""The sizes of the popular picture."""
STATISTICS = ("sd", "mean_size", "median", "dead_share")
DRAWN = {
    "undivided, mean of the draws": "undivided/frobenius/mean",
    "undivided, median draw": "undivided/frobenius/median",
    "divided, mean of the draws": "divided/frobenius/mean",
}


@dataclass(frozen=True)
class JacobiansOnRecord(ResultReader):
    """The result, as its page reads it."""

    @property
    def sizes(self) -> list[int]:
        """The numbers of keys in the popular setting, the smallest first."""
        return self.setting["sizes"]

    @property
    def widths(self) -> list[int]:
        """The widths d_k in the other settings, the smallest first."""
        return self.setting["widths"]

    @property
    def keys(self) -> list[int]:
        """The numbers of keys in the other settings."""
        return self.setting["keys"]

    def values(self, name: str, setting: str = POPULAR) -> Float[np.ndarray, "seeds points"]:
        """A metric, one row per seed and one number per size or width."""
        return self.of(f"{setting}/{name}")

    def curve(self, name: str, setting: str = POPULAR) -> Points:
        """A metric by size or width, mean over the seeds."""
        return self.values(name, setting).mean(axis=0)

    def change(self, name: str, setting: str = POPULAR) -> Points:
        """How many times as large the division makes a statistic, such as ``frobenius/mean``, by size or width."""
        return self.curve(f"divided/{name}", setting) / self.curve(f"undivided/{name}", setting)

    def change_by_weights(self, name: str) -> Points:
        """The same in the popular setting, without the factor 1/C = 1/√n in front of the divided Jacobian."""
        return self.change(name) * np.sqrt(self.sizes)

    def crossing(self, name: str, setting: str = POPULAR) -> Measured | None:
        """From which size or width on the divided Jacobian has the larger statistic, or None if it never has.

        Read off straight lines between powers of two, which puts it some per cent away from where it is.
        """
        x = np.array(self.sizes if setting == POPULAR else self.widths)
        return crossing(x, *(self.values(f"{arm}/{name}", setting) for arm in ("divided", "undivided")))

    def raised(self, statistic: str, n: int) -> float:
        """In what share of the draws of n keys the division makes a statistic larger in absolute value."""
        return float(self.curve(f"raised/{statistic}")[self.sizes.index(n)])

    def statistic(self, name: str, arm: str, n: int) -> Measured:
        """The mean of a statistic over the draws of n keys, with its standard error over the seeds."""
        return over_seeds(self.values(f"{arm}/{name}/mean")[:, self.sizes.index(n)], "error")

    def relative_errors(self, names: tuple[str, ...]) -> list[float]:
        """Standard error over mean, for some statistics at the pictured sizes."""
        found = [self.statistic(name, arm, n) for n in PICTURED for arm in ARMS for name in names]
        return [abs(it.spread / it.value) for it in found]

    def statistic_rows(self, sizes: Sequence[int] = PICTURED) -> list[tuple[str, ...]]:
        """A row per size and arm: the means over the draws, those of entries in thousandths.

        Args:
            sizes: numbers of keys.
        """
        return [
            (str(n), c, *(self._statistic_cell(name, arm, n) for name in STATISTICS))
            for n in sizes
            for arm, c in zip(ARMS, ("1", f"√{n}"), strict=True)
        ]

    def statistic_header(self) -> list[str]:
        """The headings of :meth:`statistic_rows`."""
        return ["n", "C", "SD of entries", "mean size", "median entry", "dead entries"]

    def _statistic_cell(self, name: str, arm: str, n: int) -> str:
        value = self.statistic(name, arm, n).value
        return number(value, ".1%") if name == "dead_share" else compact(1000 * value)

    def norm_lines(self) -> dict[str, tuple[Num[np.ndarray, " points"], Points]]:
        """Sizes and Frobenius norm in the popular setting, by name."""
        return {name: (np.array(self.sizes), self.curve(metric)) for name, metric in DRAWN.items()}

    def norms_told(self) -> str:
        """The lines of :meth:`norm_lines` in words."""
        at, last = self.sizes.index(64), self.sizes[-1]
        told = [
            f"{name}: {compact(y[0])} at n = {self.sizes[0]}, {compact(y[at])} at 64, {compact(y[-1])} at {last}."
            for name, (_, y) in self.norm_lines().items()
        ]
        return " ".join(["Frobenius norm against n, both axes logarithmic.", *told])

    def norm_times_root(self, arm: str, n: int) -> Points:
        """The mean norm for n keys, times √d_k, by width."""
        return self.curve(f"{arm}/frobenius/mean", f"keys_{n}") * np.sqrt(self.widths)

    def short_of_the_limit(self, n: int) -> float:
        """By what share the undivided mean norm, times √d_k, falls short of m_n at the largest width."""
        return 1 - float(self.norm_times_root("undivided", n)[-1]) / mean_of_the_largest(n)

    def key_crossings(
        self, search: Callable[[int, int, int], Measured] = typical_crossing
    ) -> dict[int, Measured | None]:
        """From which width on the typical undivided norm is the smaller one, searched between two widths on record.

        Args:
            search: finds it, given the number of keys, a width below and one above.

        Returns:
            For each number of keys the crossing, or None if it is not between the widths.
        """
        read_off = {n: self.crossing("frobenius/median", f"keys_{n}") for n in self.keys}
        return {n: where and search(n, *self._around(where.value)) for n, where in read_off.items()}

    def _around(self, place: float) -> tuple[int, int]:
        at = int(np.searchsorted(self.widths, place))
        return self.widths[at - 1], self.widths[at]

    def key_rows(self, crossings: Mapping[int, Measured | None]) -> list[tuple[str, ...]]:
        """A row per number of keys: what the mean norms tend to, and where the median draws cross.

        Args:
            crossings: those of :meth:`key_crossings`.
        """
        return [self._key_row(n, crossings[n]) for n in self.keys]

    def key_header(self) -> list[str]:
        """The headings of :meth:`key_rows`."""
        ratio = f"ratio at {self.widths[-1]}"
        norms = ["undivided mean norm · √d_k", "divided mean norm · √d_k, c_n"]
        return ["keys n", "m_n", *norms, ratio, "median draws cross at d_k = (± s.e.)"]

    def _key_row(self, n: int, where: Measured | None) -> tuple[str, ...]:
        raw, flat = (self.norm_times_root(arm, n) for arm in ARMS)
        return (
            str(n),
            f"{mean_of_the_largest(n):.2f}",
            f"{raw[-2]:.2f}, {raw[-1]:.2f}",
            f"{flat[-2]:.3f}, {flat[-1]:.3f}",
            f"{raw[-1] / flat[-1]:.1f}",
            f"{where:.0f}" if where else f"beyond {self.widths[-1]}",
        )

    def factor_rows(self) -> list[tuple[str, ...]]:
        """A row per size, some left out: what the division does to the mean norm, and which part its weights do."""
        norm, factor = self.change("frobenius/mean"), 1 / np.sqrt(self.sizes)
        by_weights = [self.change_by_weights(f"{name}/mean") for name in ("frobenius", "mean_size")]
        return [
            (str(n), f"{norm[i]:.4f}", f"{factor[i]:.4f}", *(f"{y[i]:.2f}" for y in by_weights))
            for i, n in enumerate(self.sizes)
            if n in (*PICTURED, 512, 8192)
        ]

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        norm, size = 1 / self.change("frobenius/mean"), 1 / self.change("mean_size/mean")
        typical = dict(zip(self.widths, 1 / self.change("frobenius/median", "keys_8"), strict=True))
        at = self.sizes.index
        return {
            "stat_draws": self.setting["draws"] * self.n_seeds,
            "rel_error": 100 * max(self.relative_errors(("sd", "mean_size"))),
            "lower_8192": norm[at(8192)],
            "size_64": size[at(64)],
            "frobenius_at": rounded(self.crossing("frobenius/median").value),
            **{f"share_{n}": 100 * self.raised("frobenius", n) for n in (64, 8192)},
            "typical_8_wide": typical[128],
            "short": 100 * max(map(self.short_of_the_limit, self.keys)),
        }


def rounded(place: float) -> str:
    """A crossing to two digits, as "1,300": more are not known of one that is read off a straight line."""
    return f"{float(f'{place:.2g}'):,.0f}"


def read() -> JacobiansOnRecord:
    """The result on record."""
    return JacobiansOnRecord(experiments.read("jacobian-statistics"))
