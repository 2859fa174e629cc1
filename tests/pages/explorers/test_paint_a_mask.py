"""The Python side of the explorer *paint a mask*: presets, recipes, what it refuses, what it says."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import traitlets

from attention_book.pages.explorers.paint_a_mask import EMPTY, RECIPES, SAID, TOKENS, PaintAMask

PRESETS = {
    "all": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "padding": lambda i, j: j < 4,
    "causal and padding": lambda i, j: j <= i and j < 4,
    "window of 2": lambda i, j: j in (i - 1, i),
    "before only": lambda i, j: j < i,
}


def tensors(explorer):
    return (torch.tensor(m, dtype=torch.float64) for m in (explorer.x, explorer.w_q, explorer.w_k, explorer.w_v))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_allow_what_they_say(name):
    explorer = PaintAMask()
    explorer.paint(name)
    assert explorer.may == tuple(tuple(bool(PRESETS[name](i, j)) for j in range(5)) for i in range(5))


@pytest.mark.parametrize("name", PRESETS)
def test_with_minus_infinity_weights_and_derivatives_are_torchs(name):
    explorer = PaintAMask()
    explorer.paint(name)
    x, w_q, w_k, w_v = tensors(explorer)
    may = torch.tensor(explorer.may)

    def attend(x, v):
        return F.scaled_dot_product_attention((x @ w_q)[None], (x @ w_k)[None], v[None], attn_mask=may)[0]

    assert np.allclose(explorer.weights, attend(x, torch.eye(5, dtype=torch.float64)), atol=1e-12)
    jacobian = torch.autograd.functional.jacobian(lambda x: attend(x, x @ w_v), x)
    assert np.allclose(explorer.leaks, jacobian.abs().amax(dim=(1, 3)), atol=1e-12)


def test_recipes_leak_where_they_should():
    explorer, leaks = PaintAMask(), {}
    for recipe in RECIPES:
        explorer.recipe = recipe
        leaks[recipe] = np.triu(explorer.leaks, 1).max()
    assert leaks["infinity"] == leaks["billion"] == 0
    assert leaks["zero"] > 0.1 and leaks["times"] > 0.1
    explorer.recipe = "zero"
    assert (np.sum(explorer.weights, axis=1)[:4] < 0.9).all()


@pytest.mark.parametrize(("recipe", "weight"), [("infinity", 0), ("billion", 0.2), ("zero", 0), ("times", 0.2)])
def test_a_row_with_nothing_to_attend_to_is_told(recipe, weight):
    explorer = PaintAMask(recipe=recipe)
    explorer.paint("before only")
    assert explorer.weights[0] == pytest.approx((weight,) * 5)
    assert f"“I” may attend to nothing ({EMPTY[recipe]}); its weights are {weight:.3f}," in explorer.in_words()
    assert explorer.in_words().startswith(f"Of a hidden key: {SAID[recipe]}.")


def test_words_name_what_is_felt():
    explorer = PaintAMask()
    assert "No output feels what is hidden from it. No output feels a later input. The leak is 0.000." in (
        explorer.in_words()
    )
    explorer.paint("all")
    words = explorer.in_words()
    assert "No output feels what is hidden from it. Later and felt: “I” feels “like”, “cats”, “.” and “<pad>”;" in words
    assert f"The leak is {np.triu(explorer.leaks, 1).max():.3f}." in words
    explorer.paint("padding")
    explorer.recipe = "zero"
    assert "Hidden and felt: “I” feels “<pad>”; “like” feels “<pad>”" in explorer.in_words()


@pytest.mark.parametrize(
    "bad",
    [
        [[True] * 5] * 4,
        [[1] * 5] * 5,
        [[True, False], [True]],
        [],
        [[]],
        [[True] * 9] * 9,
        [[True] * 4] * 4,
        None,
    ],
)
def test_a_mask_that_does_not_fit_is_refused_and_changes_nothing(bad):
    explorer = PaintAMask()
    before = explorer.state(), explorer.weights
    with pytest.raises(traitlets.TraitError):
        explorer.may = bad
    assert (explorer.state(), explorer.weights) == before


def test_sizes_change_together_or_not_at_all():
    explorer = PaintAMask()
    with pytest.raises(traitlets.TraitError, match=r"mask has 5 rows, there are 2 tokens and 5 inputs.*hold_trait"):
        explorer.tokens = ["a", "b"]
    with pytest.raises(traitlets.TraitError, match="as many rows as an input has numbers"):
        explorer.w_v = [[1.0]]
    with pytest.raises(traitlets.TraitError, match="equally wide"):
        explorer.w_k = [[1.0], [2.0], [3.0]]
    assert explorer.tokens == TOKENS
    with explorer.hold_trait_notifications():
        explorer.tokens, explorer.x, explorer.may = ["a", "b"], [[1.0] * 3] * 2, [[True, False], [True, True]]
    assert explorer.weights == ((1.0, 0.0), (0.5, 0.5))
    assert explorer.leaks[0][1] == 0 < explorer.leaks[1][0]


def test_what_a_front_end_sends_arrives():
    explorer = PaintAMask()
    explorer.set_state({"may": [[True] * 5] * 5, "recipe": "times"})
    assert explorer.may == ((True,) * 5,) * 5 and explorer.recipe == "times"
