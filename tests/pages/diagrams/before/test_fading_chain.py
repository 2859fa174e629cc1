"""The figure of a fading memory: its factors are derivatives, its bars their products."""

import numpy as np
import pytest
import torch

from attention_book.pages.diagrams.before.fading_chain import Chain, fading_chain, fading_chain_told
from attention_book.pages.figures.plotting import figure_html

CHAIN = Chain((0.5, 0.5, -0.3, 0.0))


@pytest.fixture(scope="module")
def axes():
    return fading_chain(CHAIN).axes[0]


def test_what_is_left_is_the_derivative_that_torch_finds():
    first = torch.tensor(CHAIN.states[0], dtype=torch.float64, requires_grad=True)
    h, found = first, [1.0]
    for x in CHAIN.words[1:]:
        h = torch.tanh(np.log(3) * (h + x))
        found.append(torch.autograd.grad(h, first, retain_graph=True)[0].item())
    np.testing.assert_allclose(CHAIN.left, found)
    np.testing.assert_allclose(CHAIN.states, [0.5, 0.8, 0.5, 0.5])


def test_every_bar_is_as_high_as_what_is_left(axes):
    boxes = {patch.get_gid(): patch for patch in axes.patches}
    high = [boxes[f"left {n}"].get_height() for n in (1, 2, 3, 4)]
    np.testing.assert_allclose(np.array(high) / high[0], CHAIN.left)
    assert all(f"state {n}" in boxes for n in (1, 2, 3, 4))


def test_no_texts_overlap_and_all_stand_on_the_sheet(axes):
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])
    assert min(one.x0 for one in boxes) >= 0 and min(one.y0 for one in boxes) >= 0


def test_the_words_have_the_numbers_of_the_figure(axes):
    shown = {text.get_text().removeprefix("· ") for text in axes.texts if text.get_text()[-1:].isdecimal()}
    assert all(number in fading_chain_told(CHAIN) for number in shown) and len(shown) >= 5


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    shrunk = min(1.0, 311 / (axes.figure.get_figwidth() * 72))
    assert min(text.get_fontsize() for text in axes.texts if text.get_text()) * shrunk >= 9
    assert "<image" not in figure_html(fading_chain(CHAIN), alt="told", caption="asked")


def test_a_chain_without_a_step_is_refused():
    with pytest.raises(ValueError, match="two words"):
        Chain((0.5,))
