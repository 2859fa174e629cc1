"""BLEU and chrF from their definitions: by hand, and beside sacreBLEU."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from attention_book.translation.ngram_scores import bleu, brevity, chrf, runs_found

REFERENCE = ["Me", "gustan", "los", "gatos", ",", "pero", "no", "me", "gustan", "los", "perros", "."]
SHORTER = ["Me", "gustan", "los", "gatos", ",", "pero", "no", "los", "perros", "."]
words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=12)
letters = st.text("ab c", max_size=14)


def test_the_runs_of_a_sentence_by_hand():
    found = [runs_found(SHORTER, REFERENCE, n) for n in (1, 2, 3, 4)]
    assert [(sum(runs), len(runs)) for runs in found] == [(10, 10), (8, 9), (6, 8), (4, 7)]
    assert [i for i, hit in enumerate(found[1]) if not hit] == [6]  # "no los"
    assert bleu(SHORTER, REFERENCE) == pytest.approx(100 * math.exp(-0.2) * (8 / 21) ** (1 / 4))


def test_a_word_written_twice_is_found_as_often_as_the_reference_has_it():
    assert runs_found(["los", "los", "los"], ["los", "gatos", "y", "los", "perros"], 1) == [True, True, False]


def test_a_long_translation_is_not_rewarded_and_an_empty_one_gets_nothing():
    assert brevity(10, 5) == brevity(5, 5) == 1
    assert brevity(5, 10) == pytest.approx(math.exp(-1))
    assert brevity(0, 5) == 0


def test_a_word_with_a_wrong_ending_by_hand():
    recall = (4 / 5 + 3 / 4 + 2 / 3 + 1 / 2) / 4
    assert chrf("gato", "gatos") == pytest.approx(100 * 5 * recall / (4 + recall))
    assert bleu(["gato"], ["gatos"]) == 0


def test_a_run_of_no_words_is_refused():
    with pytest.raises(ValueError, match="at least one unit"):
        runs_found(SHORTER, REFERENCE, 0)


@given(words, words)
def test_bleu_is_that_of_sacrebleu(translation, reference):
    peer = BLEU(tokenize="none", smooth_method="none")
    wanted = peer.corpus_score([" ".join(translation)], [[" ".join(reference)]]).score if reference else 0
    assert bleu(translation, reference) == pytest.approx(wanted)


@given(letters, letters)
def test_chrf_is_that_of_sacrebleu(translation, reference):
    wanted = CHRF().corpus_score([translation], [[reference]]).score
    assert chrf(translation, reference) == pytest.approx(wanted)
