"""The runs that the book has on record: what was asked, how, where, and for how long."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import experiments
from ..paths import PRETRAINED

MECHANISM = "mechanism"
"""Something was trained here, on data of our own making."""
REAL = "real"
"""A model was trained, or words were counted, on pairs from Tatoeba."""
STATISTICS = "statistics"
"""Numbers were drawn, computed or timed; nothing was trained."""
SHIPPED = "shipped"
"""Translators that come with the book were examined, or one of which it keeps the record, on sentences new to them."""
KINDS = (MECHANISM, REAL, STATISTICS, SHIPPED)
KIND_OF = {
    "ablations": MECHANISM,
    "asked-memory": SHIPPED,
    "attributions": MECHANISM,
    "attributions-of-en-es": SHIPPED,
    "batch-sizes": MECHANISM,
    "beam-sizes": SHIPPED,
    "bottleneck": MECHANISM,
    "cache-timed": SHIPPED,
    "captioned-pictures": MECHANISM,
    "cheating-decoder": MECHANISM,
    "counting-little-language": MECHANISM,
    "counting-tatoeba": REAL,
    "cross-attention-links": MECHANISM,
    "decoding-roofline": SHIPPED,
    "embedding-scale": MECHANISM,
    "english-hindi": REAL,
    "english-hindi-pieces": REAL,
    "english-hindi-shuffled": REAL,
    "english-hindi-table": REAL,
    "fed-itself": MECHANISM,
    "filling-gaps": MECHANISM,
    "hundred-sentences": SHIPPED,
    "jacobian-statistics": STATISTICS,
    "large-start-small-rate": MECHANISM,
    "learning-curve": REAL,
    "links-by-hand": SHIPPED,
    "look-elsewhere": MECHANISM,
    "losses-by-token": SHIPPED,
    "narrow-heads": MECHANISM,
    "norm-placement": MECHANISM,
    "one-pass": STATISTICS,
    "one-stack-or-two": MECHANISM,
    "own-sentences": SHIPPED,
    "patches-or-convolution": MECHANISM,
    "piece-lengths": REAL,
    "positions-compared": MECHANISM,
    "pronoun-sentences": SHIPPED,
    "reaching-back": MECHANISM,
    "recall-of-lists": MECHANISM,
    "recipe-in-parts": REAL,
    "removing-heads": SHIPPED,
    "rounded-weights": SHIPPED,
    "scores-compared": MECHANISM,
    "sixteen-rows": STATISTICS,
    "taught-translator": SHIPPED,
    "three-uses": SHIPPED,
    "tiles-timed": STATISTICS,
    "training-switches": MECHANISM,
    "translators-compared": SHIPPED,
    "two-lookups": MECHANISM,
    "verdict": SHIPPED,
    "vocabulary-sizes": REAL,
    "what-labels-teach": MECHANISM,
    "width-and-sharpness": STATISTICS,
    "with-and-without-the-root": MECHANISM,
    "word-endings": MECHANISM,
}
"""The kind of each experiment. It stands here and not in the experiments, whose code has a digest."""


@dataclass(frozen=True)
class Run:
    """One run on record; a field that its file lacks is empty.

    Attributes:
        name: of the experiment, or of the trained model.
        file: where it is on record, from the book's folder.
        kind: one of `KINDS`; empty if nobody has said which.
        question: what it was to answer.
        command: what to type to run it again.
        seeds: what chance was drawn from, one entry a repetition.
        tokens: target tokens trained on, over all seeds.
        seconds: wall-clock time, over all seeds.
        machine, versions: as `environment.machine` and `environment.versions` gave them.
        date: in UTC.
        digest: fingerprint of the code that ran; None for trained models, which are what they are whatever the code.
    """

    name: str
    file: str
    kind: str
    question: str
    command: str
    seeds: tuple[str, ...]
    tokens: int
    seconds: int | float
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    date: str
    digest: str | None


def on_record(results: Path | None = None, pretrained: Path = PRETRAINED) -> list[Run]:
    """All runs: the experiments, then the trained models, each by name.

    Args:
        results: the folder with ``NAME.json`` of the experiments, and ``real/NAME.json`` of models that are not
            shipped; `experiments.results_folder` if None.
        pretrained: the folder with the shipped models, each with its ``results.json``.
    """
    results = Path(results or experiments.results_folder())
    measured = [_experiment(path, f"results/{path.name}") for path in sorted(results.glob("*.json"))]
    trained = {path.stem: (path, f"results/real/{path.name}") for path in (results / "real").glob("*.json")}
    for path in pretrained.glob("*/results.json"):
        name = path.parent.name
        trained[name] = path, f"src/attention_book/pretrained/{name}/{path.name}"
    return measured + [_model(name, *places) for name, places in sorted(trained.items())]


def recorded(name: str, results: Path | None = None, pretrained: Path = PRETRAINED) -> dict[str, Any]:
    """The whole record of a trained model: its command, its curve, its scores.

    Args:
        name: of a shipped model, such as ``"en-es"``, or of one of which the book keeps the record alone.
        results, pretrained: as for `on_record`.

    Raises:
        FileNotFoundError: if there is no such record; the message names those there are.
    """
    kept = Path(results or experiments.results_folder()) / "real"
    for path in (pretrained / name / "results.json", kept / f"{name}.json"):
        if path.is_file():
            return json.loads(path.read_text(encoding="utf-8"))
    known = [path.parent.name for path in pretrained.glob("*/results.json")] + [p.stem for p in kept.glob("*.json")]
    raise FileNotFoundError(f"no record of a model {name!r}; there are: {', '.join(sorted(known)) or 'none'}")


def _experiment(path: Path, file: str) -> Run:
    result = json.loads(path.read_text(encoding="utf-8"))
    return Run(
        name=path.stem,
        file=file,
        kind=KIND_OF.get(path.stem, ""),
        question=result.get("question", ""),
        seeds=tuple(result.get("seeds", ())),
        seconds=result.get("seconds", 0.0),
        digest=result.get("code_digest", ""),
        **_common(result),
    )


def _model(name: str, path: Path, file: str) -> Run:
    record = json.loads(path.read_text(encoding="utf-8"))
    seed = record.get("settings", {}).get("seed")
    size, pairs = record.get("parameters", 0), record.get("pairs", {}).get("train", 0)
    return Run(
        name=name,
        file=file,
        kind=REAL,
        question=f"How well does a model of {size:,} parameters translate that was trained on {pairs:,} pairs?",
        seeds=() if seed is None else (str(seed),),
        seconds=record.get("training_seconds", 0.0),
        digest=None,
        **_common(record),
    )


def _common(record: Mapping[str, Any]) -> dict[str, Any]:
    empty = {"command": "", "tokens": 0, "machine": {}, "versions": {}, "date": ""}
    return {name: record.get(name, nothing) for name, nothing in empty.items()}
