"""A translator told the truth: what each row reads, what it is asked for, and how much the answer surprises it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ...analysis.seed_statistics import number
from ...data.batching import padded_batch
from ...models.transformer import Transformer, TransformerConfig
from ...translation.translator import Translator


class Asked(NamedTuple):
    """One pair under teacher forcing, row by row of the decoder.

    Attributes:
        read: the token that each row is fed, ``<s>`` first.
        wanted: the token that it is asked for, ``</s>`` last.
        probabilities: what the model gave to the token asked for.
    """

    read: Sequence[str]
    wanted: Sequence[str]
    probabilities: Sequence[float]

    @property
    def losses(self) -> list[float]:
        """The surprise at each token, in nats."""
        return [-math.log(p) for p in self.probabilities]

    @property
    def pulls(self) -> list[float]:
        """1 − p of each token: how far the gradient of its surprise pushes its own logit, from 0 to 1."""
        return [1 - p for p in self.probabilities]

    @property
    def mean(self) -> float:
        """The loss of the pair: the mean surprise per token."""
        return sum(self.losses) / len(self.losses)

    def numbers(self) -> dict[str, float | str | int]:
        """How many rows, the mean, the dearest token with its loss and its share of the whole; the shares of two."""
        order = sorted(range(len(self.wanted)), key=lambda row: -self.losses[row])
        most = order[0]
        return {
            "n_asked": len(self.wanted),
            "pair_loss": self.mean,
            "dearest": self.wanted[most].strip("▁"),
            "dearest_loss": self.losses[most],
            "dearest_share": number(self.losses[most] / sum(self.losses), ".0%"),
            "two_dearest": number(sum(self.losses[row] for row in order[:2]) / sum(self.losses), ".0%"),
            "two_dearest_pull": number(sum(self.pulls[row] for row in order[:2]) / sum(self.pulls), ".0%"),
        }


def asked(translator: Translator, source: str, target: str) -> Asked:
    """Score a translation that is given, each token after the right tokens before it.

    Args:
        translator: in evaluation mode.
        source, target: a sentence and one of its translations.
    """
    subwords = translator.subwords
    ids = subwords.encode(target)
    with torch.inference_mode():
        logits = translator.model(
            torch.tensor([[*subwords.encode(source), subwords.eos_id]]), torch.tensor([[subwords.bos_id, *ids]])
        )
    wanted = torch.tensor([*ids, subwords.eos_id])
    chosen = logits[0].double().softmax(-1).gather(-1, wanted[:, None])[:, 0]
    pieces = subwords.tokens(ids)
    return Asked(["<s>", *pieces], [*pieces, "</s>"], chosen.tolist())


def small_model_and_pair() -> tuple[Transformer, Tensor, Tensor, Tensor]:
    """A small model with random parameters, and the source, the input and the target of one pair of made-up ids."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Transformer(TransformerConfig.tiny(vocab_size=40, dropout=0.0)).double()
    batch = padded_batch([([11, 12, 13], [21, 22, 23, 24, 25])])
    return model, batch.src, batch.tgt_in, batch.tgt_out


def gradient_in_one_pass(model: Transformer, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> list[Tensor]:
    """The gradient of the mean loss of one sentence, all rows asked in one pass."""
    loss = F.cross_entropy(model(src, tgt_in)[0], tgt_out[0])
    return list(torch.autograd.grad(loss, list(model.parameters())))


def gradient_in_many_passes(model: Transformer, src: Tensor, tgt_in: Tensor, tgt_out: Tensor) -> list[Tensor]:
    """The same with a pass for each row, which sees only what it is told: the mean of the gradients of all passes."""
    rows, parameters = tgt_out.shape[1], list(model.parameters())
    total = [torch.zeros_like(p) for p in parameters]
    for row in range(rows):
        logits = model(src, tgt_in[:, : row + 1])[0, -1]
        one = torch.autograd.grad(F.cross_entropy(logits, tgt_out[0, row]), parameters)
        total = [so_far + new / rows for so_far, new in zip(total, one, strict=True)]
    return total
