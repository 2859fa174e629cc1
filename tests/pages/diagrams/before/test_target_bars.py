"""The figure of label smoothing: bars as high as the shares, in two targets that can be compared."""

import numpy as np
import pytest

from attention_book.pages.diagrams.before.target_bars import target_bars, target_bars_told
from attention_book.pages.figures.plotting import figure_html

TARGETS = [1.0, 0.0, 0.0, 0.0, 0.0], [0.92, 0.02, 0.02, 0.02, 0.02]


@pytest.fixture(scope="module")
def axes():
    return target_bars(*TARGETS).axes[0]


def test_every_bar_is_as_high_as_its_share_and_stands_on_one_floor(axes):
    bars = {patch.get_gid(): patch for patch in axes.patches}
    names = [f"{name} target {place}" for name in ("certain", "smoothed") for place in range(5)]
    assert list(bars) == names
    high = np.array([bars[name].get_height() for name in names])
    np.testing.assert_allclose(high / high[0], [*TARGETS[0], *TARGETS[1]])
    assert len({bar.get_y() for bar in bars.values()}) == 1


def test_every_share_stands_above_its_bar_and_no_texts_overlap(axes):
    places = {tuple(text.get_position()): text.get_text() for text in axes.texts if text.get_text()}
    for bar in axes.patches:
        x, top = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()
        above = min((y, told) for (at, y), told in places.items() if abs(at - x) < 1 and y > top)
        assert float(above[1]) == pytest.approx(bar.get_height() / axes.patches[0].get_height())
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])


def test_the_words_have_the_shares():
    assert target_bars_told(*TARGETS) == (
        "Two targets over 5 tokens, a bar per token. Certain target: 1, 0, 0, 0, 0. "
        "Smoothed target: 0.92, 0.02, 0.02, 0.02, 0.02."
    )


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    shrunk = min(1.0, 311 / (axes.figure.get_figwidth() * 72))
    assert min(text.get_fontsize() for text in axes.texts if text.get_text()) * shrunk >= 9
    assert "<image" not in figure_html(target_bars(*TARGETS), alt="told", caption="asked")


@pytest.mark.parametrize("targets", [([1.0], [0.5, 0.5]), ([], []), ([0.1] * 10, [0.1] * 10)])
def test_targets_that_cannot_be_compared_are_refused(targets):
    with pytest.raises(ValueError, match="same 1 to 5 tokens"):
        target_bars(*targets)


def test_other_rows_of_bars_have_their_titles_and_their_scale_and_no_arrow(axes):
    rows, titles = ([0.25, 0.125], [0.0, 0.5]), ("careful", "sure")
    other = target_bars(*rows, titles, full=0.5, becomes=False).axes[0]
    high = {patch.get_gid(): patch.get_height() for patch in other.patches if patch.get_gid()}
    certain = next(patch.get_height() for patch in axes.patches if patch.get_gid() == "certain target 0")
    assert high["sure 1"] == pytest.approx(certain) and high["careful 0"] == pytest.approx(certain / 2)
    assert {"careful", "sure"} <= {text.get_text() for text in other.texts}
    assert len(other.texts) + len(other.patches) < len(axes.texts) + len(axes.patches)
    told = target_bars_told(*rows, titles, "losses")
    assert told == "Two losses over 2 tokens, a bar per token. Careful: 0.25, 0.125. Sure: 0, 0.5."
