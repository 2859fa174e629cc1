"""A thousand random searches, on which the stop rule of a beam must be the same wherever it is written."""

from functools import cache
from typing import NamedTuple

import torch
from translation.test_decoding import EOS, TableModel

from attention_book.translation.beam_tree import BeamTree, grow

COUNT = 1_000
ALPHAS = (0.0, 0.3, 0.6, 1.0)
SOURCE = torch.tensor([[0, 3, EOS]])


class Search(NamedTuple):
    """A language, the width of a beam, the most tokens, a length penalty to stop it by, and the tree of it all."""

    model: TableModel
    beam_size: int
    limit: int
    alpha: float
    tree: BeamTree


@cache
def random_searches():
    """Searches in languages whose log-probabilities are quarters: sums are exact, and equal scores are common."""
    generator = torch.Generator().manual_seed(14)
    found = []
    for number in range(COUNT):
        quarters = torch.randint(1, 13, (1, 5, 5), generator=generator, dtype=torch.float64)
        quarters[:, :, EOS] += number % 7
        quarters[:, 4, 3] = torch.inf  # never: so some beams get narrower
        model, beam_size, limit = TableModel(-quarters / 4), 1 + number % 4, 2 + number % 6
        tree = grow(model, SOURCE, beam_size, (), limit, dropped=1)
        found.append(Search(model, beam_size, limit, ALPHAS[number // 4 % 4], tree))
    return found


def recorded(search):
    """The search as the explorer *grow the beam tree* keeps it, each token under the name of its id."""
    steps = [
        [[one.parent, "</s>" if one.tokens[-1] == EOS else f"▁{one.tokens[-1]}", one.log_prob, one.fate[0]]
         for one in step.candidates]
        for step in search.tree.steps
    ]  # fmt: skip
    return {"source": "x", "limit": search.limit, "beams": {str(search.beam_size): steps}}
