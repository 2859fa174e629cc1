"""The loss of a model that knows word frequencies alone: against torch's cross-entropy, and between its bounds."""

import math

import pytest
import torch

from attention_book.little_language.language import mean_entropy, sample, word_vocabulary
from attention_book.studies.translator.word_frequencies import frequency_loss

CLAUSES = {1: 0.5, 2: 0.5}


def test_it_is_the_cross_entropy_of_the_frequencies_with_themselves():
    words, pairs = word_vocabulary("es"), sample(300, 4, "es", CLAUSES)
    tokens = torch.tensor([token for pair in pairs for token in (*words.encode(pair.target), words.eos_id)])
    frequencies = torch.bincount(tokens, minlength=len(words)) / len(tokens)
    wanted = torch.nn.functional.cross_entropy(frequencies.log().expand(len(tokens), -1), tokens).item()
    assert frequency_loss("es", CLAUSES, drawn=300, seed=4) == pytest.approx(wanted, rel=1e-5)


def test_it_lies_between_the_entropy_given_the_source_and_that_of_an_even_guess():
    found = frequency_loss("es", CLAUSES, drawn=500)
    assert mean_entropy(sample(100, 0, "es", CLAUSES)).per_token < found < math.log(len(word_vocabulary("es")))
    assert found == pytest.approx(frequency_loss("es", CLAUSES, drawn=2000, seed=1), abs=0.05)
