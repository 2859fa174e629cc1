"""A scored sentence compares methods row by row, and needs enough exchanged words."""

import numpy as np

from attention_book.analysis.attribution.scored_sentence import Sentence

A = np.array([[3.0, 2, 1, 0], [0, 1, 2, 3]])
SENTENCE = Sentence({"a": A, "b": -A}, [0, 2, 3], A[:, [0, 2, 3]] * 2)


def test_agreement_and_what_is_foretold():
    assert SENTENCE.agreement()["a/b"].tolist() == [-1, -1]
    found = SENTENCE.foretold()
    assert found["a"].tolist() == [1, 1] and found["b"].tolist() == [-1, -1]
    assert SENTENCE.foretold(fewest=4) == {}


def test_hits_count_rows_that_have_a_right_word():
    right = np.array([[True, False, False, False], [False] * 4])
    found = SENTENCE.hits(right)
    assert found["a"].tolist() == [True] and found["b"].tolist() == [False]
