"""A whole training run: from a corpus's name to a folder that a translator reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import torch
from platformdirs import user_cache_path
from torch import nn

from ..data import corpora
from ..data.batching import encode_pairs, token_batches
from ..data.subwords import Subwords
from ..models.checkpoints import sweep, write_atomically
from ..models.config import Positions
from ..models.recurrent_config import RecurrentConfig
from ..models.registry import PRESETS, TranslationConfig, build
from ..provenance import environment
from ..translation.evaluation import bleu_and_chrf
from ..translation.translator import Translator
from .distributed import DistributedTrainer, Team, team
from .fast_step import FastTrainer
from .folder_lock import locked
from .run_record import data_record
from .snapshots import TrainerWithSnapshots, average_if_better
from .trainer import (
    CHECKPOINT,
    Trainer,
    TrainingError,
    TrainingSettings,
    fastest_precision,
    keep_freed_memory,
    plateau,
    validation_loss,
)

VOCABULARY = 8000
BLEU_SENTENCES = 1000
"""Validation sentences whose greedy translations are scored during training; the loss is over all of them."""


class FastTrainerWithSnapshots(FastTrainer, TrainerWithSnapshots):
    """The faster updates of the one, the snapshots of the other."""


def run_folder(name: str, preset: str, seed: int, positions: str = "sinusoidal", fast: bool = False) -> Path:
    """Where a run keeps its checkpoints: in the user's cache folder."""
    kind = ("" if positions == "sinusoidal" else f"-{positions}") + ("-fast" if fast else "")
    return user_cache_path("attention-book") / "runs" / f"{name}-{preset}{kind}-seed{seed}"


