"""How much a decoder computes, counted on it and not by a formula."""

from collections.abc import Callable

import torch
from torch import Tensor

from ...analysis.recording import recording
from ...models.transformer import Memory, Transformer


def counted(
    model: Transformer, way: Callable[[Transformer, Memory, Tensor], Tensor], n_words: int, rows: int = 1
) -> tuple[int, int]:
    """Runs of the decoder, and positions that it computes in each row, while a translation of n words is scored.

    Args:
        model: whose decoder is watched; what it translates does not matter.
        way: how to score, such as those of :mod:`attention_book.experiments.attention.one_pass`.
        n_words: words of the translation, to which ``</s>`` is added.
        rows: how many translations are scored side by side.
    """
    with recording(model.decoder) as calls, torch.inference_mode():
        way(model, model.encode(torch.full((rows, 6), 5)), torch.full((rows, n_words + 1), 5))
    positions = [call.inputs[0].shape[1] for call in calls[model.decoder]]
    return len(positions), sum(positions)
