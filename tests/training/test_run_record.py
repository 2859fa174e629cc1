"""What a training has on record of its data is what the corpus and the vocabulary say of themselves."""

from tiny_pairs import PAIRS

from attention_book.data.corpora import Corpus
from attention_book.data.subwords import Subwords
from attention_book.training.run_record import data_record


def test_the_record_names_the_data_and_counts_each_split():
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    corpus = Corpus("tatoeba-en-es", tuple(PAIRS), tuple(PAIRS[:4]), tuple(PAIRS[:3]), "en", "es", "ab" * 32)
    assert data_record(corpus, subwords) == {
        "corpus": "tatoeba-en-es",
        "data_sha256": "ab" * 32,
        "subwords": {"size": len(subwords), "sha256": subwords.digest},
        "pairs": {"train": len(PAIRS), "validation": 4, "test": 3},
    }
