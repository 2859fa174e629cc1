"""The figure of a query among keys: lines to the nearest, as thick as their weights, and each key's word."""

import math

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_book.pages.diagrams.training.keys_around import keys_around, keys_around_told, weights_of
from attention_book.pages.figures.plotting import figure_html

KEYS = [
    (1.0, 0.0, "zapatero"),
    (0.0, 2.0, "zapatero"),
    (-1.0, -2.0, "zapato"),
    (-3.0, 2.0, "zapatos"),
    (3.0, -2.0, "coche"),
]
DRAWN = KEYS, (0.0, 0.0), 3, 4.0


@pytest.fixture(scope="module")
def axes():
    return keys_around(*DRAWN).axes[0]


def test_weights_are_the_softmax_of_minus_the_squared_distances_over_t():
    parts = [math.exp(-1 / 4), math.exp(-4 / 4), math.exp(-5 / 4)]
    found = weights_of(*DRAWN)
    assert [place for place, _ in found] == [0, 1, 2]
    assert [weight for _, weight in found] == pytest.approx([part / sum(parts) for part in parts])
    far = [(x + 1000, y, word) for x, y, word in KEYS]
    assert sum(weight for _, weight in weights_of(far, (0.0, 0.0), 3, 0.5)) == pytest.approx(1)  # nothing underflows


def test_lines_lead_from_the_query_to_the_nearest_and_are_thicker_for_more_weight(axes):
    lines = {line.get_gid(): line for line in axes.lines}
    drawn = [lines[f"line-{place}"] for place in range(3)]
    assert not {"line-3", "line-4"} & lines.keys()
    for place, line in enumerate(drawn):
        key = lines[f"key-{place}"]
        assert line.get_xdata()[1] == key.get_xdata()[0] and line.get_ydata()[1] == key.get_ydata()[0]
        assert line.get_xdata()[0] == lines["query"].get_xdata()[0]
    widths = [line.get_linewidth() for line in drawn]
    assert widths == sorted(widths, reverse=True) and widths[0] > widths[-1]
    assert [lines[f"key-{place}"].get_fillstyle() for place in range(5)] == ["full"] * 3 + ["none"] * 2


def test_keys_stand_where_they_are(axes):
    lines = {line.get_gid(): line for line in axes.lines}
    x0, y0 = lines["query"].get_xdata()[0], lines["query"].get_ydata()[0]
    scale = lines["key-0"].get_xdata()[0] - x0
    for place, (x, y, _) in enumerate(KEYS):
        assert lines[f"key-{place}"].get_xdata()[0] == pytest.approx(x0 + x * scale)
        assert lines[f"key-{place}"].get_ydata()[0] == pytest.approx(y0 + y * scale)


def test_all_letters_stand_on_the_sheet_apart_from_each_other_and_are_legible_on_a_phone(axes):
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    texts = [text for text in axes.texts if text.get_text()]
    assert len(texts) == len(KEYS) + 1
    extents = [text.get_window_extent(renderer).transformed(axes.transData.inverted()) for text in texts]
    for text, extent in zip(texts, extents, strict=True):
        assert extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height, text.get_text()
        assert not any(extent.overlaps(other) for other in extents if other is not extent), text.get_text()
        assert text.get_fontsize() * min(1.0, 311 / width) >= 9
    assert "<image" not in figure_html(keys_around(*DRAWN), alt="told", caption="asked")


def test_the_words_have_every_weight_and_every_key():
    told = keys_around_told(*DRAWN)
    assert (
        "A query among 5 keys. Lines lead to the nearest 3: zapatero, at the squared distance 1, with the weight 0.54;"
        in told
    )
    assert "zapato, at the squared distance 5, with the weight 0.20." in told and "zapatos, coche" in told
    assert "others" not in keys_around_told(KEYS[:3], (0.0, 0.0), 3, 4.0)


@pytest.mark.parametrize("drawn", [keys_around, keys_around_told])
def test_too_few_keys_and_no_temperature_are_refused(drawn):
    with pytest.raises(ValueError, match="need 6 keys"):
        drawn(KEYS, (0.0, 0.0), 6, 4.0)
    with pytest.raises(ValueError, match="positive temperature"):
        drawn(KEYS, (0.0, 0.0), 3, 0.0)
