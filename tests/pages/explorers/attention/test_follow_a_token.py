"""The Python side of *follow a token*: what it computes, says and refuses."""

import numpy as np
import pytest
import torch
import traitlets
from torch import nn

from attention_book.examples.two_heads_by_hand import steps
from attention_book.pages.explorers.attention.follow_a_token import STEPS, FollowAToken


def torchs(explorer):
    """The token's new row and its weights by nn.MultiheadAttention."""
    x = torch.tensor(explorer.x, dtype=torch.float64)
    layer = nn.MultiheadAttention(x.shape[1], explorer.n_heads, bias=False, batch_first=True).double()
    matrices = [torch.tensor(getattr(explorer, name), dtype=torch.float64).T for name in ("w_q", "w_k", "w_v", "w_o")]
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat(matrices[:3]))
        layer.out_proj.weight.copy_(matrices[3])
        output, weights = layer(x[None], x[None], x[None], average_attn_weights=False)
    return output[0, explorer.token].numpy(), weights[0, :, explorer.token].numpy()


def agree(explorer):
    output, weights = torchs(explorer)
    return np.allclose(explorer.output, output, atol=1e-12) and np.allclose(explorer.weights, weights, atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
@pytest.mark.parametrize("token", [0, 1, 2])
def test_output_and_weights_follow_every_trait(n_heads, token):
    explorer = FollowAToken()
    explorer.n_heads, explorer.token = n_heads, token
    assert agree(explorer)
    rng = np.random.default_rng(1)
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        setattr(explorer, name, rng.normal(size=np.shape(getattr(explorer, name))))
        assert agree(explorer)


def test_it_starts_with_the_example_of_the_page():
    explorer, lines = FollowAToken(), steps()
    assert np.allclose(explorer.output, lines["output"][1])
    words = explorer.in_words()
    assert words.startswith(
        "Enter: like is the row (0, 1, 0, 0, 0, 0, 0, 0). Split: its query is (8, 0, 0, 0) for head 0"
    )
    assert "head 1 puts 0.018 on I, 0.018 on like and 0.965 on cats" in words
    assert words.endswith("it becomes who? 1.018, how many? 1.947 and of what? 0.965.")
    assert [words.count(f"{step}") for step in STEPS] == [1] * 5


def test_a_row_of_zeros_is_said():
    explorer = FollowAToken(w_o=np.zeros((8, 8)))
    assert explorer.in_words().endswith("Project: times W^O it becomes a row of zeros.")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_heads": 3}, "3 heads do not divide a width of 8"),
        ({"token": 3}, "there is no token 3 among 3"),
        ({"w_q": np.ones((8, 4))}, "w_q must be 8 × 8"),
        ({"tokens": ["I"]}, "each needs one name"),
        ({"step": 5}, "step"),
        ({"n_heads": 0}, "n_heads"),
        ({"token": -1}, "token"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(change, message):
    explorer = FollowAToken()
    before = explorer.state(), explorer.weights, explorer.output
    ((name, value),) = change.items()
    with pytest.raises(traitlets.TraitError, match=message):
        setattr(explorer, name, value)
    assert (explorer.state(), explorer.weights, explorer.output) == before


def test_sizes_change_together():
    explorer, rng = FollowAToken(), np.random.default_rng(2)
    with explorer.hold_trait_notifications():
        explorer.x = rng.normal(size=(2, 4))
        explorer.w_q, explorer.w_k, explorer.w_v, explorer.w_o = rng.normal(size=(4, 4, 4))
        explorer.tokens, explorer.features = ["a", "b"], list("wxyz")
    assert agree(explorer) and "Enter: b is the row" in explorer.in_words()


def test_results_cannot_be_written():
    with pytest.raises(traitlets.TraitError, match="read-only"):
        FollowAToken().output = (1.0,)
