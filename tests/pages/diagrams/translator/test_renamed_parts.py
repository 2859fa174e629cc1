"""The layer under two names: each arrow leads from a part of ours into the box of torch's that has its numbers."""

import pytest
from torch import nn

from attention_book.models.blocks import EncoderLayer
from attention_book.models.config import TransformerConfig
from attention_book.pages.diagrams.translator.renamed_parts import renamed_parts, renamed_parts_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.translator.matched_parameters import layer_names

from ..legibility import outside, smallest_type

PAIRS = layer_names("encoder")


@pytest.fixture(scope="module")
def axes():
    return renamed_parts(PAIRS).axes[0]


def boxes(axes, side):
    return {
        patch.get_gid().removeprefix(side): patch for patch in axes.patches if (patch.get_gid() or "").startswith(side)
    }


def test_the_boxes_are_all_parts_of_both_layers(axes):
    ours = dict(EncoderLayer(TransformerConfig.tiny()).named_parameters())
    assert set(boxes(axes, "ours-")) == {name.removesuffix(".weight") for name in ours if name.endswith("weight")}
    theirs = dict(nn.TransformerEncoderLayer(8, 2).named_parameters())
    assert set(boxes(axes, "torch-")) == {name.removesuffix(".weight") for name in theirs if name.endswith("weight")}


def test_each_arrow_leads_from_a_part_to_its_place(axes):
    ours, theirs = boxes(axes, "ours-"), boxes(axes, "torch-")
    found = {}
    for one in (text for text in axes.texts if not text.get_text()):
        (x, y), (end, height) = one.xyann, one.xy
        (start,) = [n for n, p in ours.items() if p.get_y() < y < p.get_y() + p.get_height()]
        (place,) = [n for n, p in theirs.items() if p.get_y() < height < p.get_y() + p.get_height()]
        assert x >= ours[start].get_x() + ours[start].get_width() and end <= theirs[place].get_x()
        found[start] = place
    assert len(found) == 8
    assert {found[f"self_attention.w_{letter}"] for letter in "qkv"} == {"self_attn.in_proj_weight"}
    assert found["feed_forward.w_2"] == "linear2" and found["add_feed_forward.norm"] == "norm2"


def test_every_name_stands_in_its_box_on_the_sheet_and_is_legible_on_a_phone(axes):
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9
    axes.figure.canvas.draw()
    for side in ("ours-", "torch-"):
        for name, patch in boxes(axes, side).items():
            (text,) = [one for one in axes.texts if one.get_text() == name]
            assert text.get_window_extent().width < patch.get_window_extent().width


def test_the_words_tell_every_pair_and_it_is_drawn_as_vectors():
    told = renamed_parts_told(PAIRS)
    assert "self_attention.w_q in self_attn.in_proj_weight; self_attention.w_k in" in told
    assert told.endswith("add_feed_forward.norm in norm2.") and told.count(" in ") == 9
    drawing = figure_html(renamed_parts(PAIRS), alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing for role in ("query", "key", "value", "output"))
