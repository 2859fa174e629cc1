"""The row on search: the small language by listing it, the exact search against listing all sentences."""

import math

import pytest
import torch

from attention_book.claims.rows.searching import FIRST, NAMES, SECOND, TwoWords, most_probable
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation.decoding import exhaustive_search

from ..verdicts import changed


@pytest.mark.slow
def test_m10_the_small_language_by_listing_it(answers):
    value = answers["M10"]["value"]
    sentences = {(a, b): p * q for a, p in FIRST.items() for b, q in SECOND[a].items()}
    assert math.fsum(sentences.values()) == pytest.approx(1)
    best = max(sentences, key=sentences.get)
    assert value["most_probable"] == [*best, "</s>"]
    assert value["most_probable_probability"] == pytest.approx(sentences[best])
    assert value["beam_of_2_probability"] == pytest.approx(sentences[tuple(value["beam_of_2"][:-1])])
    assert value["beam_of_2_probability"] < value["most_probable_probability"]
    assert value["missed_by_a_beam_of_4"] <= value["missed_by_a_beam_of_1"] <= value["sentences"]
    assert answers["M10"]["verdict"] == "wrong"
    found = {"beam_of_2_probability": 0.25, "missed_by_a_beam_of_1": 0, "missed_by_a_beam_of_4": 0}
    assert changed(answers, "M10", **found) == "right"


@pytest.mark.parametrize("seed", range(6))
def test_the_exact_search_finds_what_listing_all_finds(seed):
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(7, d_model=8, n_heads=1, n_layers=1, d_ff=8, max_len=5)).double().eval()
    with torch.no_grad():
        model.output.weight *= 6
        model.output.weight[2] += 0.5
    src = torch.tensor([[4, 5, 2]])
    (expected,) = exhaustive_search(model, src, max_len=5, length_penalty=0.0)
    tokens, log_prob = most_probable(model, src, expected.log_prob - 3, max_len=5)
    assert tokens == expected.tokens and log_prob == pytest.approx(expected.log_prob)
    assert most_probable(model, src, expected.log_prob + 1e-9, max_len=5) is None


def test_the_bound_of_a_search_that_was_beaten_is_enough():
    source = torch.zeros(1, 1, dtype=torch.int64)
    tokens, log_prob = most_probable(TwoWords(), source, math.log(0.2))
    assert [NAMES[token] for token in tokens] == ["nobody", "sings", "</s>"]
    assert math.exp(log_prob) == pytest.approx(0.25)
