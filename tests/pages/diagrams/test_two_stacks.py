"""The picture of the two stacks, and the ways of a change through them: as the package's encoder and decoder go."""

import re

import pytest
import torch

from attention_book.analysis.ablated_parts import NormAlone
from attention_book.models.blocks import Decoder, Encoder
from attention_book.models.config import TransformerConfig
from attention_book.pages.diagrams import two_stacks as figure
from attention_book.pages.figures.plotting import INK

from .legibility import outside, smallest_type

HEIGHTS = pytest.mark.parametrize("heights", [(6, 6), (2, 6), (6, 2), (1, 1)])
N = 6


def test_every_decoder_layer_of_the_package_reads_the_last_encoder_layer():
    encoder = Encoder(TransformerConfig.tiny(n_layers=2, dropout=0.0, norm="post")).eval()
    decoder, read = Decoder(TransformerConfig.tiny(n_layers=6, dropout=0.0)).eval(), []
    made = []
    for layer in encoder.layers:
        layer.register_forward_hook(lambda _, __, output: made.append(output[0]))
    for layer in decoder.layers:
        layer.register_forward_pre_hook(lambda _, given: read.append(given[1]))
    decoder(torch.randn(1, 3, 64), encoder(torch.randn(1, 4, 64))[0])
    assert len(read) == 6 and all(torch.equal(memory, made[-1]) for memory in read)


@HEIGHTS
def test_every_layer_has_a_box_and_an_arrow_and_nothing_stands_outside(heights):
    axes = figure.two_stacks(*heights).axes[0]
    names = [patch.get_gid() for patch in axes.patches if patch.get_gid()]
    assert names == [
        f"{name}-{n}" for name, layers in zip(("encoder", "decoder"), heights, strict=True) for n in range(layers)
    ]
    boxes = {patch.get_gid(): patch for patch in axes.patches}
    across = [text for text in axes.texts if not text.get_text() and text.xyann[1] == text.xy[1]]
    middles = [boxes[f"decoder-{n}"].get_y() + boxes[f"decoder-{n}"].get_height() / 2 for n in range(heights[1])]
    assert [text.xy[1] for text in across] == pytest.approx(middles)
    (line,) = (line for line in axes.lines if line.get_gid() == "memory-line")
    top = boxes[f"encoder-{heights[0] - 1}"]
    assert line.get_ydata()[0] == top.get_y() + top.get_height()
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_the_words_tell_both_heights():
    told = figure.two_stacks_told(2, 6)
    assert "a stack of 2 encoder layers" in told and "to each of the 6 decoder layers" in told


@HEIGHTS
def test_the_two_ways_differ_in_their_lines_and_stay_on_the_sheet(heights):
    axes = figure.two_ways(*heights).axes[0]
    assert not outside(axes) and smallest_type(axes.figure) >= 9
    lines = {line.get_gid(): line for line in axes.lines}
    assert {name: line.get_linestyle() for name, line in lines.items()} == {"longest": "-", "shortest": ":"}
    assert {line.get_color() for line in lines.values()} == {INK}  # which becomes the page's text colour
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    assert len(boxes) == sum(heights)
    for name, layer in (("longest", 0), ("shortest", heights[1] - 1)):
        box = boxes[f"decoder-{layer}"]
        left, low, high = box.get_x(), box.get_y(), box.get_y() + box.get_height()
        (x, y) = lines[name].get_xydata()[-1]
        assert left - 10 < x < left and low < y < high  # an arrow from there leads into the box
    assert max(lines["shortest"].get_xdata()[1:3]) < min(box.get_x() for box in boxes.values())  # past them all


