"""The figure of a step that two ranks share: what it says is what the package's own way of joining gives."""

from fractions import Fraction

import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.shared_step import BY_HAND, SharedStep, shared_step, shared_step_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.machines.shared_step import Part, joined


@pytest.fixture(scope="module")
def axes():
    return shared_step().axes[0]


@pytest.mark.parametrize("gradients", [BY_HAND.gradients, ((1, 3), (5, 6, 7)), ((2,), (4,))])
def test_its_numbers_are_those_of_the_package(gradients):
    step = SharedStep(gradients)
    parts = [Part([torch.tensor(float(mean))], len(own)) for mean, own in zip(step.means, gradients, strict=True)]
    assert joined(parts)[0].item() == pytest.approx(float(step.gradient))
    assert joined(parts, by_tokens=False)[0].item() == pytest.approx(float(step.mean_of_means))
    every = [g for own in gradients for g in own]
    assert step.gradient == Fraction(sum(every), len(every)) and step.tokens == len(every)


def test_a_pencil_gets_five_and_not_six():
    assert (BY_HAND.gradient, BY_HAND.mean_of_means, BY_HAND.parts) == (5, 6, [3, 2])


def test_each_token_has_a_cell_and_padding_a_broken_one(axes):
    cells = {patch.get_gid(): patch for patch in axes.patches if str(patch.get_gid()).startswith("token")}
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    shown = {}
    for name, cell in cells.items():
        text = texts[cell.get_x() + cell.get_width() / 2, cell.get_y() + cell.get_height() / 2]
        assert (cell.get_linestyle() not in ("-", "solid")) == (text == "pad")
        shown.setdefault(name.split("-")[1], []).append(text)
    assert shown == {"0": ["2", "4", "6"], "1": ["8", "pad", "pad"]}


def test_the_words_of_both_columns_and_the_sum(axes):
    said = [text.get_text() for text in axes.texts]
    for wanted in ("3 tokens, mean 4", "1 token, mean 8", "times 3/4", "times 1/4", "adds 3", "adds 2", "sum: 5"):
        assert said.count(wanted) == 1
    assert said.count("step with 5") == 2
    told = shared_step_told()
    assert "Rank 0 has 3 tokens with the gradients 2, 4, 6, mean 4; times 3/4 it adds 3." in told
    assert "Rank 1 has 1 token with the gradient 8; times 1/4 it adds 2." in told and "step with 5" in told


def test_texts_stay_in_their_boxes_and_on_the_sheet(axes):
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    width, height = axes.figure.get_size_inches() * 72
    edges = [patch.get_bbox() for patch in axes.patches if patch.get_gid()]
    for text in axes.texts:
        if text.get_text():
            extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
            assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
            around = [edge for edge in edges if edge.contains(*text.get_position())]
            assert all(edge.x0 <= extent.x0 and extent.x1 <= edge.x1 for edge in around), text.get_text()


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    shrunk = min(1.0, 311 / (axes.figure.get_figwidth() * 72))
    assert min(text.get_fontsize() for text in axes.texts if text.get_text()) * shrunk >= 9
    assert "<image" not in figure_html(shared_step(), alt="told", caption="asked")


def test_three_ranks_are_refused():
    with pytest.raises(ValueError, match="two ranks, not 3"):
        shared_step(SharedStep(((1,), (2,), (3,))))
