"""Training on several processes at once, on one machine or on several: each takes its rows of every batch.

``torchrun --nproc_per_node=N -m attention_book train …`` starts N processes, the *ranks*, and tells each its number by
the environment. All of them go through the same batches in the same order, and each computes the gradient of its own
rows; torch's ``DistributedDataParallel`` adds the gradients up before each step. So the parameters stay the same
everywhere, a step is the step of one process up to rounding, and a run may go on with another number of ranks.
"""

import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from ..data.batching import Batch
from .losses import label_smoothed_cross_entropy
from .schedules import warmup_then_decay
from .snapshots import TrainerWithSnapshots
from .trainer import Trainer, TrainingError, TrainingSettings

PROGRESS = ("tokens", "step", "epoch", "index", "since", "loss_sum", "seconds", "curve", "budgets", "snapshots")
_SIGNS = ("gloo", "nccl", "connection", "timed out", "timeout", "peer", "socket", "process group", "broken pipe")
_Made = TypeVar("_Made")
_MET: list[dist.ProcessGroup] = []
"""The groups that this process has met, which are kept.

If a `DistributedDataParallel` holds a group last, torch ends the group's threads without letting go of Python's lock.
One of them may be waiting for it, and then the process stands still.
"""


@dataclass(frozen=True)
class Team:
    """The processes that train together, as one of them sees them.

    Attributes:
        rank: the number of this process, from 0; rank 0 validates, writes the files and says what happens.
        size: how many there are; 1 for an ordinary run.
        device: what this process computes on.
    """

    rank: int
    size: int
    device: str

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def shared(self, make: Callable[[], _Made]) -> _Made:
        """What rank 0 makes, handed to all.

        Raises:
            TrainingError: if a process has stopped meanwhile.
        """
        if self.size == 1:
            return make()
        told = [make() if self.leads else None]
        with lost_touch(self):
            dist.broadcast_object_list(told, src=0)
        return told[0]


