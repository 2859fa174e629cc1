"""The small cases of *Encoder only*, by other ways."""

import math

import pytest

from attention_book.studies.beyond import gap_examples as study


def test_four_sentences_by_pencil():
    numbers = study.numbers()
    assert numbers["subject_gap"] == pytest.approx(math.log(2)) and numbers["verb_gap"] == 0
    assert numbers["subject_left"] == pytest.approx(math.log(4)) and numbers["verb_left"] == 0


def test_from_the_left_the_losses_add_up_to_that_of_the_sentence():
    language = {("a", "x"): 0.5, ("a", "y"): 0.2, ("b", "y"): 0.3}
    whole = -sum(p * math.log(p) for p in language.values())
    left = [study.word_loss(language, n, study.LEFT) for n in (0, 1)]
    assert sum(left) == pytest.approx(whole)
    assert study.word_loss(language, 1) == left[1]  # nothing stands on its right
    eaten = -(0.2 * math.log(0.4) + 0.3 * math.log(0.6))  # after y
    assert study.word_loss(language, 0) == pytest.approx(eaten)
