"""The classic pairs of heat maps: against autograd and a count of their own, one symmetric scale for each row."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from attention_book.attention.probability import softmax_jacobian
from attention_book.pages.figures.jacobian_maps import (
    coloured,
    comparison,
    comparison_rows,
    comparisons_told,
    norm_ratio,
    signed_maps,
)
from attention_book.pages.figures.plotting import INK, ROLES, figure_html


@pytest.mark.parametrize("n", [4, 8, 16, 64])
def test_a_comparison_is_autograds_at_a_seeded_draw(n):
    s = torch.tensor(np.random.default_rng(7).standard_normal(n) * n**0.5)
    for found, c in zip(comparison(n, 7), (1.0, n**0.5), strict=True):
        wanted = torch.autograd.functional.jacobian(lambda x, c=c: torch.softmax(x / c, dim=-1), s).numpy()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)
        assert np.ptp(found) == pytest.approx(wanted.max() - wanted.min())
    assert not np.array_equal(comparison(n, 7)[0], comparison(n, 8)[0])


def meshes(figure):
    return [axes.collections[0] for axes in figure.axes if axes.get_title()]


def test_maps_of_a_row_share_one_symmetric_scale_and_rows_do_not():
    small, large = np.array([[0.5, -1.0], [-1.0, 0.0]]), np.array([[3.0, -1.0], [-1.0, 2.0]])
    found = meshes(signed_maps([{"a": small, "b": large}, {"c": small}]))
    assert [mesh.get_clim() for mesh in found] == [(-3, 3), (-3, 3), (-1, 1)]
    for mesh, matrix in zip(found, (small, large, small), strict=True):
        np.testing.assert_array_equal(mesh.get_array(), matrix)


def test_signs_have_their_colours_and_zero_has_none():
    (mesh,) = meshes(signed_maps([{"a": np.array([[1.0, -1.0], [-0.25, 0.0]])}]))
    colours = mesh.to_rgba(mesh.get_array())
    assert colours[0, 0] == pytest.approx([*to_rgb(ROLES["weight"].light), 1])
    assert colours[0, 1] == pytest.approx([*to_rgb(INK), 1])
    assert colours[1, 1, 3] == pytest.approx(0)
    assert 0.25 < colours[1, 0, 3] < 0.75  # small entries can be seen


def test_alone_a_matrix_and_its_eighth_look_alike_and_beside_each_other_they_do_not():
    matrix = comparison(6, 1)[0]
    alone = [meshes(signed_maps([{"a": one}]))[0] for one in (matrix, matrix / 8)]
    shared = meshes(signed_maps([{"a": matrix, "b": matrix / 8}]))
    alike = lambda pair: np.allclose(*(mesh.to_rgba(mesh.get_array()) for mesh in pair))  # noqa: E731
    assert alike(alone) and not alike(shared)


def test_small_maps_carry_their_numbers_and_no_minus_zero():
    axes = signed_maps([{"a": np.array([[0.126, -0.004], [-0.25, 0.0]])}]).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.13", "0.00", "−0.25", "0.00"]
    smaller = signed_maps([{"a": np.array([[0.0126, -0.0004], [-0.025, 2.0e-9]])}]).axes[0]
    assert [text.get_text() for text in smaller.texts] == ["0.013", "0.000", "−0.025", "0.000"]
    assert not signed_maps([{"a": np.eye(6)}]).axes[0].texts
    assert axes.yaxis_inverted() and axes.get_xticklabels()[0].get_text() == "1"


def test_nothing_is_a_picture_that_could_not_follow_a_dark_page():
    drawn = figure_html(signed_maps([dict(zip("ab", comparison(8, 0), strict=True))]), alt="a", caption="b")
    assert "<image" not in drawn and "currentColor" in drawn and "var(--role-weight" in drawn


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no map"),
        ([{}], "no map"),
        ([{"wide": np.zeros((2, 3))}], r"'wide' is no square matrix of finite numbers: its shape is \(2, 3\)"),
        ([{"nan": np.full((2, 2), np.nan)}], "'nan' is no square matrix"),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        signed_maps(rows)


def test_a_map_of_zeros_is_drawn():
    assert meshes(signed_maps([{"dead": np.zeros((2, 2))}]))[0].get_clim() == (-1, 1)


def test_eight_times_the_scores_at_the_temperature_8_have_an_eighth_of_the_jacobian():
    z = np.random.default_rng(0).standard_normal(5)
    left, right = softmax_jacobian(z), softmax_jacobian(8 * z, 8.0)
    np.testing.assert_allclose(left, 8 * right, atol=1e-15)


def test_the_classic_pairs_have_titles_and_are_told():
    (row,) = comparison_rows([(4, 2)])
    assert list(row) == ["n = 4, seed 2: C = 1", "C = √4"]
    undivided, divided = comparison(4, 2)
    np.testing.assert_array_equal(row["C = √4"], divided)
    root = np.sqrt((undivided**2).sum())
    assert comparisons_told([(4, 2)]).startswith(
        f"n = 4, seed 2: undivided norm {root:.3f}, largest entry {np.abs(undivided).max():.3f}; "
    )
    assert len(comparisons_told([(4, 2), (8, 0)]).split(". ")) == 2


def test_with_seed_3_the_divided_map_is_the_stronger_one_and_with_seed_0_the_weaker():
    ratios = [norm_ratio(16, seed) for seed in (0, 3)]
    assert ratios[0] > 4 and ratios[1] < 1 / 4


def test_on_one_scale_the_fuller_map_of_seed_0_loses_its_cells_and_that_of_seed_3_keeps_them():
    assert (coloured(16, 0), coloured(16, 0, one_scale=True)) == ((10, 43), (10, 9))
    assert (coloured(16, 3), coloured(16, 3, one_scale=True)) == ((4, 17), (4, 17))
    for seed in range(4):
        pair = comparison(16, seed)
        top = [max(abs(x) for x in j.ravel().tolist()) for j in pair]
        counted = lambda j, largest: sum(20 * abs(x) > largest for x in j.ravel().tolist())  # noqa: E731
        assert coloured(16, seed) == tuple(map(counted, pair, top))
        assert coloured(16, seed, one_scale=True) == tuple(counted(j, max(top)) for j in pair)
