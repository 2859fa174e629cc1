"""What every training has on record of the data that it read."""

from typing import Any

from ..data.corpora import Corpus
from ..data.subwords import Subwords


def data_record(corpus: Corpus, subwords: Subwords) -> dict[str, Any]:
    """The ``corpus``, the digests of its files and of the vocabulary, and how many pairs each split has."""
    return {
        "corpus": corpus.name,
        "data_sha256": corpus.sha256,
        "subwords": {"size": len(subwords), "sha256": subwords.digest},
        "pairs": {"train": len(corpus.train), "validation": len(corpus.validation), "test": len(corpus.test)},
    }
