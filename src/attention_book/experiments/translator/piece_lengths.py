"""How long sentences and words are in subwords, for vocabularies of several sizes; only merges are learnt."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...data import corpora
from ...data.normalisation import Pair
from ...data.subwords import Subwords
from ...little_language.words import tokenize

QUESTION = "How long are sentences and words, frequent and rare, in vocabularies of several sizes?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "sizes": [260, 500, 1000, 2000, 4000, 8000, 16000],
    "examined": 2000,
    "classes": {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 10_000_000]},
}
"""A vocabulary of 260 has the special pieces and the bytes, and no merge. ``classes`` [least, most] count how often a
word of a test reference stands on the Spanish side of the training pairs."""
SEEDS = [0]  # nothing here is drawn


def words_of(sentence: str) -> list[str]:
    """The words of a sentence in lower case, without marks."""
    return [word for word in tokenize(sentence.lower()) if any(character.isalnum() for character in word)]


def class_of(count: int, classes: dict[str, list[int]]) -> str:
    """The name of the class that a word belongs to, by its count in the training pairs."""
    return next(name for name, (least, most) in classes.items() if least <= count <= most)


def lengths(
    subwords: Subwords, pairs: Sequence[Pair], counts: Counter[str], classes: dict[str, list[int]]
) -> dict[str, Any]:
    """How long the sentences and words of some pairs are in these subwords.

    Returns:
        ``size``; ``source_pieces`` and ``target_pieces`` per sentence; ``characters_per_piece`` of the target; and
        ``pieces_per_word`` for each class of target words, a space before each.
    """
    sources = subwords.encode_batch(pair.source for pair in pairs)
    targets = subwords.encode_batch(pair.target for pair in pairs)
    words = sorted({word for pair in pairs for word in words_of(pair.target)})
    pieces = dict(zip(words, map(len, subwords.encode_batch(f" {word}" for word in words)), strict=True))
    grouped = {name: [pieces[w] for w in words if class_of(counts[w], classes) == name] for name in classes}
    return {
        "size": len(subwords),
        "source_pieces": round(sum(map(len, sources)) / len(pairs), 4),
        "target_pieces": round(sum(map(len, targets)) / len(pairs), 4),
        "characters_per_piece": round(sum(len(pair.target) for pair in pairs) / sum(map(len, targets)), 4),
        "pieces_per_word": {name: round(sum(some) / max(1, len(some)), 4) for name, some in grouped.items()},
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Learn each vocabulary from the training pairs and measure the test pairs.

    Returns:
        ``words``: different Spanish words of the training pairs, and ``unseen``, the share of the running words of the
        examined references that are none of them; ``classes``, how many different words each class has; ``lengths``,
        one entry per vocabulary, by its size as text.
    """
    c = configuration
    corpus = corpora.load(c["corpus"])
    counts = Counter(word for pair in corpus.train for word in words_of(pair.target))
    examined = corpus.test[: c["examined"]]
    texts = [text for pair in corpus.train for text in (pair.source, pair.target)]
    running = [word for pair in examined for word in words_of(pair.target)]
    measured = {str(size): lengths(Subwords.train(texts, size), examined, counts, c["classes"]) for size in c["sizes"]}
    return {
        "tokens": 0,
        "words": len(counts),
        "unseen": sum(word not in counts for word in running) / len(running),
        "classes": dict(Counter(class_of(counts[word], c["classes"]) for word in set(running))),
        "lengths": measured,
    }
