"""What every training has on record of the data that it read, and of the models that came of it."""

from collections.abc import Sequence
from typing import Any

from ..data.corpora import Corpus
from ..data.subwords import Subwords
from ..translation.evaluation import bleu_and_chrf


def data_record(corpus: Corpus, subwords: Subwords) -> dict[str, Any]:
    """The ``corpus``, the digests of its files and of the vocabulary, and how many pairs each split has."""
    return {
        "corpus": corpus.name,
        "data_sha256": corpus.sha256,
        "subwords": {"size": len(subwords), "sha256": subwords.digest},
        "pairs": {"train": len(corpus.train), "validation": len(corpus.validation), "test": len(corpus.test)},
    }


def validation_scores(
    found: Sequence[tuple[float, list[str]]], references: Sequence[Sequence[str]]
) -> list[dict[str, float]]:
    """For each model ``validation_loss``, in nats per target token, and the scores of its greedy translations.

    Args:
        found: for each model its loss and its translations of the validation sentences.
        references: the accepted translations of each.
    """
    scores = []
    for loss, texts in found:
        both = bleu_and_chrf(texts, references)
        scores.append({"validation_loss": loss, "validation_bleu": both.bleu, "validation_chrf": both.chrf})
    return scores
