"""Has the encoder told two senses of *bank* apart? The word in two contexts, beside words that have one sense."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from ...analysis.contextual_vectors import MONEY, RIVER, same_kind_nearest, states_of_word
from ...models.search_interface import inference
from ...translation.token_probabilities import chance_of
from ...translation.translator import Translator

BY_THE_RIVER = "He went to the bank of the river."
FOR_MONEY = "He went to the bank for some money."
WORDS = ("bank", "bridge", "school", "store")
"""The word, and the controls that are put in its place."""


def weights_from(translator: Translator, sentence: str, word: str, layer: int = 0) -> dict[str, float]:
    """The row of a word in a layer of the encoder, mean over the heads, by token.

    Args:
        translator: whose encoder.
        sentence: one that holds the word, and no token twice.
        word: a word that is one piece, not the first of the sentence.
        layer: counted from 0.
    """
    model, subwords = translator.model, translator.subwords
    ids = [*subwords.encode(sentence), subwords.eos_id]
    tokens = subwords.tokens(ids)
    with inference(model):
        weights = model.attention_weights(torch.tensor([ids]), torch.tensor([[subwords.bos_id]]))["encoder_self"]
    row = weights[layer, 0].mean(dim=0)[tokens.index(f"▁{word}")]
    return dict(zip(tokens, row.tolist(), strict=True))


@dataclass(frozen=True)
class Contexts:
    """What two tests say of each word.

    Attributes:
        alike: the cosine of the word's two vectors, by the river and for money, after the last layer.
        nearest: at each depth, in how many sentences the nearest vector is one of the same kind.
    """

    alike: Mapping[str, float]
    nearest: Mapping[str, list[int]]

    def header(self) -> list[str]:
        """The headings of :meth:`rows`."""
        inner = [f"after layer {n}" for n in range(len(self.nearest["bank"]) - 2)]
        return ["word", *inner, "after the last layer"]

    def rows(self) -> list[tuple[str, ...]]:
        """A row per word: of all sentences, in how many the nearest vector is one of the same kind, after each layer.

        The embeddings are left out: there vectors of equal places are the same, and chance decides which is nearest.
        """
        return [(word, *map(str, counts[1:])) for word, counts in self.nearest.items()]

    def numbers(self) -> dict[str, int]:
        """What is said of the words after the last layer, by name.

        ``bank_ahead`` is how many sentences *bank* is ahead of the best control at most, after any layer.
        """
        controls = [self.nearest[word] for word in WORDS[1:]]
        return {
            "n_texts": len(RIVER + MONEY),
            "n_each": len(RIVER),
            "last_bank": self.nearest["bank"][-1],
            "last_bridge": self.nearest["bridge"][-1],
            "bank_ahead": max(own - max(others) for own, *others in zip(self.nearest["bank"], *controls, strict=True)),
        }


def contexts(translator: Translator) -> Contexts:
    """Both tests, of all :data:`WORDS`."""
    pairs = {
        word: [states_of_word(translator, text.replace("bank", word), word)[-1] for text in (BY_THE_RIVER, FOR_MONEY)]
        for word in WORDS
    }
    alike = {word: float(torch.cosine_similarity(*pair, dim=0)) for word, pair in pairs.items()}
    return Contexts(alike, {word: same_kind_nearest(translator, word) for word in WORDS})


def outcomes(translator: Translator) -> dict[str, float | str]:
    """What the two contexts change: the row of *bank*, the translations, and the chance of *orilla*, a river's bank.

    The chance is told for *bank*, and its quotient for the controls, too.
    """
    river, money = (weights_from(translator, text, "bank") for text in (BY_THE_RIVER, FOR_MONEY))

    def chances(word: str) -> tuple[float, float]:
        texts = (text.replace("bank", word) for text in (BY_THE_RIVER, FOR_MONEY))
        by_river, for_money = (chance_of(translator, text, "Él fue a la", "orilla") for text in texts)
        return by_river, for_money

    orilla, *controls = map(chances, WORDS)
    return {
        "on_itself": river["▁bank"],
        "on_river": river["▁river"],
        "on_money": money["▁money"],
        "orilla_river": orilla[0],
        "orilla_money": orilla[1],
        "orilla_ratio": orilla[0] / orilla[1],
        **{f"{word}_ratio": first / second for word, (first, second) in zip(WORDS[1:], controls, strict=True)},
        "river_translated": str(translator.translate(BY_THE_RIVER)),
        "money_translated": str(translator.translate(FOR_MONEY)),
    }
