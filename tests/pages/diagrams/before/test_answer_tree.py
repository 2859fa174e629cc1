"""The figure of the chain rule: its factors multiply to the shares, and its branches are as thick as they are."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention_book.pages.diagrams.before.answer_tree import answer_tree, answer_tree_told, factors_by_beginning
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

ANSWERS = {"tú cantaste": 3, "tú cantabas": 2, "usted cantó": 2, "usted cantaba": 1, "cantaste": 2}
COUNTS = {tuple(answer.split()): count for answer, count in ANSWERS.items()}


@pytest.fixture(scope="module")
def axes():
    return answer_tree(COUNTS).axes[0]


def test_the_factors_of_an_answer_multiply_to_its_share():
    factors = factors_by_beginning(COUNTS)
    for answer, count in COUNTS.items():
        tokens = (*answer, "</s>")
        product = math.prod(factors[tokens[: n + 1]] for n in range(len(tokens)))
        assert product == Fraction(count, 10)
    assert factors["tú",] == Fraction(1, 2) and factors["tú", "cantaste"] == Fraction(3, 5)


def test_an_answer_that_begins_another_shares_its_branches():
    factors = factors_by_beginning({("a",): 1, ("a", "b"): 3})
    assert factors["a",] == 1 and factors["a", "</s>"] == Fraction(1, 4) and factors["a", "b"] == Fraction(3, 4)


def test_every_factor_has_a_branch_as_thick_as_it_is(axes):
    factors = factors_by_beginning(COUNTS)
    thick = {tuple(line.get_gid().split()): line.get_linewidth() for line in axes.lines}
    assert thick.keys() == factors.keys()
    values = [float(factors[begin]) for begin in thick]
    slope, at_zero = np.polyfit(values, list(thick.values()), 1)
    assert slope > 1
    np.testing.assert_allclose(list(thick.values()), np.array(values) * slope + at_zero)


def test_the_products_stand_beside_the_ends_and_no_texts_overlap(axes):
    texts = [text for text in axes.texts if text.get_text()]
    heights = {text.get_position()[1]: text.get_text() for text in texts if text.get_position()[0] > 310}
    ends = [text.get_position()[1] for text in texts if text.get_text() == "</s>"]
    assert [heights[y] for y in ends] == ["0.3", "0.2", "0.2", "0.1", "0.2"]
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts]
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])


def test_the_words_have_the_factors_and_the_products():
    told = answer_tree_told(COUNTS)
    assert "usted 0.30, cantó 0.67, </s> 1.00: product 0.2." in told and told.count("product") == len(COUNTS)


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    assert smallest_type(axes.figure) >= 9
    assert "<image" not in figure_html(answer_tree(COUNTS), alt="told", caption="asked")


@pytest.mark.parametrize("counts", [{}, {("a",): 0}])
def test_what_makes_no_tree_is_refused(counts):
    with pytest.raises(ValueError, match="needs answers"):
        answer_tree(counts)
