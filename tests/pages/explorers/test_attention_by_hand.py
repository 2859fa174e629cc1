"""The Python side of the explorer: what it accepts, what it computes, what it says."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import traitlets

from attention_book.pages.explorers.attention_by_hand import LARGEST_SIZE, LIMIT, AttentionByHand


def oracle(explorer):
    q, k, v = (torch.tensor(matrix, dtype=torch.float64) for matrix in (explorer.q, explorer.k, explorer.v))
    allowed = torch.ones(len(q), len(k), dtype=torch.bool)
    if explorer.causal:
        allowed = allowed.tril(len(k) - len(q))
    return F.scaled_dot_product_attention(q, k, v, allowed, scale=None if explorer.scaled else 1.0).numpy()


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_weights_and_output_follow_every_trait(scaled, causal):
    explorer = AttentionByHand()
    explorer.scaled, explorer.causal = scaled, causal
    assert np.allclose(explorer.output, oracle(explorer), atol=1e-12)
    explorer.q = np.random.default_rng(1).normal(size=(3, 4))
    assert np.allclose(explorer.output, oracle(explorer), atol=1e-12)
    explorer.k = torch.tensor(explorer.k) - 3
    explorer.v = [[1, 2, 3]] * 3
    assert np.allclose(explorer.output, oracle(explorer), atol=1e-12)
    assert np.allclose(np.sum(explorer.weights, axis=1), 1)


def test_matrices_given_at_the_start_are_computed_with():
    explorer = AttentionByHand(q=[[1.0]], k=[[0.0], [math.log(3)]], v=[[4.0], [8.0]])
    assert np.allclose(explorer.weights, [[0.25, 0.75]])
    assert np.allclose(explorer.output, [[7.0]])


def test_a_query_that_sees_nothing_has_zero_weights_and_says_so():
    explorer = AttentionByHand(q=np.ones((3, 4)), k=np.ones((1, 4)), v=[[2.0]], causal=True)
    assert explorer.weights == ((0.0,), (0.0,), (1.0,))
    assert "The query of I may attend to nothing; its output is (0.000)." in explorer.in_words()


def test_others_hear_of_new_weights():
    explorer, heard = AttentionByHand(), []
    explorer.observe(lambda change: heard.append(change["new"]), "weights")
    explorer.scaled = False
    assert heard == [explorer.weights]


@pytest.mark.parametrize(
    "bad",
    [
        [[1.0, 2.0]],
        [[1.0, 2.0, 3.0]] * 3,
        [[1.0] * 4, [1.0] * 3],
        [],
        [[]],
        [1.0, 2.0],
        [["a"] * 4] * 3,
        [[math.nan] * 4] * 3,
        [[math.inf] * 4] * 3,
        [[2 * LIMIT] * 4] * 3,
        [[1.0] * 4] * (LARGEST_SIZE + 1),
        None,
    ],
)
def test_a_matrix_that_does_not_fit_is_refused_and_changes_nothing(bad):
    explorer = AttentionByHand()
    before = explorer.state(), explorer.weights, explorer.output
    with pytest.raises(traitlets.TraitError):
        explorer.k = bad
    assert (explorer.state(), explorer.weights, explorer.output) == before


def test_shapes_change_together_or_not_at_all():
    explorer = AttentionByHand()
    before = explorer.state(), explorer.weights
    with pytest.raises(traitlets.TraitError, match=r"q is 1 × 2, k is 3 × 4, v is 3 × 2.*hold_trait_notifications"):
        explorer.q = [[1.0, 2.0]]
    with pytest.raises(traitlets.TraitError), explorer.hold_trait_notifications():
        explorer.q, explorer.k = [[1.0, 2.0]], [[1.0, 2.0, 3.0]]
    assert (explorer.state(), explorer.weights) == before
    with explorer.hold_trait_notifications():
        explorer.q, explorer.k, explorer.v = [[1.0, 2.0]], [[1.0, 2.0]], [[9.0]]
    assert explorer.output == ((9.0,),)


def test_results_cannot_be_written_and_nothing_can_change_unnoticed():
    explorer = AttentionByHand()
    with pytest.raises(TypeError):
        explorer.q[0][0] = 3.0
    with pytest.raises(traitlets.TraitError, match="read-only"):
        explorer.weights = [[1.0] * 3] * 3


def test_what_a_front_end_sends_arrives():
    explorer = AttentionByHand()
    explorer.set_state({"q": [[4.0] * 4] * 3, "causal": True})
    assert explorer.q == ((4.0,) * 4,) * 3
    assert np.allclose(explorer.output, oracle(explorer), atol=1e-12)


def test_words_name_every_weight_and_output():
    explorer = AttentionByHand(query_tokens=["Q1"], key_tokens=["Me", "gustan"])
    words = explorer.in_words()
    assert words.startswith("Scores are divided by √4; every query may attend to every key.")
    for i, query in enumerate(["Q1", "query 2", "query 3"]):
        numbers = [f"{weight:.3f} on" for weight in explorer.weights[i]]
        sentence = words.split(". ")[i + 1]
        assert sentence.startswith(f"The query of {query} puts ")
        assert all(number in sentence for number in numbers) and "on key 3" in sentence


def test_words_round_ties_up_and_do_not_call_the_tiny_zero():
    explorer = AttentionByHand(q=[[1.0]], k=[[0.0], [-9.0]], v=[[4.0], [8.0]])
    assert "puts 1.000 on I and <0.001 on like; its output is" in explorer.in_words()
    for value, told in [(0.0625, "0.063"), (-0.0625, "−0.063"), (-0.0, "0.000"), (-0.0001, ">−0.001")]:
        explorer = AttentionByHand(q=[[1.0]], k=[[0.0]], v=[[value]])
        assert explorer.in_words().endswith(f"its output is ({told}).")
