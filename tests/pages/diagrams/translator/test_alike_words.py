"""The figure of words that become alike: a cell has as much ink as its cosine, and the number below is their mean."""

import pytest
import torch

from attention_book.pages.diagrams.translator import alike_words as figure
from attention_book.pages.figures.legible import LEAST_TYPE
from attention_book.studies.translator.position_mixing import alike

from ..legibility import outside, smallest_type

KINDS = {"replaced": torch.tensor([[[1.0, -0.2], [-0.2, 1.0]], [[1.0, 0.6], [0.6, 1.0]]])}


def test_a_cell_has_as_much_ink_as_its_cosine_and_the_mean_leaves_the_words_themselves_out():
    axes = figure.alike_words(KINDS).axes[0]
    shades = {one.get_gid(): one.get_alpha() for one in axes.patches}
    assert shades["cell-0-0-0-1"] == 0 and shades["cell-0-0-1-1"] == pytest.approx(0.85)
    assert shades["cell-0-1-1-0"] == pytest.approx(0.51)
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["number of attentions", "0", "1", "replaced", "-0.20", "0.60"]
    assert figure.alike_words_told(KINDS).endswith("replaced: -0.20, 0.60.")


def test_the_attentions_are_counted_above_the_grids_where_no_mean_stands():
    axes = figure.alike_words(alike()).axes[0]
    by_text = {}
    for one in axes.texts:
        by_text.setdefault(one.get_text(), []).append(one.get_position())
    counts = [by_text[str(stage)] for stage in range(7)]
    highest = max(patch.get_y() + patch.get_height() for patch in axes.patches)
    assert all(len(places) == 1 and places[0][1] > highest for places in counts)
    middles = {patch.get_gid(): patch.get_x() + patch.get_width() / 2 for patch in axes.patches}
    assert [places[0][0] for places in counts] == pytest.approx([middles[f"edge-0-{stage}"] for stage in range(7)])


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone():
    drawn = figure.alike_words(alike())
    assert not outside(drawn.axes[0]) and smallest_type(drawn) >= LEAST_TYPE
