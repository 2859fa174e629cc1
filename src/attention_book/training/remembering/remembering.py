"""A translator remembers its training pairs, and learns what the memory says: the whole run."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_path

from ...data import corpora
from ...data.batching import Encoded, encode_pairs
from ...models.checkpoints import load_tensors, save_tensors
from ...models.transformer import Transformer
from ...provenance import environment
from ...translation.translator import Translator
from ..folder_lock import locked
from ..run_record import data_record, validation_scores
from ..together.loop import Shelves, Trained, examined, train_stack
from ..together.stack import Stack
from ..together.update import Recipe
from ..trainer import TrainingError, fastest_precision
from .datastore import datastore_of
from .lesson import Lessons, Remembering, lessons_of

MEMORY: dict[str, Any] = {
    "share": 0.5,
    "temperature": 10.0,
    "neighbours": 32,
    "likeliest": 24,
    "lists": 2048,
    "probes": 24,
}
"""How the memory is asked: the arguments of :func:`attention_book.training.remembering.lesson.lessons_of`."""
OF_THE_START = ("seal", "command", "settings", "memory", "scores", "start")
"""What a run keeps of the record of the translator that it began with; of a shipped one some of these are missing."""
DROPOUT = 0.1
"""Of the model while it learns, in its layers and in its attention weights."""


def recipe_of(tokens: int, agreement: float = 0.0) -> Recipe:
    """How the model learns from its memory. It is trained already, so the rate begins lower than at first.

    Args:
        tokens: target tokens that each learner reads.
        agreement: α of R-Drop.
    """
    return Recipe(tokens=tokens, peak_rate=6e-4, taught=0.8, agreement=agreement)


def run_folder(name: str, seed: int) -> Path:
    """Where a run keeps its files: in the user's cache folder."""
    return user_cache_path("attention-book") / "runs" / f"{name}-remembering-seed{seed}"


def stack_of(
    model: Transformer, learners: int, dropout: float, device: torch.device | str, dtype: torch.dtype
) -> Stack:
    """A stack whose models all begin where this model is.

    Args:
        model: the model.
        learners: how many begin there.
        dropout: of the stack, in its layers and in its attention weights.
        device, dtype: of the stack.

    Raises:
        ValueError: for a configuration that a stack does not have.
    """
    config = dataclasses.replace(model.config, dropout=dropout, attention_dropout=dropout)
    stack = Stack(config, range(learners), device, dtype)
    named = dict(model.named_parameters())
    with torch.no_grad():
        for wide, flat in zip((True, False), stack.parameters(), strict=True):
            flat.copy_(torch.cat([named[name].flatten() for name in stack.names[wide]]).expand_as(flat))
    return stack


def kept_lessons(
    path: Path, model: Transformer, encoded: Sequence[Encoded], of: dict[str, Any], **options: Any
) -> Lessons:
    """The lessons of a model's memory: read from a file, or made and written to it.

    Args:
        path: the file.
        model: whose memory it is, in evaluation mode.
        encoded: the pairs.
        of: what the lessons depend on, ready for JSON; it is written beside them.
        options: of :func:`attention_book.training.remembering.lesson.lessons_of`.

    Raises:
        TrainingError: if the file belongs to another run.
        CheckpointError: if it is damaged or cannot be written.
    """
    if path.exists():
        tensors, record = load_tensors(path)
        if record.get("of") != of:
            raise TrainingError(f"{path} belongs to another run: remove it, or choose another folder")
        return Lessons(tensors["tokens"].to(torch.int16), tensors["shares"])
    store = datastore_of(model, encoded, progress=options.get("progress", False))
    lessons = lessons_of(store, model.output.weight, **options)
    save_tensors(path, {"tokens": lessons.tokens.to(torch.int32), "shares": lessons.shares}, {"of": of})
    return lessons


