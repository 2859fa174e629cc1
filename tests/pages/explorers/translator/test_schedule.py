"""The Python side of the explorer *the learning rate by step*: what it computes, refuses and says."""

import math

import numpy as np
import pytest
import traitlets

from attention_book.pages.explorers.translator.schedule import PEAKS, STEPS, WARM_UPS, Schedule


@pytest.mark.parametrize("warm_up", WARM_UPS)
@pytest.mark.parametrize("peak", PEAKS)
def test_both_shapes_rise_in_a_straight_line_and_fall_as_they_are_named(warm_up, peak):
    warm = STEPS * warm_up / 100
    at = np.arange(20, STEPS + 1, 20)
    cosine = np.where(at < warm, at / warm, 0.5 + 0.5 * np.cos(np.pi * (at - warm) / (STEPS - warm)))
    root = np.minimum(at / warm, np.sqrt(warm / at))
    for shape, wanted in (("cosine", cosine), ("paper", root)):
        explorer = Schedule(shape=shape, warm_up=warm_up, peak=peak)
        np.testing.assert_allclose(explorer.rates, peak * wanted, atol=1e-12)
        assert max(explorer.rates) == pytest.approx(peak) and explorer.rate(0) == 0


def test_what_is_to_come_is_the_area_after_the_moment():
    whole, at_the_end = Schedule(moment=0), Schedule(moment=100)
    assert whole.left == 1 and at_the_end.left == 0
    warm, end = 0.04, 1.0
    # The area under half a cosine from t to the end, and under the whole line; both by calculus.
    t = (0.9 - warm) / (end - warm)
    rest = (end - warm) * 0.5 * ((1 - t) - math.sin(math.pi * t) / math.pi)
    assert Schedule(moment=90).left == pytest.approx(rest / (0.5 * warm + 0.5 * (end - warm)), rel=2e-3)
    assert Schedule(moment=90).left < 0.02 < Schedule(moment=90, shape="paper").left


def test_the_words_have_the_numbers():
    words = Schedule(moment=52).in_words()
    assert "rises to 1.000 × 0.001 within 800 steps, and then falls along half a cosine to 0" in words
    assert "After 52 % of the run, at step 10400, it is 0.500 × 0.001." in words
    assert "On average over the run it is 0.500 × 0.001." in words
    assert "After this moment come 0.177 % of all the rates of the run" in Schedule(moment=90).in_words()
    assert "with the square root of the step" in Schedule(shape="paper").in_words()


@pytest.mark.parametrize("bad", [{"shape": "line"}, {"warm_up": 3.0}, {"peak": 0.0}, {"moment": 101}, {"moment": -1}])
def test_what_does_not_fit_is_refused_and_changes_nothing(bad):
    explorer = Schedule()
    before = explorer.state()
    ((name, value),) = bad.items()
    with pytest.raises(traitlets.TraitError):
        setattr(explorer, name, value)
    assert explorer.state() == before
