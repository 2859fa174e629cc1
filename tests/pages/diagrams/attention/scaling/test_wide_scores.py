"""The figure of wide scores: bars have the variance they should, and weights are those of softmax."""

import math

import numpy as np
import pytest

from attention_book.pages.diagrams.attention.scaling.wide_scores import DEVIATIONS, Spread, scores_told, wide_scores
from attention_book.pages.figures.plotting import figure_html

from ...legibility import smallest_type

SPREADS = [Spread(4), Spread(16), Spread(64), Spread(64, 8.0)]


@pytest.fixture(scope="module")
def axes():
    return wide_scores(SPREADS).axes[0]


def bars(axes, name, row):
    return [patch for patch in axes.patches if (patch.get_gid() or "").startswith(f"{name}-{row}-")]


def test_the_chances_are_those_of_drawn_coins():
    random = np.random.default_rng(0)
    q, k = random.choice([-1, 1], (2, 40_000, 4))
    drawn = (q * k).sum(axis=1)
    for place, chance in zip(Spread(4).places, Spread(4).chances, strict=True):
        assert (drawn == place).mean() == pytest.approx(chance, abs=0.01)


@pytest.mark.parametrize("row", range(4))
def test_the_bars_spread_as_the_scores_do(axes, row):
    found, spread = bars(axes, "chance", row), SPREADS[row]
    middle = np.array([bar.get_x() + bar.get_width() / 2 for bar in found])
    area = np.array([bar.get_width() * bar.get_height() for bar in found])
    area = area / area.sum()
    deviation = math.sqrt((area * (middle - (area * middle).sum()) ** 2).sum())
    (bracket,) = [line for line in axes.lines if line.get_gid() == f"deviation-{row}"]
    assert np.ptp(bracket.get_xdata()) / 2 == pytest.approx(deviation, rel=0.02)
    one_unit = np.ptp(axes.lines[2].get_xdata()) / 4  # the first bracket is ± 2
    assert deviation / one_unit == pytest.approx(spread.deviation, rel=0.02)


def test_all_distributions_have_one_area(axes):
    areas = [sum(bar.get_width() * bar.get_height() for bar in bars(axes, "chance", row)) for row in range(4)]
    assert areas == pytest.approx([areas[0]] * 4, rel=0.02)


@pytest.mark.parametrize("row", range(4))
def test_weights_are_as_high_as_softmax_says(axes, row):
    exponentials = np.exp(SPREADS[row].deviation * np.array(DEVIATIONS))
    heights = np.array([bar.get_height() for bar in bars(axes, "weight", row)])
    assert heights / heights.sum() == pytest.approx(exponentials / exponentials.sum())


def test_nothing_leaves_the_sheet_and_the_halves_stay_apart(axes):
    right = axes.get_xlim()[1]
    for row in range(4):
        chances, weights = bars(axes, "chance", row), bars(axes, "weight", row)
        assert min(bar.get_x() for bar in chances) >= 0
        assert max(bar.get_x() + bar.get_width() for bar in chances) < min(bar.get_x() for bar in weights)
        assert max(bar.get_x() + bar.get_width() for bar in weights) <= right
        assert max(bar.get_y() + bar.get_height() for bar in [*chances, *weights]) < axes.get_ylim()[1] - 20


def test_the_words_have_the_numbers():
    words = scores_told(SPREADS)
    assert "Width 16: scores have a standard deviation of 4, and weights of 0.00, 0.00, 0.02, 0.12, 0.86." in words
    assert "Width 64, divided by 8: scores have a standard deviation of 1" in words
    assert "0.06, 0.10, 0.16, 0.26, 0.43" in words


def test_it_is_drawn_as_vectors_in_the_colour_of_weights_and_legible_on_a_phone():
    figure = wide_scores(SPREADS)
    drawing = figure_html(figure, alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing
    assert smallest_type(figure) >= 9


@pytest.mark.parametrize(("spreads", "said"), [([], "no row"), ([Spread(256)], "do not fit")])
def test_what_makes_no_figure_is_refused(spreads, said):
    with pytest.raises(ValueError, match=said):
        wide_scores(spreads)
