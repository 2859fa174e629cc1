"""A translation that must begin in a given way: what a model goes on to write after words that are not its own."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..models.search_interface import SearchModel


class ForcedBeginning(NamedTuple):
    """A model whose translations begin with given ids; what follows them is the model's own.

    It can be searched as any `SearchModel`. Each forced id keeps the log-probability that the model gives it, so a
    score counts what the beginning costs; all other ids have minus infinity in its place.

    Attributes:
        model: any `SearchModel`.
        ids: the beginning, without ``<s>``.
    """

    model: SearchModel
    ids: tuple[int, ...]

    @property
    def config(self) -> Any:
        """That of the model."""
        return self.model.config

    def encode(self, src: Tensor) -> Any:
        """What the model keeps of the sources."""
        return self.model.encode(src)

    def start(self, memory: Any) -> "_Place":
        """The state before the first id of the beginning."""
        return _Place(self.model.start(memory), 0)

    def step(self, tokens: Tensor, state: "_Place") -> tuple[Tensor, "_Place"]:
        """Feed one token per row; while the beginning lasts, its next id alone has a probability."""
        log_probs, after = self.model.step(tokens, state.state)
        if state.written < len(self.ids):
            wanted = self.ids[state.written]
            only = torch.full_like(log_probs, -torch.inf)
            only[:, wanted] = log_probs[:, wanted]
            log_probs = only
        return log_probs, _Place(after, state.written + 1)


class _Place(NamedTuple):
    """The state of a search, and how many pieces have been written."""

    state: Any
    written: int

    def reorder(self, rows: Tensor) -> "_Place":
        return _Place(self.state.reorder(rows), self.written)
