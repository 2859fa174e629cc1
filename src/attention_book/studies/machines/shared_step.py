"""One training step that several ranks share, played through in one process: gradients joined, right and wrong."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ...data.batching import Batch, Encoded, padded_batch, token_batches
from ...little_language.language import sample
from ...training.distributed import rows_of
from ...training.losses import label_smoothed_cross_entropy
from ...translation.translator import Translator

ROWS = 8
SIZES = (2, 4)
HEADER = ("batch", "target tokens of each rank", "weighted by tokens", "mean of means")


class Part(NamedTuple):
    """What one rank hands in.

    Attributes:
        gradient: of the mean loss of its own tokens, one tensor per parameter of the model.
        tokens: how many target tokens it has, padding not counted.
    """

    gradient: list[Tensor]
    tokens: int


def gradient_of(model: nn.Module, batch: Batch) -> list[Tensor]:
    """The gradient of the mean loss per target token, with the smoothing of the book's translators."""
    loss = label_smoothed_cross_entropy(model(batch.src, batch.tgt_in), batch.tgt_out)
    return list(torch.autograd.grad(loss, list(model.parameters())))


def parts_of(model: nn.Module, batch: Batch, size: int) -> list[Part]:
    """What each of so many ranks hands in for its rows of a batch.

    The rows are dealt as in training, by :func:`attention_book.training.distributed.rows_of`.

    Args:
        model: its dropout off; the same parameters on all ranks.
        batch: all rows.
        size: how many ranks.
    """
    dealt = [rows_of(batch, rank, size) for rank in range(size)]
    return [Part(gradient_of(model, own), tokens) for own, tokens in dealt]


def joined(parts: Sequence[Part], by_tokens: bool = True) -> list[Tensor]:
    """The gradients of all ranks as one.

    Args:
        parts: one per rank.
        by_tokens: weigh each rank by its tokens; otherwise all alike, which is the mean of their means.
    """
    total = sum(part.tokens for part in parts)
    joint = [torch.zeros_like(g) for g in parts[0].gradient]
    for part in parts:
        share = part.tokens / total if by_tokens else 1 / len(parts)
        joint = [so_far + share * g for so_far, g in zip(joint, part.gradient, strict=True)]
    return joint


def _length(gradient: Sequence[Tensor]) -> float:
    return float(torch.stack([g.square().sum() for g in gradient]).sum().sqrt())


def error(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> float:
    """The length of the difference of two gradients, as a share of the length of the one that is wanted."""
    return _length([a - b for a, b in zip(found, wanted, strict=True)]) / _length(wanted)


@cache
def learner() -> Translator:
    """The shipped translator in double precision, with dropout off, whose parameters take gradients."""
    translator = Translator.from_pretrained("en-es")
    translator.model.double().eval().requires_grad_(True)
    return translator


def encoded(n: int) -> list[Encoded]:
    """Pairs of one to three clauses of the little language, in the pieces of the translator."""
    subwords = learner().subwords
    return [(subwords.encode(pair.source), subwords.encode(pair.target)) for pair in sample(n, seed=2)]


def batches() -> dict[str, Batch]:
    """Two batches: the first :data:`ROWS` pairs as they are drawn, and one of like length, cut as the trainer cuts.

    It has fewer tokens than a batch of the translator's training. The batches that are cut from 200 pairs deal four
    ranks more or less even tokens; it is the middle one.
    """

    def unevenness(batch: Batch) -> float:
        tokens = [rows_of(batch, rank, 4)[1] for rank in range(4)]
        return max(tokens) / max(min(tokens), 1)

    whole = [b for b in token_batches(encoded(200), 24 * ROWS, seed=0, epoch=0) if len(b.src) >= ROWS]
    return {"as drawn": padded_batch(encoded(ROWS)), "of like length": sorted(whole, key=unevenness)[len(whole) // 2]}


@cache
def measured() -> dict[tuple[str, int], tuple[list[int], float, float]]:
    """By batch and number of ranks: the tokens of each rank, and the error of both ways of joining."""
    found = {}
    for name, batch in batches().items():
        whole = gradient_of(learner().model, batch)
        for size in SIZES:
            parts = parts_of(learner().model, batch, size)
            errors = (error(joined(parts, by_tokens), whole) for by_tokens in (True, False))
            found[name, size] = ([part.tokens for part in parts], *errors)
    return found


def part_lengths(name: str, size: int) -> list[float]:
    """How many times as long the gradient of each rank is as that of the whole batch.

    Args:
        name: of one of :func:`batches`.
        size: how many ranks.
    """
    batch, model = batches()[name], learner().model
    whole = _length(gradient_of(model, batch))
    return [_length(part.gradient) / whole for part in parts_of(model, batch, size)]


def rows() -> list[tuple[str, str, str, str]]:
    """A row per batch and number of ranks, for :data:`HEADER`."""
    return [
        (name, " + ".join(map(str, tokens)), f"{right:.0e}".replace("-", "\N{MINUS SIGN}"), f"{100 * wrong:.1f} %")
        for (name, _), (tokens, right, wrong) in measured().items()
    ]


def numbers() -> dict[str, float | int]:
    """What the page's text is given, by name: sentences per batch, and errors: the largest, the wrong way's in %.

    The wrong way's are those of the most ranks, for which they are largest.
    """
    drawn, alike = ([measured()[name, size] for size in SIZES] for name in batches())
    n_drawn, n_alike = (len(batch.src) for batch in batches().values())
    lengths = part_lengths("of like length", SIZES[-1])
    return {
        "longer_least": min(lengths),
        "longer_most": max(lengths),
        "n_drawn": n_drawn,
        "n_alike": n_alike,
        "rounding": max(right for _, right, _ in drawn + alike),
        "wrong_drawn": 100 * drawn[-1][2],
        "wrong_alike": 100 * alike[-1][2],
    }
