"""Making gaps in sentences, and the loss of filling them: masked language modelling (Devlin et al. 2019, §3.1)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

Tokens = Int[Tensor, "batch length"]


@dataclass(frozen=True)
class GapRecipe:
    """How positions are chosen, and what is shown there.

    Attributes:
        share: share of the real tokens of a sentence that are chosen, rounded, at least one.
        hidden: share of the chosen positions that show the mark of a gap.
        replaced: share of them that show a word drawn evenly; the rest show their own word.
        gap_id: the mark of a gap.
        words: replacements are drawn from the ids from the first number up to, not including, the second.
        pad_id: the id of the padding.
    """

    gap_id: int
    words: tuple[int, int]
    share: float = 0.15
    hidden: float = 0.8
    replaced: float = 0.1
    pad_id: int = 0


def make_gaps(ids: Tokens, recipe: GapRecipe, generator: torch.Generator) -> tuple[Tokens, Tokens]:
    """Choose positions of each sentence and change what is shown there.

    Args:
        ids: sentences, padded.
        recipe: how many positions, and what is shown there.
        generator: what chance is drawn from.

    Returns:
        ``(shown, wanted)``: what the encoder reads, and the true word at each chosen position; elsewhere ``wanted`` is
        padding, which the loss leaves out.

    Raises:
        ValueError: if a share is not between 0 and 1, or more than all chosen positions are hidden or replaced.
    """
    if not 0 <= recipe.share <= 1:
        raise ValueError(f"share is a part of the tokens, from 0 to 1, not {recipe.share}")
    if recipe.hidden < 0 or recipe.replaced < 0 or recipe.hidden + recipe.replaced > 1:
        raise ValueError(f"hidden and replaced are from 0 to 1 together, not {recipe.hidden} and {recipe.replaced}")
    real = ids != recipe.pad_id
    n_chosen = (recipe.share * real.sum(dim=1)).round().clamp(min=1)
    order = torch.rand(ids.shape, generator=generator).masked_fill(~real, 2.0)
    rank = order.argsort(dim=1).argsort(dim=1)  # a random place in line for every real token
    chosen = (rank < n_chosen[:, None]) & real
    draw = torch.rand(ids.shape, generator=generator)
    words = torch.randint(*recipe.words, ids.shape, generator=generator)
    shown = torch.where(chosen & (draw < recipe.hidden), recipe.gap_id, ids)
    replaced = chosen & (draw >= recipe.hidden) & (draw < recipe.hidden + recipe.replaced)
    shown = torch.where(replaced, words, shown)
    return shown, torch.where(chosen, ids, recipe.pad_id)


def gap_loss(logits: Float[Tensor, "batch length vocab_size"], wanted: Tokens, pad_id: int = 0) -> Float[Tensor, ""]:
    r"""The mean loss over the chosen positions C, in nats per gap; the other positions do not count.

    .. math:: -\frac{1}{|C|} \sum_{i \in C} \log P(w_i \mid \text{what is shown})

    Args:
        logits: a row per position.
        wanted: the true words at the chosen positions, padding elsewhere.
        pad_id: the id of the padding.
    """
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=pad_id)
