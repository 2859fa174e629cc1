"""The figure of the places of the root: how wide scores begin and how far a step goes, as drawn matrices show it."""

import numpy as np
import pytest

from attention_book.pages.diagrams.attention.scaling.places_of_the_root import (
    Arm,
    places_of_the_root,
    places_told,
    three_arms,
)
from attention_book.pages.figures.plotting import figure_html

from ...legibility import smallest_type

ARMS = three_arms(256)


@pytest.fixture(scope="module")
def axes():
    return places_of_the_root(ARMS).axes[0]


def scores(arm, w_q, w_k, x):
    return (x @ w_q) @ (x @ w_k).T / arm.divisor


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_spread_and_step_are_those_of_drawn_matrices(arm):
    random = np.random.default_rng(0)
    d_model = 64
    x = random.normal(size=(200, d_model))
    w_q, w_k = random.normal(0, d_model**-0.5, (2, d_model, arm.width))
    w_q = w_q / arm.shrink
    assert scores(arm, w_q, w_k, x).std() == pytest.approx(arm.spread, rel=0.1)
    step = random.normal(0, 1e-3, w_q.shape)  # of one length, whatever the matrix is
    moved = (scores(arm, w_q + step, w_k, x) - scores(arm, w_q, w_k, x)).std()
    divided = ARMS[0]
    as_a_unit = np.std((x @ step) @ (x @ w_k).T / divided.divisor)
    assert moved / as_a_unit == pytest.approx(arm.step)


def test_the_arms_differ_as_they_should():
    assert [(arm.name, arm.spread, arm.step) for arm in ARMS] == [
        ("divided", 1, 1),
        ("folded", 1, 16),
        ("undivided", 16, 16),
    ]


def test_bars_and_arrows_are_as_long_as_spread_and_step(axes):
    for arm in ARMS:
        (bar,) = [one for one in axes.patches if one.get_gid() == f"spread-{arm.name}"]
        (step,) = [one for one in axes.lines if one.get_gid() == f"step-{arm.name}"]
        assert bar.get_width() / np.ptp(step.get_xdata()) == pytest.approx(arm.spread / arm.step)
        assert max(step.get_xdata()) < axes.get_xlim()[1]
    names = {one.get_gid() for one in axes.patches}
    assert "divisor-divided" in names and not names & {"divisor-undivided", "divisor-folded"}


def test_the_words_have_the_numbers():
    words = places_told(ARMS)
    assert "Divided: the matrix as it is, dot products divided by 16; the scores begin with a standard" in words
    assert "Folded: a matrix 16 times smaller, dot products not divided" in words
    assert "deviation of 1, and one step moves them by 16." in words


def test_it_is_drawn_as_vectors_and_legible_on_a_phone():
    figure = places_of_the_root(ARMS)
    drawing = figure_html(figure, alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-query" in drawing
    assert smallest_type(figure) >= 9


@pytest.mark.parametrize(("arms", "said"), [([], "no arm"), ([Arm("wide", 1024)], "beyond 16")])
def test_what_makes_no_figure_is_refused(arms, said):
    with pytest.raises(ValueError, match=said):
        places_of_the_root(arms)
