"""The figure of words that become alike: a cell is as dark as its cosine, and the number below is their mean."""

import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.translator import alike_words as figure
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.studies.translator.position_mixing import alike

KINDS = {"replaced": torch.tensor([[[1.0, -0.2], [-0.2, 1.0]], [[1.0, 0.6], [0.6, 1.0]]])}


def test_a_cell_is_as_dark_as_its_cosine_and_the_mean_leaves_the_words_themselves_out():
    axes = figure.alike_words(KINDS).axes[0]
    shades = {one.get_gid(): one.get_alpha() for one in axes.patches}
    assert shades["cell-0-0-0-1"] == 0 and shades["cell-0-0-1-1"] == pytest.approx(0.85)
    assert shades["cell-0-1-1-0"] == pytest.approx(0.51)
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["replaced", "-0.20", "0.60", "0", "1", "number of attentions"]
    assert figure.alike_words_told(KINDS).endswith("replaced: -0.20, 0.60.")


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone():
    axes = figure.alike_words(alike()).axes[0]
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for text in axes.texts:
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert text.get_fontsize() * min(1.0, 311 / width) >= LEAST_TYPE
