"""Several translators teach one: an ensemble is trained, and its mean prediction is what the last model learns from.

Hinton et al. 2015, §2, for the idea; Kim and Rush 2016, §3.1, for translation, where it is word-level distillation.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_path
from torch import Tensor, nn

from ...data import corpora
from ...data.subwords import Subwords
from ...models.transformer import Memory, Transformer, TransformerConfig
from ...provenance import environment
from ...translation.translator import Translator
from ..folder_lock import locked
from ..run_record import data_record, validation_scores
from ..runs import VOCABULARY
from .loop import Shelves, Trained, examined, train_stack
from .stack import Stack
from .update import Recipe

TEACHER_MODEL = {"dropout": 0.2, "attention_dropout": 0.1}
"""In what the teachers differ from ``TransformerConfig.small``."""
PUPIL_MODEL = {"dropout": 0.1, "attention_dropout": 0.1}
"""In what the pupil does. The lessons themselves keep it from learning the references by heart."""


def teacher_recipe(tokens: int) -> Recipe:
    """How each teacher is trained."""
    return Recipe(tokens=tokens, peak_rate=2e-3, subword_dropout=0.1)


def pupil_recipe(tokens: int) -> Recipe:
    """How the pupil is trained."""
    return Recipe(tokens=tokens, peak_rate=2e-3, subword_dropout=0.1, agreement=2.0, taught=0.7)


def trained_teachers(shelves: Shelves, count: int, recipe: Recipe, seed: int, **options: Any) -> Trained:
    """An ensemble: models of one shape, from different first parameters, on the same pairs in different orders.

    Args:
        shelves: the pairs.
        count: how many models.
        recipe: how each is trained.
        seed: of the run.
        options: ``checkpoint`` and ``progress`` of :func:`attention_book.training.together.loop.train_stack`.
    """
    config = TransformerConfig.small(len(shelves.subwords), **TEACHER_MODEL)
    stack = Stack(config, [100 * seed + number for number in range(count)], shelves.device, products(shelves.device))
    return train_stack(stack, recipe, shelves, seed, **options)


def trained_pupil(shelves: Shelves, teachers: Sequence[Stack], recipe: Recipe, seed: int, **options: Any) -> Trained:
    """One model that learns from the references and from what the teachers would have said.

    Args:
        shelves, recipe, seed, options: as for :func:`trained_teachers`.
        teachers: the stacks whose models' mean prediction is the lesson.
    """
    config = TransformerConfig.small(len(shelves.subwords), **PUPIL_MODEL)
    stack = Stack(config, [100 * seed + 99], shelves.device, products(shelves.device))
    return train_stack(stack, recipe, shelves, seed + 1, teachers, **options)


def products(device: torch.device | str) -> torch.dtype:
    """What matrix products are computed in: bfloat16 on a GPU, float32 elsewhere."""
    return torch.bfloat16 if torch.device(device).type == "cuda" else torch.float32


class Ensemble(nn.Module):
    """Models that predict together: the mean of their probabilities, as a model that a greedy search can read.

    Args:
        models: of one vocabulary, in evaluation mode.
    """

    def __init__(self, models: Sequence[Transformer]):
        super().__init__()
        self.models, self.config = nn.ModuleList(models), models[0].config

    def encode(self, src: Tensor) -> list[Memory]:
        """What each encoder makes of the source."""
        return [model.encode(src) for model in self.models]

    def decode(self, tgt: Tensor, memory: list[Memory]) -> Tensor:
        """The logarithm of the mean probability of each next token."""
        each = [model.decode(tgt, own).log_softmax(-1) for model, own in zip(self.models, memory, strict=True)]
        return torch.stack(each).softmax(-1).mean(0).log()

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """As :meth:`decode`, for a whole target."""
        return self.decode(tgt, self.encode(src))


def run_folder(name: str, seed: int) -> Path:
    """Where a run keeps its checkpoints: in the user's cache folder."""
    return user_cache_path("attention-book") / "runs" / f"{name}-taught-seed{seed}"


