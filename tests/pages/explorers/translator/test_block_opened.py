"""The Python side of *a block, opened*: against the package's own Add & Norm and feed-forward, and what it says."""

import numpy as np
import pytest
import torch
import traitlets

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.models.blocks import AddAndNorm, FeedForward
from attention_book.pages.explorers.translator.block_opened import STEPS, BlockOpened


@torch.no_grad()
def packages(explorer):
    """The token's row after the block, by the package's modules."""
    x = torch.tensor(explorer.x, dtype=torch.float64)[None]
    w_1, w_2 = (torch.tensor(w, dtype=torch.float64) for w in (explorer.w_1, explorer.w_2))
    network, add = FeedForward(*w_1.shape).double(), AddAndNorm(len(w_1), 0.0, explorer.norm).double()
    for linear, matrix in ((network.w_1, w_1), (network.w_2, w_2)):
        linear.weight.copy_(matrix.T)
        linear.bias.zero_()
    attend = lambda h: scaled_dot_product_attention(h, h, h)[0] * explorer.attention  # noqa: E731
    x = add(x, attend)
    return add(x, lambda h: network(h) * explorer.feed_forward)[0, explorer.token].numpy()


@pytest.mark.parametrize("norm", STEPS)
@pytest.mark.parametrize("attention", [True, False])
@pytest.mark.parametrize("feed_forward", [True, False])
def test_the_output_is_the_packages_and_follows_every_trait(norm, attention, feed_forward):
    explorer, rng = BlockOpened(), np.random.default_rng(1)
    explorer.norm, explorer.attention, explorer.feed_forward = norm, attention, feed_forward
    for token in range(3):
        explorer.token = token
        np.testing.assert_allclose(explorer.output, packages(explorer), atol=1e-12)
    for name in ("x", "w_1", "w_2"):
        setattr(explorer, name, rng.normal(size=np.shape(getattr(explorer, name))))
        np.testing.assert_allclose(explorer.output, packages(explorer), atol=1e-12)


def test_a_zeroed_pre_norm_block_is_the_identity_and_a_post_norm_one_normalises():
    silent = {"attention": False, "feed_forward": False}
    assert BlockOpened(**silent).output == (3.0, -1.0, 1.0, 1.0)
    post = np.array(BlockOpened(norm="post", **silent).output)
    np.testing.assert_allclose(post, np.array([2, -2, 0, 0]) / np.sqrt(2), atol=2e-5)


def test_the_lines_are_those_of_the_steps():
    for norm, steps in STEPS.items():
        names = {
            "Enter": {"row"},
            "Norm": {"before", "normalised"},
            "Attend": {"weights", "attended"},
            "Add": {"before", "added", "sum"},
            "Feed forward": {"inner", "opened", "fed"},
        }
        assert [set(line) for line in BlockOpened(norm=norm).lines()] == [names[step] for step in steps]


def test_words_tell_the_steps_in_their_order():
    words = BlockOpened().in_words()
    assert words.startswith("The norm stands before each sublayer. Enter: like is the row (3, −1, 1, 1). Norm: ")
    assert "mean is 1.000 and its variance 2.000; normalised it is (1.414, −1.414, 0.000, 0.000)." in words
    assert "of 6 inner numbers 3 are above 0" in words
    post = BlockOpened(norm="post", attention=False, token=0).in_words()
    assert post.startswith(
        "The norm stands after each sublayer. Enter: I is the row (0, 2, 0, 2). Attend: the attention"
    )
    assert "is zeroed and gives zeros. Add: with (0.000, 0.000, 0.000, 0.000) added" in post
    assert "the feed-forward network is zeroed" in BlockOpened(feed_forward=False).in_words()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token": 3}, "there is no token 3 among 3"),
        ({"w_1": np.ones((3, 6))}, "w_1 must be 4 × any"),
        ({"w_2": np.ones((5, 4))}, "w_2 as many × 4"),
        ({"x": np.ones((3, 5))}, "w_1 must be 5 × any"),
        ({"tokens": ["I"]}, "each needs one name"),
        ({"step": 7}, "step"),
        ({"norm": "none"}, "norm"),
        ({"token": -1}, "token"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(change, message):
    explorer = BlockOpened()
    before = explorer.state(), explorer.output
    ((name, value),) = change.items()
    with pytest.raises(traitlets.TraitError, match=message):
        setattr(explorer, name, value)
    assert (explorer.state(), explorer.output) == before


def test_sizes_change_together_and_the_output_cannot_be_written():
    explorer, rng = BlockOpened(), np.random.default_rng(2)
    with explorer.hold_trait_notifications():
        explorer.x, explorer.tokens = rng.normal(size=(2, 3)), ["a", "b"]
        explorer.w_1, explorer.w_2 = rng.normal(size=(3, 5)), rng.normal(size=(5, 3))
    np.testing.assert_allclose(explorer.output, packages(explorer), atol=1e-12)
    with pytest.raises(traitlets.TraitError, match="read-only"):
        explorer.output = (1.0,)
