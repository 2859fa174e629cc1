"""The figure draws the matrices of a layer to scale, a row of ours as a column of the layout."""

import pytest

from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.decoder_only import DecoderOnly
from attention_book.pages.diagrams.beyond.turned_matrices import turned, turned_matrices, turned_matrices_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def found():
    return turned(DecoderOnly(TransformerConfig.tiny()))


@pytest.fixture(scope="module")
def axes(found):
    return turned_matrices(found).axes[0]


def sizes(axes, start):
    patches = (patch for patch in axes.patches if str(patch.get_gid()).startswith(start))
    return {patch.get_gid().removeprefix(start): (patch.get_height(), patch.get_width()) for patch in patches}


def test_it_has_the_four_matrices_of_one_layer_and_their_shapes(found):
    assert {matrix.name: matrix.shape for matrix in found} == {
        "attn.c_attn": (64, 192), "attn.c_proj": (64, 64), "mlp.c_fc": (64, 256), "mlp.c_proj": (256, 64),
    }  # fmt: skip
    ours = {name: shape for matrix in found for name, shape in matrix.ours.items()}
    assert list(ours) == ["w_q", "w_k", "w_v", "w_o", "w_1", "w_2"] and ours["w_1"] == (256, 64)


def test_each_matrix_is_drawn_to_scale_and_turned(found, axes):
    ours, theirs, rows, columns = (sizes(axes, f"{start}-") for start in ("ours", "theirs", "row", "column"))
    for name, (out, inputs) in ((n, s) for matrix in found for n, s in matrix.ours.items()):
        scale = 20 / 64
        assert ours[name] == pytest.approx((out * scale, inputs * scale)) and theirs[name] == pytest.approx(
            ours[name][::-1]
        )
        assert rows[name] == pytest.approx(columns[name][::-1]) and rows[name][1] == ours[name][1]


def test_its_shapes_do_not_touch(axes):
    boxes = [p for p in axes.patches if str(p.get_gid()).startswith(("ours-", "theirs-"))]
    for one in boxes:
        for other in boxes:
            a, b = one.get_bbox(), other.get_bbox()
            apart = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert one is other or min(apart) < 0.01, (one.get_gid(), other.get_gid())


def test_its_words_name_every_matrix_and_the_one_that_shows_nothing(found):
    told = turned_matrices_told(found)
    assert "w_q (64, 64), w_k (64, 64), w_v (64, 64), transposed, side by side in attn.c_attn (64, 192)." in told
    assert told.endswith("The same shape on both sides: attn.c_proj.")


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colours_of_the_roles(found):
    drawing = figure_html(turned_matrices(found), alt="told", caption="asked")
    assert "<image" not in drawing and all(f"var(--role-{name}" in drawing for name in ("query", "key", "value"))