def train(
    name: str,
    preset: str = "small",
    positions: str = "sinusoidal",
    tokens: int = 20_000_000,
    tokens_per_batch: int = 1000,
    peak_rate: float = 1e-3,
    seed: int = 1,
    resume: bool = False,
    threads: int | None = None,
    output: Path | None = None,
    folder: Path | None = None,
    device: str | None = None,
    progress: bool = True,
    fast: bool = False,
) -> Path | None:
    """Train a translator on a corpus and write it to a folder.

    Whatever the process dies of, and whenever, the same call with ``resume=True`` (or without it, where no checkpoint
    had been written yet) ends with the same weights as a run that nothing disturbed.

    Under torchrun every process calls this, and they train together (:mod:`attention_book.training.distributed`): rank
    0 keeps the folders, and what it writes is what one process would have written, up to rounding and dropout.

    Args:
        name: ``"en-es"`` or ``"en-hi"``.
        preset: one of :data:`attention_book.models.registry.PRESETS`, with 8 000 shared subwords.
        positions: as in :class:`attention_book.models.config.TransformerConfig`; a recurrent model needs none.
        tokens: budget of target tokens.
        tokens_per_batch, peak_rate, seed: as in :class:`attention_book.training.trainer.TrainingSettings`.
        resume: continue the run whose checkpoint is in ``folder``.
        threads: processor threads; torch's own choice if None.
        output: where the finished translator goes; ``folder / "translator"`` if None.
        folder: where the run's files are kept; :func:`run_folder` if None.
        device: ``"cpu"`` or ``"cuda"``; the accelerator if there is one.
        progress: show a progress bar.
        fast: take the faster updates of :mod:`attention_book.training.fast_step`, which differ by rounding and by what
            dropout draws; for a Transformer and one process. A run stays what it began as.

    Returns:
        The output folder, or None if Ctrl-C stopped the run; ``resume=True`` takes it up again.

    Raises:
        ValueError: for an unknown preset or kind of positions; or positions, or faster updates, asked of a recurrent
            model; or faster updates of several processes.
        TrainingError: if the folder holds a run already and ``resume`` is False, or none and it is True; if another
            training is at work in the folder or the output folder, or one of them cannot be written; and as
            :meth:`Trainer.run` and :meth:`TrainerWithSnapshots.resume`.
        CheckpointError: if a file cannot be written, or the checkpoint or a snapshot is damaged.
        CorpusError: if the corpus is missing or damaged.
    """
    if preset not in PRESETS:
        raise ValueError(f"unknown preset {preset!r}: choose one of {', '.join(PRESETS)}")
    if positions not in get_args(Positions):
        raise ValueError(f"unknown positions {positions!r}: choose one of {', '.join(get_args(Positions))}")
    _positions(preset, positions)
    if fast and PRESETS[preset].__self__ is RecurrentConfig:
        raise ValueError(f"faster updates are for a Transformer: train {preset!r} without them")
    if threads:
        torch.set_num_threads(threads)
    keep_freed_memory()
    folder = Path(folder or run_folder(name, preset, seed, positions, fast))
    settings = TrainingSettings(
        tokens=tokens,
        tokens_per_batch=tokens_per_batch,
        peak_rate=peak_rate,
        validate_every=min(500_000, max(1, tokens // 20)),
        seed=seed,
        precision=fastest_precision(),
    )
    output = Path(output or folder / "translator")
    with team(device) as own, _held(own, folder, output) as allowed:
        if fast and own.size > 1:
            raise ValueError(f"faster updates are for one process: train on {own.size} without them")
        if own.leads:
            if resume != (folder / CHECKPOINT).exists():
                raise TrainingError(
                    f"nothing to resume: there is no {folder / CHECKPOINT}; start the run without --resume"
                    if resume
                    else f"{folder} holds a run already: continue it with --resume, or remove the folder"
                )
            sweep(folder)
            sweep(output)
        corpus = corpora.load(f"tatoeba-{name}")
        subwords = own.shared(lambda: _subwords(corpus, folder, resume))
        config = PRESETS[preset](vocab_size=len(subwords), **_positions(preset, positions))
        torch.manual_seed(seed)
        model = build(config).to(own.device)
        identity = {"corpus": corpus.name, "data": corpus.sha256, "subwords": subwords.digest, "config": _shape(config)}
        if fast:
            identity["fast"] = True
        encoded, validate = encode_pairs(corpus.train, subwords, config.max_len), _validator(corpus, subwords, config)
        arguments = (model, encoded, settings, validate, folder, identity, allowed)
        alone = FastTrainerWithSnapshots if fast else TrainerWithSnapshots
        trainer = alone(*arguments) if own.size == 1 else DistributedTrainer(own, *arguments)
        if resume:
            trainer.resume()
        else:
            trainer.start()
        if not trainer.run(progress):
            if own.leads:
                print(f"stopped after {trainer.tokens:,} of {tokens:,} tokens; go on with --resume")
            return None
        if own.leads:
            averaged = average_if_better(trainer)
            allowed()
            results = _results(trainer, corpus, subwords, config, preset, averaged, own.size)
            Translator(model.eval(), subwords, results).save(output)
    return output


@contextmanager
def _held(own: Team, folder: Path, output: Path) -> Iterator[Callable[[], None]]:
    """Hold both folders, as the process that writes; the others of a team hold nothing, and their check passes."""
    if not own.leads:
        yield lambda: None
        return
    with locked(folder, output) as allowed:
        yield allowed


def _positions(preset: str, positions: str) -> dict[str, str]:
    """The option as the preset's configuration takes it: a recurrent model takes none, and the default means none."""
    if PRESETS[preset].__self__ is not RecurrentConfig:
        return {"positions": positions}
    if positions != "sinusoidal":
        raise ValueError(f"positions={positions!r} is for a Transformer: a recurrent model knows the order by reading")
    return {}


def _shape(config: TranslationConfig) -> dict[str, Any]:
    """The configuration as a run's checkpoint names it; runs from before positions could be chosen do not name them."""
    return {name: value for name, value in config.to_dict().items() if (name, value) != ("positions", "sinusoidal")}


def _subwords(corpus: corpora.Corpus, folder: Path, resume: bool) -> Subwords:
    """The run's own subwords: learnt from the training split when it starts, read back when it is resumed."""
    path = folder / "tokenizer.json"
    if resume and path.exists():
        return Subwords.load(path)
    subwords = Subwords.train((text for pair in corpus.train for text in (pair.source, pair.target)), VOCABULARY)
    write_atomically(path, subwords.save)
    return subwords


def _validator(
    corpus: corpora.Corpus, subwords: Subwords, config: TranslationConfig
) -> Callable[[nn.Module], dict[str, float]]:
    """A function that gives the loss on the whole validation split and greedy BLEU and chrF on a part of it."""
    encoded = encode_pairs(corpus.validation, subwords, config.max_len)
    batches = token_batches(encoded, 4000, seed=0, epoch=0)
    shown = corpus.validation[:BLEU_SENTENCES]

    def validate(model: nn.Module) -> dict[str, float]:
        translator = Translator(model, subwords)
        found = translator.translate_each([pair.source for pair in shown], beam_size=1, split=False)
        scores = bleu_and_chrf([outcome.text for outcome in found], [pair.references for pair in shown])
        return {
            "validation_loss": validation_loss(model, batches),
            "validation_bleu": scores.bleu,
            "validation_chrf": scores.chrf,
        }

    return validate


def _results(
    trainer: Trainer,
    corpus: corpora.Corpus,
    subwords: Subwords,
    config: TranslationConfig,
    preset: str,
    averaged: dict[str, Any],
    processes: int,
) -> dict[str, Any]:
    """What a reader needs to know about a run to believe its numbers or to repeat them."""
    settings = trainer.settings
    options = f"--preset {preset} --tokens {settings.tokens} --tokens-per-batch {settings.tokens_per_batch}"
    if getattr(config, "positions", "sinusoidal") != "sinusoidal":
        options += f" --positions {config.positions}"
    if isinstance(trainer, FastTrainer):
        options += " --fast"
    languages = corpus.name.removeprefix("tatoeba-")
    program = "python" if processes == 1 else f"torchrun --nproc_per_node={processes}"
    return {
        "command": f"{program} -m attention_book train {languages} {options} --seed {settings.seed}",
        **({} if processes == 1 else {"processes": processes}),
        **data_record(corpus, subwords),
        "preset": preset,
        "config": config.to_dict(),
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "settings": asdict(settings),
        "tokens": trainer.tokens,
        "budgets": trainer.budgets,
        "steps": trainer.step,
        "epochs": trainer.epoch + trainer.index / max(1, _batches_an_epoch(trainer)),
        "training_seconds": round(trainer.seconds, 1),
        "curve": trainer.curve,
        "plateau": plateau(trainer.curve),
        "averaging": averaged,
        "machine": environment.machine(),
        "versions": environment.versions(),
        "date": environment.today(),
    }


def _batches_an_epoch(trainer: Trainer) -> int:
    s = trainer.settings
    return len(token_batches(trainer.encoded, s.tokens_per_batch, s.seed, trainer.epoch))
