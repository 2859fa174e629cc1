"""The thirty pairs with links by hand: each is a sentence of ours, whole, and none is in the corpus."""

import pytest

from attention_book.counting.hand_linked import linked_pairs, read_line
from attention_book.data.corpora import load
from attention_book.little_language.words import detokenize


def test_a_line_is_read_by_hand():
    pair = read_line(
        "The cat saw the dog. | El gato vio al perro. | The=El cat=gato saw=vio the~al dog~al dog=perro .=."
    )
    assert pair.source_words == ("The", "cat", "saw", "the", "dog", ".")
    assert pair.sure == {(0, 0), (1, 1), (2, 2), (4, 4), (5, 5)} and pair.possible == {(3, 3), (4, 3)}


def test_a_word_that_stands_twice_is_named_by_its_number():
    pair = read_line("the cat, the dog | el gato, el perro | the=el the#2=el#2 cat=gato ,=, dog=perro")
    assert pair.sure == {(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)}


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("cat=gato dog=perro", "'dog' is no word of"),
        ("cat=gato cat~gato", "marked twice"),
        ("cat=gato cat#2~gato", "'cat#2' is no word of"),
        ("cat-gato", "no link"),
    ],
)
def test_a_wrong_line_is_refused(links, message):
    with pytest.raises(ValueError, match=message):
        read_line(f"The cat. | El gato. | {links}")


def test_there_are_thirty_and_every_word_has_a_link():
    pairs = linked_pairs()
    assert len(pairs) == 30 and len({pair.source for pair in pairs}) == 30
    for pair in pairs:
        links = pair.sure | pair.possible
        assert not pair.sure & pair.possible
        assert {i for i, _ in links} == set(range(len(pair.source_words))), pair.source
        assert {j for _, j in links} == set(range(len(pair.target_words))), pair.target
        assert (detokenize(pair.source_words), detokenize(pair.target_words)) == (pair.source, pair.target)


@pytest.mark.slow
@pytest.mark.corpora
def test_no_sentence_is_in_the_corpus():
    corpus = load("tatoeba-en-es")
    known = {pair.source for part in (corpus.train, corpus.validation, corpus.test) for pair in part}
    assert len(known) > 50_000 and not known & {pair.source for pair in linked_pairs()}
