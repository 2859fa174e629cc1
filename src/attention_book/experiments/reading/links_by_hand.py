"""The shipped translators' cross-attention beside links marked by hand, and IBM Model 1 beside the same.

Nothing is trained but Model 1, which counts in the corpus that the translators were trained on. The true translation is
fed to each decoder. Counts are kept by sentence, so that a reader of the result can draw sentences anew.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...counting.hand_linked import LinkedPair, linked_pairs
from ...counting.ibm1 import IBMModel1
from ...counting.text import Capitals
from ...data.corpora import load
from ...little_language.words import tokenize
from ...models.search_interface import inference
from ...translation.translator import Translator
from ..link_study import READINGS, counted, diagonal, links_of, picked, word_weights, words_of_pieces

QUESTION = "Do the shipped translators' weights link the words that a person links, and which head does it best?"
CONFIGURATION = {
    "translator": "en-es",
    "recurrent": "en-es-rnn-attention",
    "corpus": "tatoeba-en-es",
    "rounds": 10,
    "picked_from": [1, 5, 15],
    "draws": 1000,
}
SEEDS = [0]


def forced_words(translator: Translator, pair: LinkedPair) -> dict[str, Tensor]:
    """By reading, the weights of each layer and head between the words of a pair, its own translation fed."""
    subwords = translator.subwords
    source, target = subwords.encode(pair.source), subwords.encode(pair.target)
    src, fed = torch.tensor([[*source, subwords.eos_id]]), torch.tensor([[subwords.bos_id, *target]])
    with inference(translator.model):
        weights = translator.model.attention_weights(src, fed)["cross"][:, 0]
    places = [
        words_of_pieces(subwords.tokens(ids), words)
        for ids, words in ((source, pair.source_words), (target, pair.target_words))
    ]
    return {reading: word_weights(weights, *places, reading) for reading in READINGS}


def counts_of(choices: Sequence[Sequence[int]], pairs: Sequence[LinkedPair]) -> list[list[int]]:
    """The counts of each sentence, from the source word chosen for each of its target words."""
    return [
        list(counted(links_of(chosen, len(pair.source_words)), pair.sure, pair.possible))
        for chosen, pair in zip(choices, pairs, strict=True)
    ]


def read_translator(name: str, pairs: Sequence[LinkedPair]) -> dict[str, Any]:
    """The counts of a shipped translator's links on each sentence.

    Returns:
        ``heads``, by reading, a list per layer with a list per head; ``mean``, by reading, of all heads: their weights
        are averaged before the largest is taken.
    """
    translator = Translator.from_pretrained(name)
    looks = [forced_words(translator, pair) for pair in pairs]
    layers, heads = looks[0][READINGS[0]].shape[:2]
    found: dict[str, Any] = {"heads": {}, "mean": {}}
    for reading in READINGS:
        chosen = [look[reading].argmax(-1).tolist() for look in looks]
        found["heads"][reading] = [
            [counts_of([one[n][h] for one in chosen], pairs) for h in range(heads)] for n in range(layers)
        ]
        means = [look[reading].mean(dim=(0, 1)).argmax(-1).tolist() for look in looks]
        found["mean"][reading] = counts_of(means, pairs)
    return found


def count_links(pairs: Sequence[LinkedPair], corpus: str, rounds: int) -> list[list[int]]:
    """The counts of the links of IBM Model 1, from English to Spanish, on each sentence."""
    train = load(corpus).train
    sides = [[tokenize(text) for text in side] for side in zip(*((p.source, p.target) for p in train), strict=True)]
    english, spanish = map(Capitals, sides)
    read = [list(map(capitals.off, side)) for capitals, side in zip((english, spanish), sides, strict=True)]
    model = IBMModel1(zip(*read, strict=True)).fit(rounds)
    choices = []
    for pair in pairs:
        makers = {j: i for i, j in model.align(english.off(pair.source_words), spanish.off(pair.target_words))}
        choices.append([makers.get(j, len(pair.source_words)) for j in range(len(pair.target_words))])
    return counts_of(choices, pairs)


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Link the words of the thirty pairs in every way.

    Returns:
        ``translator`` and ``recurrent`` as from `read_translator`; the counts by sentence of ``ibm1``, ``diagonal`` and
        ``first_gold``, which links each target word with one of those that it is truly linked with, a sure one if there
        is one. ``picked``: for each size what `link_study.picked` gives, the candidates being all heads of the
        Transformer in both readings. ``sure``, ``possible``, ``words``: how many there are. ``tokens`` is 0.
    """
    c, pairs = configuration, linked_pairs()
    translator = read_translator(c["translator"], pairs)
    candidates = np.array([head for reading in READINGS for layer in translator["heads"][reading] for head in layer])
    random = np.random.default_rng(seed)
    straight = [diagonal(len(pair.source_words), len(pair.target_words)) for pair in pairs]
    return {
        "tokens": 0,
        "sure": sum(len(pair.sure) for pair in pairs),
        "possible": sum(len(pair.possible) for pair in pairs),
        "words": sum(len(pair.target_words) for pair in pairs),
        "translator": translator,
        "recurrent": read_translator(c["recurrent"], pairs),
        "ibm1": count_links(pairs, c["corpus"], c["rounds"]),
        "diagonal": counts_of(straight, pairs),
        "first_gold": counts_of([_gold(pair) for pair in pairs], pairs),
        "picked": {str(size): list(picked(candidates, size, c["draws"], random)) for size in c["picked_from"]},
    }


def _gold(pair: LinkedPair) -> list[int]:
    """For each target word the first source word that is surely linked, else possibly, else none."""

    def first(j: int) -> int:
        for links in (pair.sure, pair.possible):
            if makers := [i for i, linked in links if linked == j]:
                return min(makers)
        return len(pair.source_words)

    return [first(j) for j in range(len(pair.target_words))]