def remember(
    name: str = "en-es",
    start: str | Path = "en-es-taught",
    learners: int = 2,
    tokens: int = 8_000_000,
    share: float = MEMORY["share"],
    agreement: float = 0.0,
    seed: int = 1,
    output: Path | None = None,
    folder: Path | None = None,
    device: str | None = None,
    progress: bool = True,
) -> Path:
    """Train a finished translator further, with lessons from a memory of its training pairs, and write it to a folder.

    Several learners begin where it stands and read the pairs in different orders; the mean of their parameters is the
    new translator (Wortsman et al. 2022, §2). The memory is needed for the lessons alone: the translator that comes out
    has the size of the one that went in.

    A run that was stopped goes on from the files in its folder.

    Args:
        name: ``"en-es"`` or ``"en-hi"``.
        start: a translator that comes with the book, or the folder of another; a Transformer.
        learners: how many models learn, to be averaged.
        tokens: target tokens that each of them reads.
        share: λ, what the neighbours have of a lesson; the rest is what the translator itself says.
        agreement: α of R-Drop (:class:`attention_book.training.together.update.Recipe`), which doubles the work.
        seed: of the run.
        output: where the translator goes; ``folder / "translator"`` if None.
        folder: where the run's files are kept; :func:`run_folder` if None.
        device: ``"cpu"`` or ``"cuda"``; a GPU if there is one.
        progress: show progress bars.

    Returns:
        The output folder.

    Raises:
        ValueError: for a number of learners below 1.
        TypeError: if the translator is no Transformer.
        TrainingError, CheckpointError: as :func:`attention_book.training.together.loop.train_stack`; or if another
            training is at work in one of the folders.
        CorpusError: if the corpus is missing or damaged.
    """
    if learners < 1:
        raise ValueError(f"at least one model must learn, got {learners}")
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    folder = Path(folder or run_folder(name, seed))
    output = Path(output or folder / "translator")
    translator = Translator.from_pretrained(start)
    model, subwords = translator.model.eval(), translator.subwords
    if not isinstance(model, Transformer):
        raise TypeError(f"only a Transformer can remember in this way, and {start} is a {type(model).__name__}")
    recipe, precision, memory = recipe_of(tokens, agreement=agreement), fastest_precision(), {**MEMORY, "share": share}
    with locked(folder, output) as allowed:
        corpus = corpora.load(f"tatoeba-{name}")
        encoded = encode_pairs(corpus.train, subwords, model.config.max_len)
        begun = {"seal": translator.results.get("seal"), "subwords": subwords.digest, "data_sha256": corpus.sha256}
        lessons = kept_lessons(
            folder / "lessons.safetensors",
            model.to(device),
            encoded,
            {"start": begun, "memory": memory, "pairs": len(encoded)},
            progress=progress,
            **memory,
        )
        began = time.monotonic()
        stack = stack_of(model.cpu(), learners, DROPOUT, device, getattr(torch, precision))
        trained = train_stack(
            stack,
            recipe,
            Shelves(corpus.train, subwords, model.config.max_len, device),
            seed,
            [Remembering(encoded, lessons, len(subwords), device)],
            checkpoint=folder / "learning.safetensors",
            progress=progress,
        )
        seconds = time.monotonic() - began
        models = [*(trained.model(which) for which in range(learners)), mean_of(trained)]
        found = [examined(one, subwords, corpus.validation, device) for one in models]
        scores = validation_scores(found, [pair.references for pair in corpus.validation])
        record = {
            "command": f"python -m attention_book remember {name} --start {start} --learners {learners} "
            f"--tokens {tokens} --share {share:g} --agreement {agreement:g} --seed {seed}",
            **data_record(corpus, subwords),
            "machine": environment.machine(),
            "versions": environment.versions(),
            "date": environment.today(),
            **told(trained, recipe, seed, precision),
            "training_seconds": round(seconds, 1),
            "memory": memory,
            "scores": {"learners": scores[:-1], "mean": scores[-1]},
            "start": {"name": str(start), **{key: translator.results.get(key) for key in OF_THE_START}},
        }
        allowed()
        Translator(models[-1], subwords, record).save(output)
    return output


def mean_of(trained: Trained) -> Transformer:
    """The model whose parameters are the means of those of all models of a stack."""
    means = [parameter.detach().mean(0, keepdim=True) for parameter in trained.parameters]
    return trained.stack.model(0, means)


def told(trained: Trained, recipe: Recipe, seed: int, precision: str) -> dict[str, Any]:
    """What a run has on record: ``config``, ``parameters``, ``settings``, ``learners`` and their curves."""
    stack = trained.stack
    return {
        "config": stack.config.to_dict(),
        "parameters": sum(shape.numel() for shape in stack.shapes.values()),
        "settings": {**dataclasses.asdict(recipe), "precision": precision, "seed": seed},
        "learners": stack.models,
        "tokens": trained.tokens,
        "steps": trained.steps,
        "curve": trained.curve,
    }