@HEIGHTS
def test_the_boxes_and_the_words_tell_the_attentions_of_the_longest_way(heights):
    axes = figure.two_ways(*heights).axes[0]
    texts = [text.get_text() for text in axes.texts]
    passed = [re.fullmatch(r"(encoder|decoder) \d: (\d) of (\d)", text) for text in texts]
    through, of = (sum(int(one[n]) for one in passed if one) for n in (2, 3))
    assert of == heights[0] + 2 * heights[1] and through == of - 1  # as the derivatives below say
    assert f"longest\nway: {through}" in texts and "shortest way: 1" in texts
    told = figure.two_ways_told(*heights)
    assert told.endswith(f": {through} attentions.") and f"into decoder layer {heights[1] - 1}: 1 attention." in told


def built(encoder_layers=N, decoder_layers=N):
    """Both stacks in double precision, and their attentions by use and layer."""
    torch.manual_seed(0)
    encoder = Encoder(TransformerConfig.tiny(n_layers=encoder_layers, dropout=0.0)).double().eval()
    decoder = Decoder(TransformerConfig.tiny(n_layers=decoder_layers, dropout=0.0)).double().eval()
    attentions = {("encoder", n): layer.self_attention for n, layer in enumerate(encoder.layers)}
    for n, layer in enumerate(decoder.layers):
        attentions |= {("self", n): layer.self_attention, ("cross", n): layer.cross_attention}
    return encoder, decoder, attentions


@pytest.fixture
def towers():
    """Six layers on each side, with 18 attentions."""
    return built()


def felt(encoder, decoder, at=None):
    """The largest derivative of the decoder's rows, or of those that a module is given, by the source's rows."""
    x = torch.randn(1, 3, 64, dtype=torch.double, requires_grad=True)
    y, given = torch.randn(1, 3, 64, dtype=torch.double), []
    if at is not None:
        at.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0]))
    states, _ = decoder(y, encoder(x)[0])
    out = given[0] if at is not None else states
    if not out.requires_grad:
        return 0.0
    (slope,) = torch.autograd.grad((out * torch.randn_like(out)).sum(), x, allow_unused=True)
    return 0.0 if slope is None else float(slope.abs().max())


def silence(attention):
    attention.register_forward_hook(lambda _, __, output: (torch.zeros_like(output[0]), output[1]))


@pytest.mark.parametrize("kept", range(N))
def test_one_cross_attention_of_any_layer_carries_a_change_of_the_source(towers, kept):
    *stacks, attentions = towers
    for place, attention in attentions.items():
        if place != ("cross", kept):
            silence(attention)
    assert felt(*stacks) > 1e-6


def test_without_cross_attention_none_of_the_others_carries_it(towers):
    *stacks, attentions = towers
    assert len(attentions) == 18
    for (use, _), attention in attentions.items():
        if use == "cross":
            silence(attention)
    assert felt(*stacks) == 0


def test_nothing_of_the_source_comes_to_the_first_self_attention_of_the_decoder(towers):
    *stacks, attentions = towers
    assert felt(*stacks, at=attentions["self", 0]) == 0
    *stacks, attentions = towers
    assert felt(*stacks, at=attentions["self", 1]) > 1e-6


@pytest.mark.parametrize(("heights", "longest"), [((N, N), 17), ((1, 2), 4)])
def test_one_way_leads_through_all_attentions_but_that_one(heights, longest):
    encoder, decoder, attentions = built(*heights)
    assert len(attentions) == longest + 1
    for layer in encoder.layers:  # no way past an attention
        layer.add_attention = NormAlone(layer.add_attention)
    for n, layer in enumerate(decoder.layers):
        layer.add_self, layer.add_cross = NormAlone(layer.add_self), NormAlone(layer.add_cross)
        if n:  # and one way in: the memory of layer 0
            layer.register_forward_pre_hook(lambda _, given: (given[0], given[1].detach(), *given[2:]))
    through = felt(encoder, decoder)
    assert through > 0
    for place, attention in attentions.items():
        hook = attention.register_forward_hook(lambda _, __, output: (output[0].detach(), output[1]))
        passed = felt(encoder, decoder)
        assert passed == 0 if place != ("self", 0) else passed > 0, place
        hook.remove()
