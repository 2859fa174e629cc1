"""The lookup of *like* by hand, at other temperatures, and the key that is longer instead of closer in direction."""

import math

import numpy as np
import pytest
import torch
from page_cells import run_until

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.probability import softmax
from attention_book.examples.soft_lookup import by_temperature, first_and_longer_key, pencil_rows, two_keys_told


@pytest.fixture(scope="module")
def page():
    """The page's tokens, queries, keys and values."""
    try:
        yield run_until("attention/scaled-dot-product", "tokens = [")
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_rows_are_those_of_a_pencil():
    """Scores 4/2 and 0: e² = 7.389 and 1, of 8.389."""
    keys = torch.tensor([[2.0, 0, 0, 1], [0, 0, 1, 0]])
    assert pencil_rows(["a", "b"], torch.tensor([2.0, 2, 0, 0]), keys) == [
        ("a", "2·2 + 2·0 + 0·0 + 0·1 = 4", "2", "7.389", "0.881"),
        ("b", "2·0 + 2·0 + 0·1 + 0·0 = 0", "0", "1.000", "0.119"),
        ("sum", "", "", "8.389", "1"),
    ]


def test_the_pencil_finds_the_packages_weights(page):
    tokens, q, k, v = (page[name] for name in ("tokens", "q", "k", "v"))
    _, weights = scaled_dot_product_attention(q, k, v)
    assert [row[-1] for row in pencil_rows(tokens, q[1], k)[:-1]] == [f"{weight:.3f}" for weight in weights[1]]
    exponentials = (q[1] @ k.T / 2).exp()
    torch.testing.assert_close(weights[1], exponentials / exponentials.sum())


def test_the_query_of_cats_cannot_choose_and_gets_the_mean(page):
    output, _ = scaled_dot_product_attention(page["q"], page["k"], page["v"])
    torch.testing.assert_close(output[2], page["v"].mean(dim=0))


def test_at_a_thousandth_the_output_is_the_value_of_the_best_key_in_every_digit(page):
    scores, values = (page["q"][1] @ page["k"].T / 2).numpy(), page["v"].numpy()
    assert np.array_equal(softmax(scores / 1e-3) @ values, values[scores.argmax()])


def test_weights_by_temperature_go_from_the_best_key_to_equal_shares():
    found = by_temperature(["a", "b"], np.array([0.0, math.log(3)]), 0.1, 10.0)
    assert found.temperatures[[0, 30, -1]] == pytest.approx([0.1, 1, 10])
    x, y = found.lines()["b"]
    assert y[30] == pytest.approx(3 / 4) and len(x) == 61
    assert found.told() == "a: 0.000 at 0.1, 0.473 at 10; b: 1.000 at 0.1, 0.527 at 10"


def test_a_score_is_length_times_length_times_cosine_and_the_longer_key_wins():
    found = first_and_longer_key(torch.tensor([1.0, 0.0]), torch.tensor([[1.0, 0.0], [3.0, 3.0]]))
    assert (found["short_score"], found["long_score"]) == (1, 3)
    assert found["long_length"] * found["long_cosine"] == pytest.approx(found["long_score"])
    assert found["long_weight"] > found["short_weight"] == pytest.approx(1 / (1 + math.exp(2 / math.sqrt(2))))


def test_two_keys_are_told_with_their_shadows_and_weights():
    told = two_keys_told(first_and_longer_key(torch.tensor([1.0, 0]), torch.tensor([[1.0, 0], [3, 3]])))
    assert "4.24 long" in told and "shadows are 1 and 3 long" in told and told.endswith("weights are 0.196 and 0.804.")
