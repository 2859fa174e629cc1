"""What more merges change: the ten words counted by hand, and early stops held against vocabularies learnt anew."""

import json

import pytest

from attention_book.data import corpora
from attention_book.data.byte_pair_encoding import learn_merges
from attention_book.data.subwords import Subwords
from attention_book.pages.diagrams.translator.ten_words import TEN_WORDS
from attention_book.studies.translator import vocabularies_by_size as study
from attention_book.translation.shipped_translator import shipped


def test_the_tables_are_those_of_pencil_and_paper():
    assert study.word_rows() == [
        ("6", "c a t s", "h a t", "c h a t"),
        ("8", "c ats", "h at", "c h at"),
        ("10", "cats", "h at", "c h at"),
    ]
    assert study.trade_rows() == [
        ("6", "36", "6.0", "none"),
        ("8", "20", "2.5", "a, s, t"),
        ("10", "15", "1.5", "a, s, t"),
    ]
    assert [TEN_WORDS.get(word, 0) for word in study.WORDS] == [3, 1, 0]
    assert study.HEADER[1:] == ("cats, which occurs 3 times", "hat, which occurs once", "chat, which never occurs")
    assert {len(row) for row in study.word_rows()} == {len(study.HEADER)}
    assert {len(row) for row in study.trade_rows()} == {len(study.TRADE_HEADER)}


def test_pieces_are_counted_as_often_as_their_words_stand():
    found = study.piece_counts(TEN_WORDS, learn_merges(TEN_WORDS, 2))
    assert found == {"a": 0, "c": 4, "e": 3, "h": 3, "s": 0, "t": 0, "at": 4, "ats": 6}
    assert study.piece_counts({"ab": 3}, []) == {"a": 3, "b": 3}


def test_all_pieces_are_the_shipped_vocabulary_and_none_but_bytes_is_bytes():
    text = "Vimos un erizo en el jardín."
    everything = shipped().subwords
    assert study.with_size(len(everything)).encode(text) == everything.encode(text)
    assert study.with_size(260).encode(text) == [Subwords.train(["x"], 260).encode(text)[n] for n in range(29)]
    for size in (260, 500, 2000):
        assert len(study.with_size(size)) == size and study.with_size(size).decode(study.with_size(size).encode(text))
        assert "".join(study.pieces_of("un erizo", size)) == "un▁erizo"


@pytest.mark.parametrize("size", [0, 259, 8001])
def test_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="it can be from 260 to 8000"):
        study.with_size(size)


def test_a_vocabulary_stopped_early_keeps_what_came_first():
    vocab = {f"piece {n}": n for n in range(study.LEAST + 3)}
    model = {"merges": ["first", "second", "third"], "vocab": vocab, "type": "BPE"}
    left = study.stopped_early(model, study.LEAST + 2)
    assert left["merges"] == ["first", "second"] and left["type"] == "BPE"
    assert list(left["vocab"].values()) == list(range(study.LEAST + 2))
    assert len(model["merges"]) == 3 and study.LEAST == 260


@pytest.mark.slow
@pytest.mark.corpora
def test_an_early_stop_is_the_vocabulary_that_is_learnt_for_that_size():
    corpus = corpora.load("tatoeba-en-es")
    learnt = Subwords.train((text for pair in corpus.train for text in (pair.source, pair.target)), 500)
    merges = [json.loads(one._json)["model"]["merges"] for one in (learnt, study.with_size(500))]
    assert merges[0] == merges[1] and len(merges[0]) == 240
