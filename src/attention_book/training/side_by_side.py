r"""Several models of one shape, trained side by side on one device: as many seeds, or teachers, in the time of one.

A small model leaves most of a large device idle: its kernels are over before the next ones have been started. Here the
parameters of ``models`` models are one matrix with a row each, and every kernel serves all of them; on a GPU the
kernels of an update are recorded once for each shape of batch and played again. What is computed is the forward pass of
:class:`attention_book.models.transformer.Transformer` and the loss of :func:`losses`, in fewer kernels: queries, keys
and values are one product, and the gradient of the loss with respect to the logits is made together with it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..models.transformer import Transformer, TransformerConfig


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
        subword_dropout: share of merges left out (:func:`attention_book.training.length_shelves.dropped_encodings`).
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


class Stack:
    """The parameters of several models of one configuration, and one function that runs them all.

    Args:
        config: of every model: pre-norm, sinusoidal positions, one tied table, biases, heads that share d_model.
        seeds: one a model; each starts as ``Transformer(config)`` does after ``torch.manual_seed(seed)``.
        device: where they live.
        dtype: what the matrix products are computed in; the parameters themselves stay in float32 or wider.

    Attributes:
        matrices, vectors: the parameters of two axes and of one, flattened: a row a model.

    Raises:
        ValueError: for a configuration of another kind.
    """

    def __init__(
        self,
        config: TransformerConfig,
        seeds: Sequence[int],
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ):
        usual = {
            "norm": "pre",
            "positions": "sinusoidal",
            "tie_embeddings": True,
            "bias": True,
            "d_k": None,
            "d_v": None,
        }
        if wrong := [name for name, value in usual.items() if getattr(config, name) != value]:
            raise ValueError(f"models are trained side by side with the usual {', '.join(wrong)} only")
        self.config, self.models, self.device, self.dtype = config, len(seeds), torch.device(device), dtype
        starts = []
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                module = Transformer(config)
            starts.append(dict(module.named_parameters()))
        kept = torch.promote_types(dtype, torch.float32)
        self.shapes = {name: parameter.shape for name, parameter in starts[0].items()}
        self.names = {
            True: [name for name, shape in self.shapes.items() if len(shape) >= 2],
            False: [name for name, shape in self.shapes.items() if len(shape) < 2],
        }
        self.matrices, self.vectors = (
            torch.stack([torch.cat([start[name].detach().flatten() for name in self.names[wide]]) for start in starts])
            .to(self.device, kept)
            .requires_grad_()
            for wide in (True, False)
        )
        self.positions = module.positions.to(self.device, dtype)

    def parameters(self) -> list[Tensor]:
        """The two leaves that an optimizer moves."""
        return [self.matrices, self.vectors]

    def _packed(self, parameters: Sequence[Tensor] | None) -> dict[str, Tensor]:
        """The parameters by name, with an axis of models in front, in the precision of the products.

        Projections of one input that follow each other are one: ``w_qkv`` of self-, ``w_kv`` of cross-attention.
        """
        found = {}
        for wide, flat in zip((True, False), parameters or self.parameters(), strict=True):
            sizes: dict[str, int] = {}
            for name in self.names[wide]:
                owner, _, kind = name.rpartition(".")
                if owner.endswith(("self_attention.w_q", "self_attention.w_k", "self_attention.w_v")):
                    owner = owner[:-1] + "qkv"
                elif owner.endswith(("cross_attention.w_k", "cross_attention.w_v")):
                    owner = owner[:-1] + "kv"
                name_of_all = f"{owner}.{kind}"
                sizes[name_of_all] = sizes.get(name_of_all, 0) + self.shapes[name].numel()
            for (name, size), piece in zip(sizes.items(), flat.to(self.dtype).split([*sizes.values()], 1), strict=True):
                width = self.config.d_ff if name.endswith("w_2.weight") else self.config.d_model
                found[name] = piece.view(self.models, size // width, width) if wide else piece[:, None]
        return found

    def logits(
        self,
        src: Int[Tensor, "models batch src_len"],
        tgt: Int[Tensor, "models batch tgt_len"],
        training: bool,
        parameters: Sequence[Tensor] | None = None,
    ) -> Float[Tensor, "models batch tgt_len vocab_size"]:
        """What each model gives for a batch of its own.

        Pitfall: a target may be padded at its end only. What a padded target position gives is of no use.
        """
        run = _Pass(self, self._packed(parameters), training)
        return run.decoded(tgt, run.encoded(src), src)

    def model(self, which: int, parameters: Sequence[Tensor] | None = None) -> Transformer:
        """One of the models, by itself, in float32 and in evaluation mode, on the processor."""
        alone = Transformer(self.config)
        stacked = {}
        for wide, flat in zip((True, False), parameters or self.parameters(), strict=True):
            pieces = flat[which].detach().cpu().split([self.shapes[name].numel() for name in self.names[wide]])
            stacked |= {n: p.view(self.shapes[n]) for n, p in zip(self.names[wide], pieces, strict=True)}
        with torch.no_grad():
            for name, parameter in alone.named_parameters():
                parameter.copy_(stacked[name])
        return alone.eval()


class _Pass:
    """One forward pass of a stack; vectors are (models, rows · length, d_model)."""

    def __init__(self, stack: Stack, named: dict[str, Tensor], training: bool):
        self.stack, self.named, self.config = stack, named, stack.config
        self.dropout = stack.config.dropout if training else 0.0
        self.attention_dropout = stack.config.attention_dropout if training else 0.0

    def linear(self, x: Tensor, name: str) -> Tensor:
        return torch.baddbmm(self.named[f"{name}.bias"], x, self.named[f"{name}.weight"].transpose(1, 2))

    def norm(self, x: Tensor, name: str) -> Tensor:
        plain = F.layer_norm(x, x.shape[-1:])
        return torch.addcmul(self.named[f"{name}.bias"], plain, self.named[f"{name}.weight"])

    def add(self, x: Tensor, change: Tensor) -> Tensor:
        return x + F.dropout(change, self.dropout)

    def embedded(self, tokens: Tensor) -> Tensor:
        models, batch, length = tokens.shape
        table = self.named["src_embedding.weight"]
        shift = torch.arange(models, device=tokens.device)[:, None, None] * table.shape[1]
        vectors = F.embedding(tokens + shift, table.flatten(0, 1)) * math.sqrt(self.config.d_model)
        return F.dropout(vectors + self.stack.positions[:length], self.dropout).view(models, batch * length, -1)

    def heads(self, x: Tensor, batch: int, parts: int) -> tuple[Tensor, ...]:
        """The parts of a product, each (models · batch, heads, length, d_k)."""
        c = self.config
        models, rows, _ = x.shape
        cut = x.view(models * batch, rows // batch, parts, c.n_heads, c.d_model // c.n_heads)
        return cut.permute(2, 0, 3, 1, 4).unbind(0)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, name: str) -> Tensor:
        found = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.attention_dropout, is_causal=mask is None
        )
        merged = found.transpose(1, 2).reshape(self.stack.models, -1, self.config.d_model)
        return self.linear(merged, f"{name}.w_o")

    def feed_forward(self, x: Tensor, name: str) -> Tensor:
        inner = torch.relu(self.linear(self.norm(x, f"{name}.add_feed_forward.norm"), f"{name}.feed_forward.w_1"))
        return self.add(x, self.linear(inner, f"{name}.feed_forward.w_2"))

    def visible(self, src: Tensor, queries: int) -> Tensor:
        """What may be attended to in the source, as numbers to add to the scores."""
        real = (src != self.config.pad_id).flatten(0, 1)
        hidden = torch.zeros(real.shape, dtype=self.stack.dtype, device=src.device).masked_fill(~real, -math.inf)
        return hidden[:, None, None, :].expand(-1, self.config.n_heads, queries, -1)

    def encoded(self, src: Tensor) -> Tensor:
        x, batch, mask = self.embedded(src), src.shape[1], self.visible(src, src.shape[2])
        for number in range(self.config.n_layers):
            name = f"encoder.layers.{number}"
            h = self.norm(x, f"{name}.add_attention.norm")
            q, k, v = self.heads(self.linear(h, f"{name}.self_attention.w_qkv"), batch, 3)
            x = self.add(x, self.mixed(q, k, v, mask, f"{name}.self_attention"))
            x = self.feed_forward(x, name)
        return self.norm(x, "encoder.norm")

    def decoded(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        x, batch, mask = self.embedded(tgt), tgt.shape[1], self.visible(src, tgt.shape[2])
        for number in range(self.config.n_layers):
            name = f"decoder.layers.{number}"
            h = self.norm(x, f"{name}.add_self.norm")
            q, k, v = self.heads(self.linear(h, f"{name}.self_attention.w_qkv"), batch, 3)
            x = self.add(x, self.mixed(q, k, v, None, f"{name}.self_attention"))
            h = self.norm(x, f"{name}.add_cross.norm")
            (q,) = self.heads(self.linear(h, f"{name}.cross_attention.w_q"), batch, 1)
            k, v = self.heads(self.linear(memory, f"{name}.cross_attention.w_kv"), batch, 2)
            x = self.add(x, self.mixed(q, k, v, mask, f"{name}.cross_attention"))
            x = self.feed_forward(x, name)
        states = self.norm(x, "decoder.norm")
        scores = torch.bmm(states, self.named["src_embedding.weight"].transpose(1, 2))
        return scores.view(*tgt.shape, -1)


def losses(
    logits: Float[Tensor, "models batch length vocab_size"],
    targets: Int[Tensor, "models batch length"],
    smoothing: float,
    agreement: float = 0.0,
    taught: float = 0.0,
    lesson: Float[Tensor, "models batch length vocab_size"] | None = None,
    pad_id: int = 0,
) -> Float[Tensor, " models"]:
    r"""The loss of each model: smoothed cross-entropy, agreement of two readings, and what the teachers say.

    .. math:: (1 - \lambda)\,\ell(y) - \lambda \sum_i r_i \log p_i
        + \frac{\alpha}{4}\,\bigl(\operatorname{KL}(p\,\|\,p') + \operatorname{KL}(p'\,\|\,p)\bigr)

    with ℓ of :func:`attention_book.training.losses.label_smoothed_cross_entropy`, r the mean of the teachers'
    probabilities, and p, p' the two predictions for one target; averaged over the tokens that are not padding. The
    first and the last term are half of Wu et al. 2021, equation 4, which adds the losses of the two readings.

    Args:
        logits: with ``agreement``, the second half of each batch is the first half read again.
        targets: true ids.
        smoothing: ε.
        agreement: α; 0 leaves the last term out.
        taught: λ; 0 leaves the teachers out.
        lesson: r, one distribution a target.
        pad_id: targets that count nowhere.
    """
    log_p = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    real = targets != pad_id
    count = real.sum((1, 2)).clamp(min=1)
    known = log_p.gather(-1, targets[..., None])[..., 0]
    each = -(1 - smoothing) * known
    if smoothing:
        each = each - smoothing * log_p.mean(-1)
    if taught:
        each = (1 - taught) * each - taught * (lesson * log_p).sum(-1)
    loss = (each * real).sum((1, 2)) / count
    if agreement:
        one, two = log_p.chunk(2, dim=1)
        apart = ((one.exp() - two.exp()) * (one - two)).sum(-1)  # both divergences together
        half = real.chunk(2, dim=1)[0]
        loss = loss + agreement / 4 * (apart * half).sum((1, 2)) / half.sum((1, 2)).clamp(min=1)
    return loss


@torch.no_grad()
def losses_and_gradient(
    logits: Float[Tensor, "models batch length vocab_size"],
    targets: Int[Tensor, "models batch length"],
    smoothing: float,
    agreement: float = 0.0,
    taught: float = 0.0,
    lesson: Float[Tensor, "models batch length vocab_size"] | None = None,
    pad_id: int = 0,
) -> tuple[Float[Tensor, " models"], Float[Tensor, "models batch length vocab_size"]]:
    r""":func:`losses`, and the gradient of their sum with respect to the logits, in few passes over these.

    Of the cross-entropies the gradient is :math:`p - q` for the whole target distribution q. Of the two divergences
    together it is :math:`p\,(d - m) + (p - p')`, with :math:`d = \log p - \log p'` and its mean m under p.

    Args:
        logits, targets, smoothing, agreement, taught, lesson, pad_id: as for :func:`losses`.

    Returns:
        ``(losses, gradient)``, the gradient in the precision of the logits.
    """
    log_p = logits.log_softmax(-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    real = targets != pad_id
    share = real.to(log_p.dtype) / real.sum((1, 2), keepdim=True).clamp(min=1)
    each = -(1 - smoothing) * log_p.gather(-1, targets[..., None])[..., 0]
    if smoothing:
        each -= smoothing * log_p.mean(-1)
    if taught:
        each = (1 - taught) * each - taught * (lesson * log_p).sum(-1)
    loss = (each * share).sum((1, 2))
    more = None
    if agreement:
        one, two = log_p.chunk(2, dim=1)
        weight = agreement / 2 * share.chunk(2, dim=1)[0]  # half as many targets are real in a half: α/4 becomes α/2
        difference, p, other = one - two, one.exp(), two.exp()
        apart = p - other
        loss += (weight * (apart * difference).sum(-1)).sum((1, 2))
        m, n = (p * difference).sum(-1, keepdim=True), (other * difference).sum(-1, keepdim=True)
        more = torch.cat([p * (difference - m) + apart, -other * (difference - n) - apart], dim=1)
        more *= torch.cat([weight, weight], dim=1)[..., None]
    p = log_p.exp_()
    if taught:
        p.sub_(lesson, alpha=taught)
    told = torch.full_like(each, -(1 - taught) * (1 - smoothing))[..., None]
    p.scatter_add_(-1, targets[..., None], told)
    gradient = torch.empty_like(logits)
    torch.addcmul(share[..., None] * (-(1 - taught) * smoothing / logits.shape[-1]), p, share[..., None], out=gradient)
    return loss, gradient if more is None else gradient + more.to(gradient.dtype)


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
