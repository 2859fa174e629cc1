"""The figure of one kind of word and the heads it misses: a row per model, the best linker a diamond."""

import numpy as np
import pytest
from oracles import unchecked

from attention_book.pages.diagrams.reading.missed_head import missed_head, missed_head_told
from attention_book.pages.figures.plotting import figure_html

RIGHT = np.array([[0.1, 0.6, 0.0], [0.9, 0.2, 0.3]])
RISES = np.array([[0.02, 0.7, -0.1], [0.4, 0.5, 0.0]])


def test_each_model_is_a_row_and_its_best_linker_is_a_diamond():
    axes = missed_head(RIGHT, RISES).axes[0]
    others, best = axes.lines[2:4]
    assert others.get_xdata().tolist() == [0.5, 0.0] and others.get_markerfacecolor() == "none"
    assert list(best.get_xdata()) == [0.4] and best.get_marker() == "D"
    assert [text.get_text() for text in axes.texts] == ["60 %", "90 %"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["model 0", "model 1"]


def test_it_takes_the_colours_of_the_page():
    drawing = figure_html(missed_head(RIGHT, RISES), alt="told", caption="asked")
    assert "currentColor" in drawing and "<image" not in drawing


def test_it_is_told_model_by_model():
    told = missed_head_told(RIGHT, RISES)
    assert told.startswith("Model 0: the head that links most, 60 %, costs +0.70, the others +0.02, −0.10. Model 1")


def test_numbers_that_do_not_fit_are_refused():
    with unchecked(), pytest.raises(ValueError, match="one shape"):
        missed_head(RIGHT, RISES[:1])
