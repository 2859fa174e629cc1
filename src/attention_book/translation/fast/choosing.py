"""The best of many continuations, by blocks of the vocabulary, equal ones in the order of the row.

A maximum alone is several times as fast to find as a maximum and its place. So each block of the vocabulary is asked
for its maximum, and only the blocks with the largest are looked into. Nothing is lost: if an element is among the K
first,
in the order by value and then by place, then its block is among the K first blocks, in the order by maximum and then by
place. For each block before its own holds an element that comes before it.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .packing import BLOCK

_ROWS_AT_ONCE = 32  # whose logits stay in a processor's cache between two operations


class Scored:
    """Logits, made ready to choose from: `<pad>` and `<s>` are −∞, and the maximum of each block is known.

    Args:
        logits: whole blocks; they are changed.
        forbidden: the ids of `<pad>` and `<s>`.

    Raises:
        FloatingPointError: by `best` and `largest`, where there is NaN.
    """

    def __init__(self, logits: Float[Tensor, "rows vocab"], forbidden: Int[Tensor, " ids"]):
        self.logits = logits
        self.set_aside = logits.index_select(1, forbidden)
        logits.index_fill_(1, forbidden, -math.inf)
        self.maxima = logits.view(len(logits), -1, BLOCK).amax(dim=2)

    def log_sum_exp(self) -> Float[Tensor, " rows"]:
        """log Σ exp over the whole vocabulary, `<pad>` and `<s>` included: what makes a logit a log-probability."""
        largest = self.maxima.amax(dim=1)
        # Of all that torch has for this, its log_softmax is soonest done; its largest number is largest − log Σ exp.
        rest = torch.cat([rows.log_softmax(dim=1).amax(dim=1) for rows in self.logits.split(_ROWS_AT_ONCE)])
        rest = torch.where(largest > -math.inf, largest - rest, largest)
        return torch.logaddexp(rest, self.set_aside.logsumexp(dim=1))

    def best(self) -> tuple[Float[Tensor, " rows"], Int[Tensor, " rows"]]:
        """The largest logit of each row and its id; of equal ones the lowest id."""
        best, block = self.maxima.max(dim=1)
        blocks = self.logits.view(len(block), -1, BLOCK)
        inside = blocks.gather(1, block[:, None, None].expand(-1, 1, BLOCK))[:, 0]
        return _without_nan(best), inside.max(dim=1).indices + block * BLOCK

    def largest(
        self, added: Float[Tensor, "sources width"], count: int
    ) -> tuple[Float[Tensor, "sources found"], Int[Tensor, "sources found"], Int[Tensor, "sources found"]]:
        """The `count` largest of logit + `added` over all prefixes of each source, largest first.

        Args:
            added: for each row of the logits the number that is added to it; −∞ where there is no prefix.
            count: how many, at least 1; fewer come back where there are fewer.

        Returns:
            `(totals, parents, tokens)`. Equal totals in the order of the parents, then of the tokens.
        """
        sources, width = added.shape
        maxima = (self.maxima.view(sources, width, -1) + added[:, :, None]).flatten(1)
        per_row = self.maxima.shape[1]
        blocks = largest_places(maxima, min(count, maxima.shape[1])).sort(dim=1).values  # in the order of the row
        rows = torch.arange(sources, device=blocks.device)[:, None]
        parents = blocks // per_row
        inside = self.logits.view(sources, width * per_row, BLOCK)[rows, blocks] + added.gather(1, parents)[:, :, None]
        inside = inside.flatten(1)
        places = largest_places(inside, min(count, inside.shape[1]))
        block = blocks.gather(1, places // BLOCK)
        totals = _without_nan(inside.gather(1, places))
        return totals, block // per_row, block % per_row * BLOCK + places % BLOCK


def largest_places(values: Float[Tensor, "rows columns"], count: int) -> Int[Tensor, "rows count"]:
    """Where the `count` largest of each row stand, largest first, equal ones in the order of the row.

    `torch.topk` promises no order among equals; where it meets some, a stable sort settles it.
    """
    found = values.topk(min(count + 1, values.shape[1]), dim=1)
    if (found.values[:, 1:] == found.values[:, :-1]).any():
        return values.sort(dim=1, descending=True, stable=True).indices[:, :count]
    return found.indices[:, :count]


def _without_nan(values: Tensor) -> Tensor:
    if values.isnan().any():
        raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
    return values
