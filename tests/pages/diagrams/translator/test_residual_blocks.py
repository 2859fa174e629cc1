"""The figure of the two orders: its boxes run in the order in which the package's Add & Norm runs them."""

import pytest
import torch

from attention_book.models.blocks import EncoderLayer
from attention_book.models.config import TransformerConfig
from attention_book.pages.diagrams.translator.residual_blocks import (
    LABELS,
    TITLES,
    places,
    residual_blocks,
    residual_blocks_told,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return residual_blocks().axes[0]


@pytest.mark.parametrize("norm", TITLES)
def test_norms_and_sublayers_run_in_the_drawn_order(norm):
    layer, ran = EncoderLayer(TransformerConfig.tiny(norm=norm, dropout=0.0)), []
    named = {
        layer.add_attention.norm: "norm",
        layer.add_feed_forward.norm: "norm",
        layer.self_attention: "self-attention",
        layer.feed_forward: "feed-forward",
    }
    for module, name in named.items():
        module.register_forward_hook(lambda *_, name=name: ran.append(name))
    layer(torch.randn(1, 3, 64))
    assert ran == [place.name for place in places(norm) if place.name != "add"]


@pytest.mark.parametrize("norm", TITLES)
def test_a_norm_stands_on_the_stream_if_a_silent_block_is_not_the_identity(norm):
    layer, x = EncoderLayer(TransformerConfig.tiny(norm=norm, dropout=0.0)), torch.randn(1, 3, 64)
    for linear in (layer.self_attention.w_o, layer.feed_forward.w_2):
        torch.nn.init.zeros_(linear.weight)
        torch.nn.init.zeros_(linear.bias)
    on_stream = any(place.name == "norm" and place.on_stream for place in places(norm))
    assert torch.equal(layer(x)[0], x) != on_stream


def test_every_box_is_drawn_on_the_stream_or_beside_it(axes):
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    texts = {tuple(round(v, 2) for v in text.get_position()): text.get_text() for text in axes.texts}
    for norm in TITLES:
        streams = {line.get_xdata()[0] for line in axes.lines if (line.get_gid() or "").startswith(norm)}
        (stream,) = streams
        heights = []
        for n, place in enumerate(places(norm)):
            box = boxes[f"{norm}-{n}-{place.name}"]
            centre = (box.get_x() + box.get_width() / 2, box.get_y() + box.get_height() / 2)
            assert (centre[0] == pytest.approx(stream)) == place.on_stream
            assert texts[round(centre[0], 2), round(centre[1], 2)] == LABELS.get(place.name, place.name)
            heights.append(centre[1])
        assert heights == sorted(heights, reverse=True)


def test_the_words_name_each_box_in_order():
    told = residual_blocks_told()
    assert "pre-norm: norm (on a branch), self-attention (on a branch), add (on the stream), norm (on a branch)" in told
    assert told.endswith("feed-forward (on a branch), add (on the stream), norm (on the stream).")
    with pytest.raises(ValueError, match="must be"):
        places("both")


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible(axes):
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors():
    drawing = figure_html(residual_blocks(), alt="told", caption="asked")
    assert "<image" not in drawing and "#ffffff" not in drawing.partition("<svg")[2]
