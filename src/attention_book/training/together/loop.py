"""The training loop of models side by side: from a corpus and a recipe to trained parameters and what they score."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from ...data.batching import Encoded, encode_pairs, token_batches
from ...data.normalisation import Pair
from ...data.subwords import Subwords
from ...models.checkpoints import load_tensors, save_tensors
from ..schedules import warmup_then_decay
from ..trainer import TrainingError, validation_loss
from .shelves import Shelf, drawn_places, dropped_encodings, shelved
from .stack import Stack
from .update import Recipe, Update, greedy

CUTS = 12
"""How many times the pairs are cut into pieces at random; later epochs use the same cuts again."""


class Shelves:
    """The training pairs on a device, cut into pieces in one way, or in ``CUTS`` ways with merges left out.

    Args:
        pairs: sentence pairs.
        subwords: the vocabulary.
        max_len: of the model.
        device: where the tables go.
    """

    def __init__(self, pairs: Sequence[Pair], subwords: Subwords, max_len: int, device: torch.device | str):
        self.pairs, self.subwords, self.max_len, self.device = pairs, subwords, max_len, device
        self._begun: dict[tuple[float, int], Future[dict[int, Shelf]]] = {}
        self._there: dict[tuple[float, int], dict[int, Shelf]] = {}
        self._ahead = ThreadPoolExecutor(max_workers=1)

    def cut(self, share: float, epoch: int) -> dict[int, Shelf]:
        """The tables of an epoch, with this share of merges left out; those of the next epoch are begun meanwhile."""
        for number in (epoch, epoch + 1) if share else (0,):
            key = (share, number % CUTS)
            if key not in self._begun:
                self._begun[key] = self._ahead.submit(lambda: shelved(self._encoded(share)))
        key = (share, epoch % CUTS if share else 0)
        if key not in self._there:
            tables = self._begun[key].result().items()
            self._there[key] = {width: Shelf(t.src.to(self.device), t.tgt.to(self.device)) for width, t in tables}
        return self._there[key]

    def _encoded(self, share: float) -> list[Encoded]:
        if not share:
            return encode_pairs(self.pairs, self.subwords, self.max_len)
        sides = [[getattr(pair, side) for pair in self.pairs] for side in ("source", "target")]
        both = zip(*(dropped_encodings(self.subwords, texts, share) for texts in sides), strict=True)
        return [pair for pair in both if max(map(len, pair)) < self.max_len]


@dataclass(frozen=True)
class Trained:
    """A stack after training.

    Attributes:
        stack: with the last parameters.
        parameters: those that are kept: the moving averages where the recipe has them.
        tokens: target tokens that each model read, padding left out.
        steps: updates.
        curve: mean loss of each model, one entry per twentieth of the budget.
    """

    stack: Stack
    parameters: list[Tensor]
    tokens: int
    steps: int
    curve: list[list[float]]

    def model(self, which: int) -> nn.Module:
        """One of the models, by itself."""
        return self.stack.model(which, self.parameters)


def train_stack(
    stack: Stack,
    recipe: Recipe,
    shelves: Shelves,
    seed: int,
    teachers: Sequence[Stack] = (),
    checkpoint: Path | None = None,
    progress: bool = True,
) -> Trained:
    """Train all models of a stack, each on batches drawn for it.

    Args:
        stack: the models as they start.
        recipe: how they are trained.
        shelves: the pairs.
        seed: of the order of the batches, and of dropout.
        teachers: as for :class:`attention_book.training.together.update.Update`.
        checkpoint: a file that is written twenty times on the way; if it is there, training goes on from it.
        progress: show a bar.

    Raises:
        TrainingError: if there is no pair, a loss is no longer finite, or the checkpoint is one of another run.
        CheckpointError: if the checkpoint is damaged or cannot be written.

    Pitfall: a run that goes on from its checkpoint draws the batches and drops the units that it would have; only the
    merges that subword dropout leaves out are drawn anew.
    """
    torch.manual_seed(seed)
    update = Update(stack, recipe, teachers)
    done = Progress()
    identity = {"recipe": asdict(recipe), "config": stack.config.to_dict(), "models": stack.models, "seed": seed}
    identity |= {"pairs": len(shelves.pairs), "subwords": shelves.subwords.digest, "taught": len(teachers)}
    if checkpoint is not None and checkpoint.exists():
        done = _taken_up(checkpoint, update, identity)
    before = update.loss_sum.clone()
    with tqdm(total=recipe.tokens, initial=done.tokens, unit="tok", unit_scale=True, disable=not progress) as bar:
        while done.tokens < recipe.tokens:
            tables = shelves.cut(recipe.subword_dropout, done.epoch)
            if not tables:
                raise TrainingError("there is nothing to train on: no pair was given")
            real = {width: (table.tgt > Subwords.bos_id).sum(1).cpu().numpy() for width, table in tables.items()}
            sizes = {width: len(table.src) for width, table in tables.items()}
            batches = drawn_places(sizes, recipe.tokens_per_batch, stack.models, seed, done.epoch)
            for width, places in islice(batches, done.index, None):
                new = round(float(real[width][places].sum()) / stack.models)
                spent = done.tokens + new
                rate = warmup_then_decay(spent, recipe.tokens, recipe.warmup * recipe.tokens, recipe.peak_rate)
                rows = torch.from_numpy(places).to(stack.device, non_blocking=True)
                update(tables[width].src[rows], tables[width].tgt[rows], rate)
                done.tokens, done.steps, done.since, done.index = spent, done.steps + 1, done.since + 1, done.index + 1
                bar.update(new)
                if done.tokens * 20 >= recipe.tokens * (len(done.curve) + 1):
                    done.curve.append(_noted(update.loss_sum, before, done))
                    before, done.since = update.loss_sum.clone(), 0
                    bar.set_postfix(loss=f"{done.curve[-1][0]:.3f}", refresh=False)
                    if checkpoint is not None:
                        _keep(checkpoint, update, done, identity)
                if done.tokens >= recipe.tokens:
                    break
            else:
                done.epoch, done.index = done.epoch + 1, 0
    return Trained(stack, update.averaged, done.tokens, done.steps, done.curve)


@dataclass
class Progress:
    """How far a run has come: what a checkpoint holds beside tensors.

    Attributes:
        tokens, steps: read and made so far.
        epoch, index: the pass over the pairs, and the batches of it that were read.
        since: steps since the last entry of the curve.
        curve: as in :class:`Trained`.
    """

    tokens: int = 0
    steps: int = 0
    epoch: int = 0
    index: int = 0
    since: int = 0
    curve: list[list[float]] = field(default_factory=list)


def _state(update: Update) -> dict[str, Tensor]:
    """Every tensor that training changes, by name, as it stands in memory."""
    state = {"matrices": update.stack.matrices, "vectors": update.stack.vectors, "loss_sum": update.loss_sum}
    if update.recipe.average:
        state |= {"averaged_matrices": update.averaged[0], "averaged_vectors": update.averaged[1]}
    for name, parameter in (("matrices", update.stack.matrices), ("vectors", update.stack.vectors)):
        state |= {f"{name}_{moment}": value for moment, value in update.moments(parameter).items()}
    return state


def _keep(checkpoint: Path, update: Update, done: Progress, identity: dict[str, Any]) -> None:
    tensors = _state(update) | {"random_cpu": torch.get_rng_state()}
    if update.stack.device.type == "cuda":
        tensors["random_cuda"] = torch.cuda.get_rng_state()
    save_tensors(checkpoint, tensors, {"identity": identity, "progress": asdict(done)})


def _taken_up(checkpoint: Path, update: Update, identity: dict[str, Any]) -> Progress:
    tensors, record = load_tensors(checkpoint)
    if record.get("identity") != identity:
        raise TrainingError(f"{checkpoint} belongs to another run: remove it, or choose another folder")
    with torch.no_grad():
        for name, tensor in _state(update).items():
            tensor.copy_(tensors[name])
    torch.set_rng_state(tensors["random_cpu"])
    if "random_cuda" in tensors and update.stack.device.type == "cuda":
        torch.cuda.set_rng_state(tensors["random_cuda"])
    return Progress(**record["progress"])


def _noted(total: Tensor, before: Tensor, done: Progress) -> list[float]:
    means = ((total - before) / done.since).tolist()
    if not np.isfinite(means).all():
        raise TrainingError(
            f"a loss became {means} in the {done.since} steps to step {done.steps}: lower the peak rate"
        )
    return [round(mean, 4) for mean in means]


@torch.no_grad()
def examined(
    model: nn.Module, subwords: Subwords, pairs: Sequence[Pair], device: torch.device | str
) -> tuple[float, list[str]]:
    """The loss per target token on pairs, without smoothing, and greedy translations of their sources."""
    model = model.to(device)
    encoded = encode_pairs(pairs, subwords, model.config.max_len)
    loss = validation_loss(model, token_batches(encoded, 20_000, seed=0, epoch=0))
    ids = [[*row, subwords.eos_id] for row in subwords.encode_batch(pair.source for pair in pairs)]
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    found: dict[int, str] = {}
    for start in range(0, len(order), 2500):
        places = order[start : start + 2500]
        rows = [torch.tensor(ids[place], device=device) for place in places]
        src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=subwords.pad_id)
        found.update(zip(places, map(subwords.decode, greedy(model, src)), strict=True))
    model.cpu()
    return loss, [found[place] for place in range(len(ids))]