@contextmanager
def team(device: str | None = None) -> Iterator[Team]:
    """Meet the other processes that torchrun started, and part from them at the end; without torchrun, a team of one.

    Args:
        device: ``"cpu"`` or ``"cuda"``; the accelerator if there is one. Processors talk by gloo, GPUs by nccl, and
            each process takes the GPU of its number on its machine.

    Raises:
        TrainingError: if the others cannot be reached.
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    size, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    if size == 1:
        yield Team(0, 1, device)
        return
    if device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', rank)}"
        torch.cuda.set_device(device)
    own = Team(rank, size, device)
    with lost_touch(own):
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    _MET.append(dist.group.WORLD)
    try:
        yield own
    finally:
        dist.destroy_process_group()


@contextmanager
def lost_touch(own: Team, checkpoint: Path | None = None) -> Iterator[None]:
    """Say in plain words that another process has stopped, where torch tells of a connection.

    Raises:
        TrainingError: in place of torch's error, if that is one of communication.
    """
    try:
        yield
    except RuntimeError as error:
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        of_another = isinstance(error, dist.DistError) or any(sign in str(error).lower() for sign in _SIGNS)
        if isinstance(error, TrainingError | torch.OutOfMemoryError) or not of_another:
            raise
        good = checkpoint is not None and checkpoint.exists()
        kept = f"the last good checkpoint is {checkpoint}: go on with --resume" if good else "no checkpoint was kept"
        raise TrainingError(
            f"process {own.rank} of {own.size} (counted from 0) has lost touch with the others, so one of them has "
            f"stopped; its own error says why. {kept[0].upper()}{kept[1:]}. (torch says: {said[:200]})"
        ) from error


def rows_of(batch: Batch, rank: int, size: int) -> tuple[Batch, int]:
    """The rows of a batch that a rank computes, every ``size``-th, and how many target tokens they have.

    A batch with fewer rows than ranks leaves some without any. Such a rank computes the first row, because all have to
    take part in adding the gradients up, and its number of tokens is 0, so that the row does not count twice.
    """
    own = slice(rank, None, size) if rank < len(batch.src) else slice(0, 1)
    part = Batch(batch.src[own], batch.tgt_in[own], batch.tgt_out[own])
    return part, part.target_tokens if rank < len(batch.src) else 0


class DistributedTrainer(TrainerWithSnapshots):
    """A trainer that is one of several: the loop is its parents', a step is taken together.

    The loss of a batch is the mean over its N target tokens. Rank r has the mean loss :math:`L_r` of its own
    :math:`n_r` tokens, and DistributedDataParallel takes the mean of the gradients of the R ranks. So each rank goes
    back from

    .. math:: \\frac{R\\, n_r}{N} L_r, \\qquad\\text{because}\\qquad
        \\frac1R \\sum_r \\frac{R\\, n_r}{N} \\nabla L_r = \\nabla\\Big(\\frac1N \\sum_r n_r L_r\\Big) .

    Every rank knows N, since it has the whole batch. Dropout is drawn anew for each step from the seed, the rank and
    the step, so that a resumed run goes on exactly, as long as the number of ranks is the same.

    Args:
        team: from :func:`team`. The other arguments are those of :class:`TrainerWithSnapshots`; only rank 0 uses
            ``validate``, ``folder`` and ``allowed``, and only rank 0 needs to see the folder.

    Pitfall: the batch is divided, not multiplied. With more ranks, give larger batches, or each has little to do.
    """

    def __init__(
        self,
        team: Team,
        model: nn.Module,
        encoded: Sequence[tuple[list[int], list[int]]],
        settings: TrainingSettings,
        validate: Callable[[nn.Module], dict[str, float]] | None,
        folder: Path,
        identity: dict[str, Any] | None = None,
        allowed: Callable[[], None] = lambda: None,
    ):
        super().__init__(model, encoded, settings, validate, folder, identity, allowed)
        self.team = team
        self.parallel: DistributedDataParallel | None = None
        self._looping = False
        self._stop_loop: Callable[[int, Any], None] | None = None
        self._asked = False
        if not team.leads:
            self.validate = None

    def start(self) -> None:
        """Begin afresh, as :meth:`TrainerWithSnapshots.start` does on rank 0; then all take over its parameters."""
        if self.team.leads:
            super().start()
        self._meet()

    def resume(self) -> None:
        """Take up the run as :meth:`TrainerWithSnapshots.resume` does on rank 0, and hand it to the others.

        Raises:
            TrainingError, CheckpointError: on rank 0, as there; on the others, that one has stopped.
        """
        if self.team.leads:
            super().resume()
        progress, moments = self.team.shared(
            lambda: ({name: getattr(self, name) for name in PROGRESS}, self.optimizer.state_dict())
        )
        if not self.team.leads:
            for name, value in progress.items():
                setattr(self, name, value)
            self.optimizer.load_state_dict(moments)
        self._meet()

    def save(self) -> None:
        """Write the checkpoint and its snapshot, on rank 0."""
        if self.team.leads:
            super().save()

    def run(self, progress: bool = True, on_validation: Callable[[Trainer], None] | None = None) -> bool:
        """As :meth:`Trainer.run`; only rank 0 shows a bar and calls ``on_validation``. Ctrl-C at one stops all.

        Raises:
            TrainingError: if another process has stopped, and as :meth:`Trainer.run`.
        """
        self._looping = True
        try:
            return super().run(progress and self.team.leads, on_validation if self.team.leads else None)
        finally:
            self._looping = False

    def _meet(self) -> None:
        """Wrap the model; from here on its parameters are those of rank 0, and gradients are added up."""
        devices = [torch.device(self.team.device)] if self.team.device.startswith("cuda") else None
        with lost_touch(self.team, self.checkpoint):
            self.parallel = DistributedDataParallel(self.model, device_ids=devices, broadcast_buffers=False)

    def train_step(self, batch: Batch) -> float:
        """One update, taken together: forward and backward of the own rows, gradients added up, clip, step.

        Returns:
            The loss of the whole batch in nats per token, the same on every rank.

        Raises:
            TrainingError: if another process has stopped; on all ranks, if the loss or the gradient is not finite.
        """
        if self.parallel is None:
            raise TrainingError("the ranks have not met yet: call start() or resume() before the first step")
        with lost_touch(self.team, self.checkpoint):
            return self._step_together(batch)

    def _step_together(self, batch: Batch) -> float:
        s, size = self.settings, self.team.size
        rate = warmup_then_decay(self.tokens + batch.target_tokens, s.tokens, s.warmup * s.tokens, s.peak_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        own, tokens = rows_of(batch, self.team.rank, size)
        share = tokens / batch.target_tokens
        own = own.to(self.device)
        self.model.train()
        torch.manual_seed(self._dropout_seed())
        with torch.autocast(self.device.type, torch.bfloat16, enabled=s.precision == "bfloat16"):
            logits = self.parallel(own.src, own.tgt_in)
        loss = label_smoothed_cross_entropy(logits.float(), own.tgt_out, s.smoothing)
        self.optimizer.zero_grad()
        (size * share * loss).backward()
        value = self._agree(share * loss.item())
        self._require_finite("loss", value, rate)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), s.clip)
        self._require_finite("norm of the gradient", norm.item(), rate)
        self.optimizer.step()
        return value

    def _dropout_seed(self) -> int:
        """What dropout is drawn from in this step, on this rank.

        Pitfall: on processors torch reads only the low 32 bits of a seed, so that a rank added above them is lost.
        """
        which = f"dropout {self.settings.seed} {self.team.rank} of {self.team.size} {self.step}"
        return random.Random(which).getrandbits(32)

    def _agree(self, share_of_loss: float) -> float:
        """Add up the loss over the ranks; and if Ctrl-C asked any of them to stop, have all stop after this step."""
        self._take_interrupts()
        both = torch.tensor([share_of_loss, float(self._asked)], dtype=torch.float64, device=self.device)
        dist.all_reduce(both)
        if both[1] and self._stop_loop is not None:
            self._stop_loop(signal.SIGINT, None)
            self._asked = False
        return both[0].item()

    def _take_interrupts(self) -> None:
        """Note Ctrl-C here, and tell the loop only once all ranks know: one that stopped alone would leave the rest."""
        if not self._looping or self._asked:
            return
        handler = signal.getsignal(signal.SIGINT)
        if handler == self._note_interrupt or not callable(handler):
            return
        try:
            signal.signal(signal.SIGINT, self._note_interrupt)
        except ValueError:  # not in the main thread: the loop leaves interrupts alone too
            return
        self._stop_loop = handler

    def _note_interrupt(self, signum: int, frame: Any) -> None:
        self._asked = True
