"""A training run that keeps the weights of its last validations, and the mean of them.

A process may die between any two writes. So a snapshot is written before the checkpoint that names it, with its
SHA-256; and no snapshot counts that the checkpoint does not name: it belongs to an earlier run, or to steps that will
be taken again.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..models.checkpoints import CheckpointError, load_tensors, read_digest, read_record, save_checkpoint, save_tensors
from .trainer import Trainer, TrainingError, TrainingSettings

KEPT_SNAPSHOTS = 5
SNAPSHOT = re.compile(r"weights-\d{12,}\.safetensors")


class TrainerWithSnapshots(Trainer):
    """A :class:`Trainer` that keeps a snapshot of the weights at each of the last validations.

    Args:
        allowed: called before anything is written; it raises an error if this process may not write any more. The other
            arguments are those of :class:`Trainer`, with a folder.

    Attributes:
        snapshots: file name and SHA-256 of each snapshot that is kept, oldest first; None for the digest of one from
            before files carried one.
    """

    def __init__(
        self,
        model: nn.Module,
        encoded: Sequence[tuple[list[int], list[int]]],
        settings: TrainingSettings,
        validate: Callable[[nn.Module], dict[str, float]],
        folder: Path,
        identity: dict[str, Any] | None = None,
        allowed: Callable[[], None] = lambda: None,
    ):
        super().__init__(model, encoded, settings, validate, folder, identity)
        self.allowed = allowed
        self.snapshots: dict[str, str | None] = {}

    def start(self) -> None:
        """Begin afresh: snapshots that lie in the folder are of a run whose checkpoint is gone, and are removed."""
        self._remove_unnamed()

    def resume(self) -> None:
        """Take up the run as :meth:`Trainer.resume` does, with the snapshots that the checkpoint names, verified.

        A checkpoint written before checkpoints named snapshots is taken up as it was then, with the newest snapshots
        in the folder: those of its last validations, as far as they are there. Nothing can verify them, so a warning
        says so.

        Raises:
            TrainingError: if a snapshot is missing, and as :meth:`Trainer.resume`.
            CheckpointError: if the checkpoint or a snapshot is damaged.
        """
        super().resume()  # it sets all the progress that the checkpoint names
        if "snapshots" not in read_record(self.checkpoint)["progress"]:
            self._adopt()
        for name, digest in self.snapshots.items():
            self._read(name, digest)
        self._remove_unnamed()

    def save(self) -> None:
        """Write the checkpoint, at a validation after its snapshot; then remove the snapshots it no longer names.

        Raises:
            CheckpointError: if a file cannot be written; the earlier checkpoint and its snapshots are kept.
        """
        self.allowed()
        if self.curve and self.curve[-1]["tokens"] == self.tokens:  # else Ctrl-C stopped the run between validations
            self._snapshot()
        names = ("tokens", "step", "epoch", "index", "since", "loss_sum", "seconds", "curve", "budgets", "snapshots")
        record = {"identity": self.identity, "progress": {name: getattr(self, name) for name in names}}
        save_checkpoint(self.checkpoint, self.model, self.optimizer, record)
        self._remove_unnamed()

    def mean_of_snapshots(self) -> dict[str, Tensor]:
        """The mean of each weight over the snapshots; empty if there are none.

        Raises:
            TrainingError: if a snapshot is missing.
            CheckpointError: if it is damaged.
        """
        read = [self._read(name, digest) for name, digest in self.snapshots.items()]
        return {name: torch.stack([tensors[name] for tensors in read]).mean(dim=0) for name in (read or [{}])[0]}

    def _snapshot(self) -> None:
        name = _snapshot_name(self.tokens)
        if name in self.snapshots:
            return
        digest = save_tensors(self.folder / name, dict(self.model.named_parameters()), {"tokens": self.tokens})
        self.snapshots = dict([*self.snapshots.items(), (name, digest)][-KEPT_SNAPSHOTS:])

    def _remove_unnamed(self) -> None:
        for path in sorted(self.folder.glob("weights-*.safetensors")):
            if SNAPSHOT.fullmatch(path.name) and path.name not in self.snapshots:
                path.unlink(missing_ok=True)

    def _adopt(self) -> None:
        """Take up the snapshots of a run whose checkpoint names none: those of its last validations that are there."""
        recent = [_snapshot_name(record["tokens"]) for record in self.curve[-KEPT_SNAPSHOTS:]]
        self.snapshots = {name: read_digest(self.folder / name) for name in recent if (self.folder / name).exists()}
        warnings.warn(
            f"{self.checkpoint} is from a version that did not note its snapshots: the {len(self.snapshots)} of the "
            f"last {len(recent)} validations found in the folder are taken for its own, unverified",
            stacklevel=3,
        )

    def _read(self, name: str, digest: str | None) -> dict[str, Tensor]:
        path = self.folder / name
        remedy = f"put it back from a copy, or remove {self.folder} and train again"
        if not path.exists():
            raise TrainingError(f"{path} is missing, a snapshot that {self.checkpoint} names: {remedy}")
        tensors, _ = load_tensors(path)
        shapes = {name: parameter.shape for name, parameter in self.model.named_parameters()}
        if read_digest(path) != digest or {name: tensor.shape for name, tensor in tensors.items()} != shapes:
            raise CheckpointError(f"{path} is not the snapshot that {self.checkpoint} names: {remedy}")
        return tensors


def _snapshot_name(tokens: int) -> str:
    return f"weights-{tokens:012d}.safetensors"


def average_if_better(trainer: TrainerWithSnapshots) -> dict[str, Any]:
    """Try the mean of the last snapshots' weights; keep it if it gains BLEU on validation, else the last weights.

    Returns:
        How many snapshots there were, the scores of both, and whether the mean was kept.

    Raises:
        TrainingError: if a snapshot is missing.
        CheckpointError: if it is damaged.
    """
    parameters = dict(trainer.model.named_parameters())
    last = {name: p.detach().clone() for name, p in parameters.items()}
    mean = trainer.mean_of_snapshots() or last

    def put(values: dict[str, Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(values[name])

    trainer.model.eval()
    with torch.inference_mode():
        before = trainer.validate(trainer.model)
    put(mean)
    with torch.inference_mode():
        after = trainer.validate(trainer.model)
    used = after["validation_bleu"] > before["validation_bleu"]
    if not used:
        put(last)
    return {"snapshots": len(trainer.snapshots), "last": before, "averaged": after, "used": used}
