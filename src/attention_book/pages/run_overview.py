"""All runs on record at a glance: how many there are of each kind, what they cost, and where they were made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..experiments import records
from ..experiments.records import KINDS, Run
from . import measurements


@dataclass(frozen=True)
class RunOverview:
    """The runs, as the page of measurements lists them.

    Attributes:
        runs: at least one, as :func:`attention_book.experiments.records.on_record` returns them.
        read_by: the pages that read each, by name.
        titles: what to call each page.
    """

    runs: Sequence[Run]
    read_by: Mapping[str, Sequence[str]]
    titles: Mapping[str, str]

    @classmethod
    def of(cls, pages: Iterable[Path]) -> "RunOverview":
        """The book's runs.

        Args:
            pages: the sources of its pages, in which the readers are found.
        """
        pages = list(pages)
        return cls(records.on_record(), measurements.readers(pages), measurements.titles(pages))

    def of_kind(self, kind: str) -> list[Run]:
        """The runs of one of the four kinds."""
        return [run for run in self.runs if run.kind == kind]

    def as_html(self, kind: str) -> str:
        """What is known about each run of a kind."""
        return measurements.as_html(self.of_kind(kind), self.read_by, self.titles)

    def cost_rows(self) -> list[tuple[str, str, str, str]]:
        """A row per kind, and one for all: runs, core hours, and millions of tokens."""
        return [*(_cost(kind, self.of_kind(kind)) for kind in KINDS), _cost("all", self.runs)]

    @property
    def longest(self) -> Run:
        """The run that took the most time."""
        return max(self.runs, key=lambda run: run.seconds)

    @property
    def machines(self) -> list[str]:
        """The kinds of machine, in words."""
        return sorted({measurements.machine(run) for run in self.runs})

    @property
    def libraries(self) -> list[str]:
        """Each library with its version."""
        return sorted({f"{name} {version}" for run in self.runs for name, version in run.versions.items()})

    def numbers(self) -> dict[str, float | int | str]:
        """What the page's text is given, by name."""
        models = sum(run.digest is None for run in self.runs)
        spread = sum(len(run.seeds) > 1 for run in self.runs)
        return {
            "n_runs": len(self.runs),
            "n_models": models,
            "models_plural": "" if models == 1 else "s",
            "n_experiments": len(self.runs) - models,
            "n_spread": spread,
            "n_single": len(self.runs) - spread,
            "hours": measurements.core_hours(self.runs),
            "longest": self.longest.name,
            "longest_hours": self.longest.seconds / 3600,
            "n_machines": len(self.machines),
            "machines": "; ".join(self.machines),
            "machines_plural": "" if len(self.machines) == 1 else "s",
            "libraries": ", ".join(self.libraries),
        }


def _cost(name: str, runs: Sequence[Run]) -> tuple[str, str, str, str]:
    tokens = sum(run.tokens for run in runs)
    hours = measurements.core_hours(runs)
    return name, str(len(runs)), f"{hours:.1f}", f"{tokens / 1e6:.1f}" if tokens else "none"
