"""How long Hindi sentences are in pieces: with words cut before their marks, as in *english-hindi*, and kept whole.

*english-hindi* learns its Hindi pieces as the book's other vocabularies were learnt, and the pattern of words behind
that ends a word at each vowel mark. With `MarkedSubwords` words keep their marks.
"""

from collections.abc import Sequence
from typing import Any

from ...data import corpora
from ...data.marked_words import MarkedSubwords
from ...data.subwords import Subwords

QUESTION = "How many pieces does a Hindi sentence have if words are cut before each mark, and if they are not?"
CONFIGURATION = {"corpus": "tatoeba-en-hi", "vocabulary": 4000}
"""The pairs and the size that *english-hindi* asks for. Nothing is drawn."""
SEEDS = [1]


def mean_pieces(subwords: Subwords, texts: Sequence[str]) -> float:
    """Pieces per sentence, without the end of the sentence."""
    return sum(map(len, subwords.encode_batch(texts))) / len(texts)


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Learn three vocabularies from the training pairs, and cut the test sentences with each.

    Returns:
        ``tokens``, which is 0; the test sentences' mean number of ``words``, between spaces, and of ``code_points``;
        and ``cuts``: of the usual vocabulary, of one with whole words that is as large, and of one with whole words
        that is as large as was asked for, the ``pieces`` and how many a test sentence has (``per_sentence``).
    """
    corpus = corpora.load(configuration["corpus"])
    learnt, tested = ([pair.target for pair in pairs] for pairs in (corpus.train, corpus.test))
    usual = Subwords.train(learnt, configuration["vocabulary"])
    vocabularies = {
        "cut at marks": usual,
        "whole words": MarkedSubwords.train(learnt, len(usual)),
        "whole words, as asked": MarkedSubwords.train(learnt, configuration["vocabulary"]),
    }
    return {
        "tokens": 0,
        "words": sum(len(text.split()) for text in tested) / len(tested),
        "code_points": sum(map(len, tested)) / len(tested),
        "cuts": {
            name: {"pieces": len(one), "per_sentence": mean_pieces(one, tested)} for name, one in vocabularies.items()
        },
    }
