"""One step of training of a whole stack of models, and how such models are trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from .lessons import losses_and_gradient
from .stack import Stack


@dataclass(frozen=True)
class Recipe:
    """How models are trained side by side. Budgets count target tokens of one model, padding left out.

    Attributes:
        tokens: target tokens that each model is trained on.
        tokens_per_batch: padded size of a batch of one model, on each side.
        peak_rate, warmup: of :func:`attention_book.training.schedules.warmup_then_decay`.
        smoothing: label smoothing ε.
        weight_decay: AdamW's, on matrices only.
        clip: largest norm of the gradient of one model.
        subword_dropout: share of merges left out (:func:`attention_book.training.together.shelves.dropped_encodings`).
        agreement: α of R-Drop (Wu et al. 2021, §2): each batch is read twice, with other units dropped, and the two
            predictions are drawn together.
        average: decay of an exponential moving average of the parameters, which is then the model that is kept; 0
            keeps the last parameters.
        taught: share of the loss that compares with the teachers instead of the reference.
    """

    tokens: int
    tokens_per_batch: int = 4096
    peak_rate: float = 1e-3
    warmup: float = 0.04
    smoothing: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    subword_dropout: float = 0.0
    agreement: float = 0.0
    average: float = 0.0
    taught: float = 0.0

    def __post_init__(self):
        for name in ("tokens", "tokens_per_batch", "peak_rate", "clip"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        for name in ("warmup", "smoothing", "subword_dropout", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1, got {getattr(self, name)}")
        if not 0 <= self.taught <= 1 or self.agreement < 0:
            raise ValueError(f"need taught from 0 to 1 and agreement >= 0, got {self.taught} and {self.agreement}")


class Update:
    """One step of training of a whole stack: forward, loss, backward, clip, AdamW, average.

    Args:
        stack: what is trained.
        recipe: how.
        teachers: stacks whose models' mean probability is the lesson; needed where ``recipe.taught`` is above 0.

    Attributes:
        loss_sum: the losses of all steps so far, a sum for each model.
        averaged: the moving averages of the parameters.
    """

    def __init__(self, stack: Stack, recipe: Recipe, teachers: Sequence[Stack] = ()):
        if bool(recipe.taught) != bool(teachers):
            raise ValueError("teachers are given where recipe.taught is above 0, and only there")
        self.stack, self.recipe, self.teachers = stack, recipe, teachers
        on_gpu = stack.device.type == "cuda"
        self.rate = torch.tensor(recipe.peak_rate, device=stack.device) if on_gpu else recipe.peak_rate
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [stack.matrices], "weight_decay": recipe.weight_decay},
                {"params": [stack.vectors], "weight_decay": 0.0},
            ],
            lr=self.rate,
            betas=(0.9, 0.98),
            eps=1e-9,
            fused=True,
            capturable=on_gpu,
        )
        self.loss_sum = torch.zeros(stack.models, device=stack.device)
        self.averaged = [p.detach().clone() for p in stack.parameters()] if recipe.average else stack.parameters()
        for parameter in stack.parameters():  # the moments are made now, so that a checkpoint can be put into them
            self.optimizer.state[parameter] = {
                "step": torch.zeros((), device=stack.device if on_gpu else "cpu"),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        self._graphs: dict[tuple[int, ...], tuple[Any, Tensor, Tensor]] = {}
        self._pool = None

    def moments(self, parameter: Tensor) -> dict[str, Tensor]:
        """What AdamW remembers of a parameter: its steps, the mean gradient, the mean square."""
        return self.optimizer.state[parameter]

    def __call__(self, src: Int[Tensor, "models batch src_len"], tgt: Int[Tensor, "models batch tgt_len"], rate: float):
        """Make one update.

        Args:
            src: pieces, ``</s>``, padding.
            tgt: ``<s>``, pieces, ``</s>``, padding.
            rate: the learning rate.
        """
        if self.stack.device.type != "cuda":
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self._compute(src, tgt)
            return
        self.rate.fill_(rate)
        shape = tuple(src.shape)
        if shape not in self._graphs:
            self._graphs[shape] = self._recorded(src, tgt)
        graph, kept_src, kept_tgt = self._graphs[shape]
        kept_src.copy_(src)
        kept_tgt.copy_(tgt)
        graph.replay()

    def _recorded(self, src: Tensor, tgt: Tensor) -> tuple[Any, Tensor, Tensor]:
        """The kernels of one update for this shape; what the trial runs change is put back."""
        kept_src, kept_tgt = src.clone(), tgt.clone()
        state = [*self.stack.parameters(), self.loss_sum, *(self.averaged if self.recipe.average else ())]
        state += [moment for parameter in self.stack.parameters() for moment in self.moments(parameter).values()]
        if not self._graphs:
            self._trial(state, lambda: self._compute(kept_src, kept_tgt))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            self._compute(kept_src, kept_tgt)
        self._pool = self._pool or graph.pool()
        return graph, kept_src, kept_tgt

    def _trial(self, state: list[Tensor], run: Callable[[], None]) -> None:
        """Run twice beside the main stream, as recording asks, and put everything back as it was."""
        before = [tensor.detach().clone() for tensor in state]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                run()
        torch.cuda.current_stream().wait_stream(side)
        with torch.no_grad():
            for tensor, old in zip(state, before, strict=True):
                tensor.copy_(old)

    def _compute(self, src: Tensor, tgt: Tensor) -> None:
        recipe, stack = self.recipe, self.stack
        tgt_out = tgt[..., 1:]
        tgt_in = torch.where(tgt[..., :-1] == stack.config.eos_id, stack.config.pad_id, tgt[..., :-1])
        lesson = self._lesson(src, tgt_in) if self.teachers else None
        if recipe.agreement:
            src, tgt_in, tgt_out = (torch.cat([t, t], dim=1) for t in (src, tgt_in, tgt_out))
            lesson = None if lesson is None else torch.cat([lesson, lesson], dim=1)
        logits = stack.logits(src, tgt_in, training=True)
        each, gradient = losses_and_gradient(
            logits, tgt_out, recipe.smoothing, recipe.agreement, recipe.taught, lesson, stack.config.pad_id
        )
        gradients = torch.autograd.grad(logits, stack.parameters(), gradient)
        norms = sum(gradient.square().sum(1, keepdim=True) for gradient in gradients).sqrt()
        scale = (recipe.clip / (norms + 1e-6)).clamp(max=1)
        for parameter, gradient in zip(stack.parameters(), gradients, strict=True):
            parameter.grad = gradient * scale
        self.optimizer.step()
        with torch.no_grad():
            self.loss_sum += each
            if recipe.average:
                for mean, parameter in zip(self.averaged, stack.parameters(), strict=True):
                    mean.lerp_(parameter, 1 - recipe.average)

    @torch.no_grad()
    def _lesson(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        """The mean of all teachers' probabilities; every teacher reads the batches of every pupil."""
        total, count = 0.0, 0
        for stack in self.teachers:
            rows = [t.reshape(1, -1, t.shape[-1]).expand(stack.models, -1, -1) for t in (src, tgt_in)]
            scores = stack.logits(*rows, training=False)
            told = scores.softmax(-1, dtype=torch.promote_types(scores.dtype, torch.float32)).sum(0)
            total, count = total + told.view(*tgt_in.shape, -1), count + stack.models
        return total / count


@torch.no_grad()
def greedy(model: nn.Module, src: Int[Tensor, "batch src_len"], most: int = 60) -> list[list[int]]:
    """Greedy translations of one large batch, every step computed from the beginning: short, and quick on a GPU.

    The tokens are those of :func:`attention_book.translation.decoding.greedy_decode` but for its limit of length.

    Args:
        model: a Transformer in evaluation mode.
        src: source ids with ``</s>``, padded.
        most: tokens that a translation may have.

    Returns:
        The ids of each row, without special ones.
    """
    c = model.config
    memory = model.encode(src)
    tokens = src.new_full((len(src), 1), c.bos_id)
    ended = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    with src.device:
        for _ in range(most):
            logits = model.decode(tokens, memory)[:, -1]
            logits[:, [c.pad_id, c.bos_id]] = -torch.inf
            new = torch.where(ended, c.pad_id, logits.argmax(-1))
            tokens = torch.cat([tokens, new[:, None]], dim=1)
            ended = ended | (new == c.eos_id)
            if bool(ended.all()):
                break
    special = {c.pad_id, c.bos_id, c.eos_id}
    return [[token for token in row if token not in special] for row in tokens[:, 1:].tolist()]
