"""The training loop: token budgets, a learning-rate schedule, validation, checkpoints, exact resumption."""

import ctypes
import math
import platform
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn
from tqdm import tqdm

from ..data.batching import Batch, token_batches
from ..models.checkpoints import load_checkpoint, read_record, save_checkpoint
from .losses import label_smoothed_cross_entropy
from .schedules import warmup_then_decay

CHECKPOINT = "checkpoint.safetensors"


class TrainingError(RuntimeError):
    """Training cannot go on; the message says why and where the last good checkpoint is."""


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained. Budgets count target tokens that are not padding, never time.

    Attributes:
        tokens: target tokens to train on in all.
        tokens_per_batch: target tokens in a batch, at most.
        peak_rate: highest learning rate of :func:`attention_book.training.schedules.warmup_then_decay`.
        warmup: share of the budget spent rising to it.
        smoothing: label smoothing ε.
        weight_decay: AdamW's decoupled decay, on matrices only (not on biases and norms).
        clip: largest norm of the whole gradient.
        validate_every: target tokens between validations, which are also checkpoints.
        seed: of the batches, of the initial weights and of dropout.
        precision: ``"bfloat16"`` runs matrix products under autocast; weights and the loss stay in float32.
    """

    tokens: int
    tokens_per_batch: int = 1000
    peak_rate: float = 1e-3
    warmup: float = 0.04
    smoothing: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    validate_every: int = 500_000
    seed: int = 1
    precision: Literal["float32", "bfloat16"] = "float32"

    def __post_init__(self):
        for name in ("tokens", "tokens_per_batch", "validate_every", "peak_rate", "clip"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


def fastest_precision() -> Literal["float32", "bfloat16"]:
    """bfloat16 where the machine multiplies it natively, else float32."""
    cpuinfo = Path("/proc/cpuinfo")
    native = torch.cuda.is_available() or (cpuinfo.exists() and "avx512_bf16" in cpuinfo.read_text())
    return "bfloat16" if native else "float32"


def keep_freed_memory() -> None:
    """Tell glibc to keep freed blocks for the next step: each step frees and asks for the same large ones again.

    On two cores this made a training step of the small preset 1.2 times faster. It acts on Linux only.
    """
    if platform.system() == "Linux" and platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(-4, 0)  # M_MMAP_MAX: take nothing by mmap, which is unmapped when freed
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: give nothing back


@contextmanager
def _stop_on_interrupt():
    """Turn the first Ctrl-C into a flag, so that a step is never cut in half; a second one interrupts as usual."""
    stop = {"asked": False}
    before = signal.getsignal(signal.SIGINT)

    def ask(signum, frame):
        stop["asked"] = True
        signal.signal(signal.SIGINT, before)

    try:
        signal.signal(signal.SIGINT, ask)
    except ValueError:  # not in the main thread: leave interrupts alone
        yield stop
        return
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class Trainer:
    """Trains any model whose ``forward(src, tgt)`` returns logits.

    Args:
        model: on the device it is to be trained on.
        encoded: pairs of id lists, as :func:`attention_book.data.batching.encode_pairs` makes them.
        settings: the recipe.
        validate: called with the model in evaluation mode; returns numbers for the curve, among them
            ``validation_loss``.
        folder: where the checkpoint goes; None keeps none.
        identity: what must not change between a run and its resumption (data hash, model configuration …).

    Attributes:
        curve: one record a validation: tokens, step, train_loss, rate, and what ``validate`` returned.
        seconds: time spent training, over all resumptions.
        budgets: [tokens done, budget from then on], one entry unless a resumption changed the budget.
    """

    def __init__(
        self,
        model: nn.Module,
        encoded: Sequence[tuple[list[int], list[int]]],
        settings: TrainingSettings,
        validate: Callable[[nn.Module], dict[str, float]] | None = None,
        folder: Path | None = None,
        identity: dict[str, Any] | None = None,
    ):
        self.model, self.encoded, self.settings, self.validate = model, encoded, settings, validate
        self.folder = None if folder is None else Path(folder)
        self.identity = {"settings": asdict(settings), **(identity or {})}
        self.device = next(model.parameters()).device
        matrices = [p for p in model.parameters() if p.dim() >= 2]
        vectors = [p for p in model.parameters() if p.dim() < 2]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
            lr=settings.peak_rate,
            betas=(0.9, 0.98),
            eps=1e-9,
            fused=True,
        )
        self.tokens = self.step = self.epoch = self.index = self.since = 0
        self.loss_sum = self.seconds = 0.0
        self.curve: list[dict[str, int | float]] = []
        self.budgets = [[0, settings.tokens]]

    @property
    def checkpoint(self) -> Path | None:
        """The file that the run resumes from."""
        return None if self.folder is None else self.folder / CHECKPOINT

    def resume(self) -> None:
        """Take up the run where its checkpoint left it, exactly: weights, moments, dropout's random state, batch.

        Only the budget may differ: from here on the learning rate follows the new one, and ``budgets`` tells so.

        Raises:
            TrainingError: if there is no checkpoint, or it belongs to a run with other settings or data.
            CheckpointError: if it cannot be read.
        """
        if self.checkpoint is None or not self.checkpoint.exists():
            raise TrainingError(f"nothing to resume: there is no {self.checkpoint}")
        identity = read_record(self.checkpoint).get("identity", {})
        before = identity.get("settings", {}).get("tokens")
        comparable = {**identity, "settings": {**identity.get("settings", {}), "tokens": self.settings.tokens}}
        if differing := _differences(comparable, self.identity):
            raise TrainingError(f"{self.checkpoint} belongs to another run ({'; '.join(differing)})")
        record = load_checkpoint(self.checkpoint, self.model, self.optimizer)
        for name, value in record["progress"].items():
            setattr(self, name, value)
        if before != self.settings.tokens:
            self.budgets = [*record["progress"].get("budgets", [[0, before]]), [self.tokens, self.settings.tokens]]

    def save(self) -> None:
        """Write the checkpoint, atomically."""
        if self.checkpoint is None:
            return
        names = ("tokens", "step", "epoch", "index", "since", "loss_sum", "seconds", "curve", "budgets")
        record = {"identity": self.identity, "progress": {name: getattr(self, name) for name in names}}
        save_checkpoint(self.checkpoint, self.model, self.optimizer, record)

    def train_step(self, batch: Batch) -> float:
        """One update: forward, loss, backward, clip, step. Returns the loss in nats per token."""
        s = self.settings
        rate = warmup_then_decay(self.tokens + batch.target_tokens, s.tokens, s.warmup * s.tokens, s.peak_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = batch.to(self.device)
        self.model.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=s.precision == "bfloat16"):
            logits = self.model(batch.src, batch.tgt_in)
        loss = label_smoothed_cross_entropy(logits.float(), batch.tgt_out, s.smoothing)
        value = loss.item()
        self._require_finite("loss", value, rate)
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), s.clip)
        self._require_finite("norm of the gradient", norm.item(), rate)  # else clipping makes every weight NaN
        self.optimizer.step()
        return value

    def _require_finite(self, what: str, value: float, rate: float) -> None:
        if not math.isfinite(value):
            good = self.checkpoint is not None and self.checkpoint.exists()
            kept = f"the last good checkpoint is {self.checkpoint}" if good else "no checkpoint was kept"
            raise TrainingError(
                f"the {what} became {value} at step {self.step + 1} (learning rate {rate:.2g}); {kept}. "
                "Start a run with a lower peak rate, or in float32."
            )

    def run(self, progress: bool = True, on_validation: Callable[["Trainer"], None] | None = None) -> bool:
        """Train until the budget is spent or Ctrl-C asks to stop.

        Args:
            progress: show a bar with tokens a second, loss and time left.
            on_validation: called after each validation and its checkpoint.

        Returns:
            True if the budget is spent, False if the run was interrupted (its checkpoint is written).

        Raises:
            TrainingError: if the loss or the gradient is no longer finite, or there is nothing to train on.
            CheckpointError: if a checkpoint cannot be written.
        """
        s = self.settings
        if not self.encoded:
            raise TrainingError("there is nothing to train on: no pair was given")
        bar = tqdm(total=s.tokens, initial=self.tokens, unit="tok", unit_scale=True, disable=not progress)
        with bar, _stop_on_interrupt() as stop:
            while self.tokens < s.tokens and not stop["asked"]:
                batches = token_batches(self.encoded, s.tokens_per_batch, s.seed, self.epoch)
                for batch in batches[self.index :]:
                    began = time.monotonic()
                    loss = self.train_step(batch)
                    self.seconds += time.monotonic() - began
                    self.tokens += batch.target_tokens
                    self.loss_sum += loss * batch.target_tokens
                    self.since += batch.target_tokens
                    self.step, self.index = self.step + 1, self.index + 1
                    bar.update(batch.target_tokens)
                    bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
                    if self.since >= s.validate_every or self.tokens >= s.tokens:
                        self._note(bar, on_validation)
                    if self.tokens >= s.tokens or stop["asked"]:
                        break
                else:
                    self.epoch, self.index = self.epoch + 1, 0
            if stop["asked"]:
                self.save()
        return self.tokens >= s.tokens

    def _note(self, bar: tqdm, on_validation: Callable[["Trainer"], None] | None) -> None:
        """Validate, add to the curve, write the checkpoint."""
        record = {"tokens": self.tokens, "step": self.step, "train_loss": self.loss_sum / self.since}
        record["rate"] = self.optimizer.param_groups[0]["lr"]
        if self.validate is not None:
            self.model.eval()
            state = torch.get_rng_state()  # validation must not move dropout's random numbers
            with torch.inference_mode():
                record |= self.validate(self.model)
            torch.set_rng_state(state)
        self.curve.append(record)
        self.loss_sum, self.since = 0.0, 0
        self.save()
        if not bar.disable:
            bar.write("  ".join(f"{name} {value:.4g}" for name, value in record.items() if name != "step"))
        if on_validation is not None:
            on_validation(self)


def _differences(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> list[str]:
    """What differs between two nested records, each difference by its dotted name."""
    found = []
    for key in {**old, **new}:
        before, now = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(now, dict):
            found += _differences(before, now, f"{prefix}{key}.")
        elif before != now:
            found.append(f"{prefix}{key}: {before} before, {now} now")
    return found


def plateau(curve: Sequence[dict[str, int | float]], key: str = "validation_bleu", patience: int = 5) -> bool:
    """Whether the best value of ``key`` is at least ``patience`` validations old."""
    values = [record[key] for record in curve if key in record]
    return len(values) > patience and max(values[:-patience]) >= max(values[-patience:])


def validation_loss(model: nn.Module, batches: Sequence[Batch]) -> float:
    """Mean cross-entropy in nats a target token, ``</s>`` included, without smoothing."""
    device = next(model.parameters()).device
    total = count = 0.0
    for batch in batches:
        batch = batch.to(device)
        logits = model(batch.src, batch.tgt_in).float()
        loss = label_smoothed_cross_entropy(logits, batch.tgt_out, smoothing=0.0)
        total += loss.item() * batch.target_tokens
        count += batch.target_tokens
    return total / count