def distil(
    name: str,
    teachers: int = 4,
    teacher_tokens: int = 40_000_000,
    tokens: int = 36_000_000,
    seed: int = 1,
    output: Path | None = None,
    folder: Path | None = None,
    device: str | None = None,
    progress: bool = True,
) -> Path:
    """Train an ensemble on a corpus, let it teach one model of the same size, and write that model to a folder.

    A run that was stopped goes on from the checkpoints in its folder.

    Args:
        name: ``"en-es"`` or ``"en-hi"``.
        teachers: how many models teach.
        teacher_tokens: target tokens that each of them reads.
        tokens: target tokens that the pupil reads.
        seed: of the run.
        output: where the translator goes; ``folder / "translator"`` if None.
        folder: where the run's files are kept; :func:`run_folder` if None.
        device: ``"cpu"`` or ``"cuda"``; a GPU if there is one.
        progress: show progress bars.

    Returns:
        The output folder.

    Raises:
        ValueError: for a number of teachers below 1.
        TrainingError, CheckpointError: as :func:`attention_book.training.together.loop.train_stack`; or if another
            training is at work in one of the folders.
        CorpusError: if the corpus is missing or damaged.

    Pitfall: this wants a GPU, on which it takes minutes; two processor cores would take days.
    """
    if teachers < 1:
        raise ValueError(f"at least one model must teach, got {teachers}")
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    folder = Path(folder or run_folder(name, seed))
    output = Path(output or folder / "translator")
    recipes = teacher_recipe(teacher_tokens), pupil_recipe(tokens)
    with locked(folder, output) as allowed:
        corpus = corpora.load(f"tatoeba-{name}")
        subwords = Subwords.train((text for pair in corpus.train for text in (pair.source, pair.target)), VOCABULARY)
        shelves = Shelves(corpus.train, subwords, TransformerConfig.small().max_len, device)
        began = time.monotonic()
        ensemble = trained_teachers(
            shelves, teachers, recipes[0], seed, checkpoint=folder / "teachers.safetensors", progress=progress
        )
        between = time.monotonic()
        pupil = trained_pupil(
            shelves, [ensemble.stack], recipes[1], seed, checkpoint=folder / "pupil.safetensors", progress=progress
        )
        seconds = between - began, time.monotonic() - between
        alone = [ensemble.model(which) for which in range(teachers)]
        found = [examined(model, subwords, corpus.validation, device) for model in (*alone, Ensemble(alone))]
        command = f"python -m attention_book distil {name} --teachers {teachers} --teacher-tokens {teacher_tokens} "
        record = {
            "command": f"{command}--tokens {tokens} --seed {seed}",
            **data_record(corpus, subwords),
            "machine": environment.machine(),
            "versions": environment.versions(),
            "date": environment.today(),
            **told(ensemble, pupil, recipes, seconds, seed, found, [pair.references for pair in corpus.validation]),
        }
        allowed()
        Translator(pupil.model(0), subwords, record).save(output)
    return output


def told(
    ensemble: Trained,
    pupil: Trained,
    recipes: tuple[Recipe, Recipe],
    seconds: tuple[float, float],
    seed: int,
    found: Sequence[tuple[float, list[str]]],
    references: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """What a run has on record of its models.

    Args:
        ensemble, pupil: after training.
        recipes: of the teachers and of the pupil.
        seconds: that both trainings took.
        seed: of the run.
        found: for each teacher, and at last for all together, the validation loss and greedy translations.
        references: the accepted translations of each validation sentence.

    Returns:
        Values ready for JSON: ``config``, ``parameters``, ``settings``, ``tokens``, ``steps``, ``epochs`` and
        ``curve`` of the pupil; under ``teachers`` the same of these, and the greedy scores of each and of all together.
    """
    scores = validation_scores(found, references)
    return {
        "config": pupil.stack.config.to_dict(),
        "parameters": sum(shape.numel() for shape in pupil.stack.shapes.values()),
        "settings": {**asdict(recipes[1]), "seed": seed},
        "tokens": pupil.tokens,
        "steps": pupil.steps,
        "curve": [loss for (loss,) in pupil.curve],
        "training_seconds": round(seconds[1], 1),
        "teachers": {
            "config": ensemble.stack.config.to_dict(),
            "settings": asdict(recipes[0]),
            "tokens": ensemble.tokens,
            "steps": ensemble.steps,
            "curve": ensemble.curve,
            "training_seconds": round(seconds[0], 1),
            "scores": scores[:-1],
            "together": scores[-1],
        },
    }
