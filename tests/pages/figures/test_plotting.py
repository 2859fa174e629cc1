"""Figures: what is drawn is what was given, every colour has a role, and every figure is also told in words."""

import itertools
import re
import warnings
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_book.pages.figures.plotting import (
    IN_FULL,
    INK,
    ON_COLOUR,
    ROLES,
    curves,
    figure_html,
    heatmap,
    mark_x,
    show,
)

STYLES = Path(__file__).parents[3] / "site" / "static"
BACKGROUNDS = {"light": "#ffffff", "dark": "#121212"}  # of the theme's two modes
TEXT = {"light": "#222832", "dark": "#ced6dd"}  # of the theme's pages
WORDS = {"alt": "Row a: 0.25 and 0.75.", "caption": "Which key wins? The second."}
# What red-blind, green-blind and blue-blind readers see, on linear RGB (Machado et al. 2009, severity 1).
SEEN_AS = {
    "full colour": np.eye(3),
    "red-blind": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green-blind": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue-blind": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    """Linear RGB of "#rrggbb"."""
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Contrast ratio of two linear RGB colours (WCAG 2.1)."""
    light, dark = sorted([one @ [0.2126, 0.7152, 0.0722], other @ [0.2126, 0.7152, 0.0722]], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    """CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = (np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def svg_of(html):
    return ElementTree.fromstring(re.search(r"<svg.*</svg>", html, re.S).group())


@pytest.mark.parametrize("mode", BACKGROUNDS)
def test_every_role_can_be_read_as_text(mode):
    for name, role in ROLES.items():
        ratio = contrast(linear(getattr(role, mode)), linear(BACKGROUNDS[mode]))
        assert ratio >= 4.5, f"{name} has a contrast of {ratio:.1f} on a {mode} page"


@pytest.mark.parametrize("mode", BACKGROUNDS)
@pytest.mark.parametrize("reader", SEEN_AS)
def test_no_two_roles_look_alike_to_any_reader(mode, reader):
    for one, other in itertools.combinations(ROLES, 2):
        seen = [lab(np.array(SEEN_AS[reader]) @ linear(getattr(ROLES[role], mode))) for role in (one, other)]
        assert np.linalg.norm(seen[0] - seen[1]) > 12, f"{one} and {other} look alike to a {reader} reader"


def test_roles_differ_in_dash_and_marker_too():
    for trait in ("line", "marker"):
        assert len({str(getattr(role, trait)) for role in ROLES.values()}) == len(ROLES)


def test_the_style_sheet_has_the_same_colours():
    css = (STYLES / "roles.css").read_text(encoding="utf-8")
    for mode in BACKGROUNDS:
        block = css[css.index(f'html[data-theme="{mode}"]') :].split("}")[0]
        declared = dict(re.findall(r"--role-(\w+): (#\w+);", block))
        assert declared == {name: getattr(role, mode) for name, role in ROLES.items()}


@pytest.mark.parametrize("mode", BACKGROUNDS)
@pytest.mark.parametrize("role", ROLES)
def test_page_ink_can_be_read_on_the_cells_of_a_heatmap_whose_scale_is_three_times_its_largest(mode, role):
    figure = heatmap([[0, 0.7, 1, 2, 2.5]], ["a"], list("bcdef"), role=role, largest=7.5)
    axes = figure.axes[0]
    assert all(text.get_color() == ON_COLOUR for text in axes.texts)
    colour, paper = (np.array([int(one[at : at + 2], 16) for at in (1, 3, 5)])
                     for one in (getattr(ROLES[role], mode), BACKGROUNDS[mode]))  # fmt: skip
    for share in axes.collections[0].to_rgba([[0, 0.7, 1, 2, 2.5]])[0, :, 3]:
        cell = "#" + "".join(f"{round(c):02x}" for c in share * colour + (1 - share) * paper)
        assert contrast(linear(cell), linear(TEXT[mode])) >= 4.5


@given(arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(0, 1)))
def test_a_heatmap_draws_the_matrix_it_was_given(matrix):
    rows, columns = matrix.shape
    axes = heatmap(matrix, [f"q{i}" for i in range(rows)], [f"k{i}" for i in range(columns)]).axes[0]
    np.testing.assert_array_equal(axes.collections[0].get_array(), matrix)
    assert axes.collections[0].get_clim() == (0, 1)
    assert [float(text.get_text()) for text in axes.texts] == pytest.approx(matrix.ravel(), abs=0.0051)
    assert axes.yaxis_inverted()


def test_a_heatmap_drops_the_zeros_at_the_ends_of_its_numbers_unless_it_keeps_them():
    for zeros, told in ((False, ["0.4", "0.38"]), (True, ["0.40", "0.38"])):
        axes = heatmap([[0.4, 0.38]], ["a"], ["b", "c"], zeros=zeros).axes[0]
        assert [text.get_text() for text in axes.texts] == told


def test_a_heatmap_takes_torch_with_gradient_and_booleans():
    weights = torch.tensor([[0.25, 0.75]], requires_grad=True)
    for matrix, drawn in ((weights, [[0.25, 0.75]]), (torch.tensor([[True, False]]), [[1, 0]])):
        cells = heatmap(matrix, ["a"], ["b", "c"]).axes[0].collections[0]
        assert cells.get_array().tolist() == drawn


@pytest.mark.parametrize(
    ("matrix", "rows", "columns", "message"),
    [
        ([[0.1, 0.2]], "a", "b", r"shape \(1, 2\) does not fit 1 row labels and 1 column"),
        ([[-0.1]], "a", "b", "between 0 and 1.0, got -0.1"),
        ([[1.5]], "a", "b", "got 1.5"),
        ([[float("nan"), 1]], "a", "bc", "between 0 and 1.0"),
    ],
)
def test_a_heatmap_refuses_what_it_cannot_show(matrix, rows, columns, message):
    with pytest.raises(ValueError, match=message):
        heatmap(matrix, rows, columns)


def test_curves_draw_the_points_they_were_given_in_their_roles():
    figure = curves({"one": ([1, 2], [3, 4]), "two": (torch.arange(2), torch.ones(2))}, x_label="x", y_label="y",
                    roles={"two": "key"})  # fmt: skip
    one, two = figure.axes[0].lines
    assert (one.get_xdata().tolist(), one.get_ydata().tolist()) == ([1, 2], [3, 4])
    assert (one.get_color(), two.get_color()) == (INK, ROLES["key"].light)
    assert (two.get_linestyle(), two.get_marker()) == (ROLES["key"].line, ROLES["key"].marker)
    assert one.get_linestyle() != two.get_linestyle()
    assert [text.get_text() for text in figure.axes[0].get_legend().texts] == ["one", "two"]


def test_curves_show_as_much_of_the_axis_as_was_asked_for():
    line = {"steep": ([0, 1], [2, 50])}
    limits = curves(line, x_label="x", y_label="y", y_limits=(0, 9)).axes[0].get_ylim()
    assert limits == (0, 9)
    assert curves(line, x_label="x", y_label="y").axes[0].get_ylim()[1] > 50


def test_a_mark_stands_at_its_place_from_bottom_to_top():
    figure = curves({"one": ([1, 2, 3], [1, 4, 9])}, x_label="x", y_label="y")
    assert mark_x(figure, 2.5) is figure
    line = figure.axes[0].lines[-1]
    assert list(line.get_xdata()) == [2.5, 2.5] and list(line.get_ydata()) == [0, 1]  # of the axes' height


def test_curves_refuse_lines_that_do_not_fit():
    with pytest.raises(ValueError, match="no line"):
        curves({}, x_label="x", y_label="y")
    with pytest.raises(ValueError, match="line 'a' has 2 x values and 1 y values"):
        curves({"a": ([1, 2], [1])}, x_label="x", y_label="y")


def test_a_shown_figure_follows_the_page_and_says_what_it_shows():
    html = figure_html(heatmap([[0.25, 0.75]], ["a"], ["b", "c"]), **WORDS)
    svg = svg_of(html)
    assert (svg.get("role"), svg.get("aria-label")) == ("img", WORDS["alt"])
    assert f"<figcaption>{WORDS['caption']}</figcaption>" in html
    assert "currentColor" in html
    assert f"var(--role-weight, {ROLES['weight'].light})" in html
    numbers = [text for text in svg.iter("{http://www.w3.org/2000/svg}text") if text.text in {"0.25", "0.75"}]
    assert len(numbers) == 2
    pale, full = (text.get("style") for text in numbers)  # readable on any cell: text and rim are paper and colour
    assert "fill: currentColor; stroke: var(--figure-paper" in pale
    assert f"fill: var(--figure-paper, #ffffff); stroke: var(--role-weight, {ROLES['weight'].light})" in full
    for sentinel in (INK, ON_COLOUR, *IN_FULL.values()):
        assert sentinel not in html
    colours = set(re.findall(r"#[0-9a-f]{6}\b", html)) - {role.light for role in ROLES.values()}
    assert colours == {"#ffffff"}  # the fallback of the paper, outside the book
    assert {"0.25", "0.75", "a", "b", "c", "keys", "queries"} <= {text.strip() for text in svg.itertext()}


def test_a_shown_figure_asks_nobody_for_anything():
    html = figure_html(curves({"a": ([1, 2], [1, 2])}, x_label="x", y_label="y"), **WORDS)
    assert set(re.findall(r'(?:href|src)="([^#"][^"]*)"', html)) == set()
    assert not re.search(r"url\((?!#)", html)
    assert "<metadata" not in html


def test_ids_differ_between_figures_and_references_follow_them():
    pages = [figure_html(heatmap([[0.5]], ["a"], ["b"]), **WORDS) for _ in range(2)]
    ids = [re.findall(r'\bid="([^"]+)"', page) for page in pages]
    assert ids[0]
    assert len(set(ids[0] + ids[1])) == len(ids[0]) + len(ids[1])
    for page, own in zip(pages, ids, strict=True):
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(own)


def test_a_legend_has_no_frame_which_would_be_a_light_box_on_a_dark_page():
    figure = curves({name: ([1, 2], [1, 2]) for name in "ab"}, x_label="x", y_label="y", legend_columns=2)
    assert figure.axes[0].get_legend()._ncols == 2
    assert "legend" in figure_html(figure, **WORDS)
    figure.axes[0].legend()  # beside the style of the book's figures
    with pytest.raises(ValueError, match="a light box on a dark page"):
        figure_html(figure, **WORDS)


def test_words_are_escaped_and_needed():
    html = figure_html(heatmap([[0.5]], ["a"], ["b"]), alt='says "<s>"', caption="a < b & c")
    assert svg_of(html).get("aria-label") == 'says "<s>"'
    assert "<figcaption>a &lt; b &amp; c</figcaption>" in html
    for words in ({"alt": " ", "caption": "c"}, {"alt": "a", "caption": ""}):
        with pytest.raises(ValueError, match="both an alt text and a caption"):
            figure_html(heatmap([[0.5]], ["a"], ["b"]), **words)


def test_hindi_labels_make_no_noise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        html = figure_html(heatmap([[0.5]], ["कैसे"], ["हैं"]), **WORDS)
    assert {"कैसे", "हैं"} <= {text.strip() for text in svg_of(html).itertext()}


def test_show_displays_the_figure(monkeypatch):
    displayed = []
    monkeypatch.setattr("IPython.display.display", displayed.append)
    show(heatmap([[0.5]], ["a"], ["b"]), **WORDS)
    assert [one.data.startswith('<figure class="book-figure">') for one in displayed] == [True]
