"""Where a recurrent translator looks while it is made to write a translation, beside the true links."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from ...little_language.sentences import LittlePair
from ...models.search_interface import inference
from ...translation.evaluation import Alignment
from ...translation.translator import Translator


@dataclass(frozen=True)
class ForcedWeights:
    """The weights with which each word of a translation was prepared.

    Attributes:
        pair: the sentence and the translation, with the true links.
        weights: a row per word of the translation; a column per word of the sentence, and one for ``</s>``.
    """

    pair: LittlePair
    weights: Float[Tensor, "target_words source_words_and_end"]

    @property
    def columns(self) -> list[str]:
        """What the columns are."""
        return [*self.pair.source_words, "</s>"]

    def told(self) -> str:
        """All weights in words."""
        each = []
        for word, row in zip(self.pair.target_words, self.weights.tolist(), strict=True):
            shares = (f"{weight:.2f} on {name!r}" for name, weight in zip(self.columns, row, strict=True))
            each.append(f"Before {word!r}: {', '.join(shares)}.")
        return " ".join(["Attention weights of the real translator.", *each])

    def largest(self) -> list[str]:
        """For each word of the translation, what has the largest weight."""
        return [self.columns[place] for place in self.weights.argmax(dim=1).tolist()]

    def links(self) -> Alignment:
        """Each word of the translation with the source word of its largest weight; none if that is ``</s>``."""
        strongest = enumerate(self.weights.argmax(dim=1).tolist())
        return frozenset((i, j) for j, i in strongest if i < len(self.pair.source_words))

    def linked(self) -> list[str]:
        """For each word of the translation, the words that it truly stands for."""
        words, links = self.pair.source_words, sorted(self.pair.alignment)
        return [" ".join(words[i] for i, j in links if j == place) for place in range(len(self.pair.target_words))]

    def rows(self) -> list[tuple[str, str, str]]:
        """A row per word of the translation: the word, its true links, the largest weight."""
        strongest = self.weights.amax(dim=1).tolist()
        largest = [f"{name} ({weight:.2f})" for name, weight in zip(self.largest(), strongest, strict=True)]
        return list(zip(self.pair.target_words, self.linked(), largest, strict=True))

    def agreeing(self) -> int:
        """For how many words the largest weight is on the true link, and on the only one."""
        return sum(a == b for a, b in zip(self.largest(), self.linked(), strict=True))


def forced_weights(translator: Translator, pair: LittlePair) -> ForcedWeights:
    """Feed a translation to a recurrent translator and keep where it looks.

    Args:
        translator: a recurrent model with attention, and its subwords.
        pair: sentence and translation, of which each word is one subword.

    Raises:
        ValueError: if a word has several subwords, so that rows and columns are not words.
    """
    subwords = translator.subwords
    source, target = subwords.encode(pair.source), subwords.encode(pair.target)
    for ids, words in ((source, pair.source_words), (target, pair.target_words)):
        pieces = tuple(piece.strip("▁") for piece in subwords.tokens(ids))
        if pieces != words:
            raise ValueError(f"each word must be one subword, and {' '.join(words)!r} is read as {' '.join(pieces)!r}")
    src, fed = torch.tensor([[*source, subwords.eos_id]]), torch.tensor([[subwords.bos_id, *target]])
    with inference(translator.model):
        weights = translator.model.attention_weights(src, fed)["cross"][0, 0, 0, :-1]
    return ForcedWeights(pair, weights)
