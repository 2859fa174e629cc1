"""Runs a named experiment, writes what it measured into ``results/NAME.json``, and reads it back.

The file holds the experiment's question, its configuration and what each seed gave; the machine, the versions, the
date, the time; and a digest of the code that ran, so that a test can say when a result is older than its code.
"""

import json
import time
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from tqdm import tqdm

from .. import paths
from ..models.checkpoints import write_json
from ..provenance import code_digest, environment

ENTRIES = ("CONFIGURATION", "SEEDS", "run_seed")
"""What an experiment computes; its question is no part of it."""


class UnknownExperiment(ValueError):
    """There is no experiment of that name; the message lists those there are."""


def names() -> list[str]:
    """The experiments there are."""
    return sorted(_homes())


def _homes() -> dict[str, str]:
    """The module of each experiment; a folder of this package holds those of one part of the book, and nothing else."""
    here = Path(__file__).parent
    parts = [found.name for found in iter_modules([str(here)]) if found.ispkg]
    return {
        found.name.replace("_", "-"): f".{part}.{found.name}"
        for part in parts
        for found in iter_modules([str(here / part)])
    }


def _module(name: str):
    if name not in names():
        raise UnknownExperiment(f"no experiment {name!r}; there are: {', '.join(names())}")
    return import_module(_homes()[name], __package__)


def results_folder() -> Path:
    """Where the book's results are: ``results/`` of the checkout, or the copy that an installed package carries."""
    return paths.folder("results")


def own_folder() -> Path:
    """Where a run writes its result: ``results/`` of the checkout, or of the current folder if there is none."""
    return (paths.checkout() or Path.cwd()) / "results"


def digest(name: str) -> str:
    """The fingerprint of what the experiment computes today: its configuration, its seeds, and what a seed runs."""
    return code_digest.code_digest(_module(name).__name__, *ENTRIES)


def seed_digest(name: str) -> str:
    """The fingerprint of what one seed computes today: :func:`digest` without the list of seeds."""
    return code_digest.code_digest(_module(name).__name__, *(entry for entry in ENTRIES if entry != "SEEDS"))


def missing_seeds(name: str, seeds: Iterable[str]) -> list[str]:
    """The seeds that the experiment has today and a record of it lacks, as an interrupted run leaves it."""
    there = set(seeds)
    return [str(seed) for seed in _module(name).SEEDS if str(seed) not in there]


def run(name: str, folder: Path | None = None, progress: bool = True, resume: bool = False) -> Path:
    """Run an experiment with all its seeds and write what it measured.

    Args:
        name: one of :func:`names`.
        folder: where ``NAME.json`` goes; :func:`own_folder` if None.
        progress: show a progress bar over the seeds.
        resume: keep the seeds of the file that is there, if a seed computes today what it did then, and run only those
            that it lacks; and write the file after each, with an empty ``code_digest`` as long as a seed is missing.
            The seconds of both are added; machine, versions and date are those of the last run.

    Returns:
        The file written.

    Raises:
        UnknownExperiment: if there is no such experiment.
        CheckpointError: if the file cannot be written; an earlier one is kept.
    """
    module = _module(name)
    path = Path(folder or own_folder()) / f"{name}.json"
    seeds, before = _kept(name, path) if resume else ({}, 0.0)
    began = time.monotonic()
    for seed in tqdm(module.SEEDS, desc=name, unit="seed", disable=not progress):
        if str(seed) in seeds:
            continue
        seeds[str(seed)] = module.run_seed(seed, module.CONFIGURATION)
        if resume:
            _write(path, name, seeds, before + time.monotonic() - began)
    _write(path, name, {str(seed): seeds[str(seed)] for seed in module.SEEDS}, before + time.monotonic() - began)
    return path


def _kept(name: str, path: Path) -> tuple[dict[str, Any], float]:
    """The seeds that a file has and that today's code would give again, and the seconds that they took."""
    if not path.exists():
        return {}, 0.0
    earlier = json.loads(path.read_text(encoding="utf-8"))
    if earlier.get("seed_digest") != seed_digest(name):
        return {}, 0.0
    return earlier["seeds"], earlier["seconds"]


def _write(path: Path, name: str, seeds: dict[str, Any], seconds: float) -> None:
    module = _module(name)
    write_json(
        path,
        {
            "experiment": name,
            "question": module.QUESTION,
            "command": f"python -m attention_book experiment {name}",
            "configuration": module.CONFIGURATION,
            "seeds": seeds,
            "tokens": sum(metrics["tokens"] for metrics in seeds.values()),
            "seconds": round(seconds, 1),
            "machine": environment.machine(),
            "versions": environment.versions(),
            "date": environment.today(),
            "code_digest": "" if missing_seeds(name, seeds) else digest(name),
            "seed_digest": seed_digest(name),
        },
    )


def read(name: str, folder: Path | None = None) -> dict[str, Any]:
    """What an experiment measured, from its file.

    Args:
        name: one of :func:`names`.
        folder: where ``NAME.json`` lies. If None, a result of the reader's own (:func:`own_folder`) comes before the
            book's (:func:`results_folder`).

    Raises:
        FileNotFoundError: if it has not been run; the message names the command.
    """
    places = [Path(place) / f"{name}.json" for place in ([folder] if folder else [own_folder(), results_folder()])]
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise FileNotFoundError(f"{places[-1]} does not exist: run `python -m attention_book experiment {name}`")
    return json.loads(path.read_text(encoding="utf-8"))
