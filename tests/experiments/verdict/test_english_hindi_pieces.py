"""Hindi's pieces are counted: with words cut at marks and kept whole, in as many pieces and in as many as asked."""

import json

import pytest

from attention_book.data import corpora
from attention_book.data.marked_words import MarkedSubwords
from attention_book.data.subwords import Subwords
from attention_book.experiments.verdict import english_hindi, english_hindi_pieces

from .test_english_hindi import HINDI, TEST


def test_pieces_per_sentence_are_counted():
    assert english_hindi_pieces.mean_pieces(Subwords.train([], 260), ["ab", "abcd"]) == 3


def test_the_pairs_and_the_size_are_those_of_the_experiment_beside_it():
    mine = english_hindi_pieces.CONFIGURATION
    assert mine == {name: english_hindi.CONFIGURATION[name] for name in mine}


def test_a_run_says_how_the_vocabularies_cut(monkeypatch):
    made = corpora.Corpus("hindi", HINDI, (), TEST, "en", "hi", "")
    monkeypatch.setattr(corpora, "load", {"hindi": made}.__getitem__)
    found = english_hindi_pieces.run_seed(1, {"corpus": "hindi", "vocabulary": 320})
    assert json.loads(json.dumps(found)) == found
    texts = [pair.target for pair in HINDI]
    usual, whole = Subwords.train(texts, 320), MarkedSubwords.train(texts, 320)
    assert {name: cut["pieces"] for name, cut in found["cuts"].items()} == {
        "cut at marks": len(usual),
        "whole words": len(MarkedSubwords.train(texts, len(usual))),
        "whole words, as asked": len(whole),
    }
    lengths = [found["cuts"][name]["per_sentence"] for name in ("cut at marks", "whole words, as asked")]
    assert lengths == [pytest.approx(sum(len(v.encode(p.target)) for p in TEST) / 2) for v in (usual, whole)]
    assert (found["words"], found["code_points"]) == (5.5, sum(len(pair.target) for pair in TEST) / 2)
