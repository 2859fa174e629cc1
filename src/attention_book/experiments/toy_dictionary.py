"""A toy language, a dictionary whose words have synonyms, and a Transformer whose decoder sees the whole answer."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from ..attention.masks import padding_mask
from ..models.transformer import Transformer

FIRST_WORD = 3  # ids 0 to 2 are <pad>, <s> and </s>


class UnmaskedTransformer(Transformer):
    """A Transformer whose decoder hides the padding and nothing else."""

    def _self_mask(self, tgt: Tensor, cache: None) -> Tensor:
        return padding_mask(tgt, self.config.pad_id)


class Dictionary:
    """The toy language: which target words translate which source word. Ids of source and target do not overlap."""

    def __init__(self, words: int, synonyms: int, generator: torch.Generator):
        self.words, self.synonyms = words, synonyms
        self.concept = torch.randperm(words, generator=generator)  # of each source word
        self.first_target = FIRST_WORD + words
        self.vocab_size = self.first_target + words * synonyms

    def sample(
        self, n: int, length: int, generator: torch.Generator
    ) -> tuple[Int[Tensor, "n length"], Int[Tensor, "n length"]]:
        """``n`` pairs of sentences, without special tokens."""
        source = torch.randint(self.words, (n, length), generator=generator)
        choice = torch.randint(self.synonyms, (n, length), generator=generator)
        return FIRST_WORD + source, self.first_target + self.synonyms * self.concept[source] + choice

    def share_right(self, guess: Int[Tensor, "n length"], target: Int[Tensor, "n length"]) -> float:
        """How many of the guessed words translate the right source word; every synonym counts."""
        concepts = [torch.div(ids - self.first_target, self.synonyms, rounding_mode="floor") for ids in (guess, target)]
        return (concepts[0] == concepts[1]).double().mean().item()

    def floor(self, length: int) -> float:
        """The least mean loss of a model that does not see the answer, in nats per token; ``</s>`` is certain."""
        return math.log(self.synonyms) * length / (length + 1)


def with_start(target: Int[Tensor, "n length"], bos_id: int) -> Int[Tensor, "n longer"]:
    """The decoder's input: the target, moved one place to the right behind ``<s>``."""
    return F.pad(target, (1, 0), value=bos_id)
