"""The picture of the two stacks: its arrows are what the package's decoder reads, and its words say the same."""

import pytest
import torch

from attention_book.models.blocks import Decoder, Encoder
from attention_book.models.config import TransformerConfig
from attention_book.pages.diagrams import two_stacks as figure

from .legibility import outside, smallest_type

EACH = pytest.mark.parametrize("wiring", figure.WIRINGS)


def test_every_decoder_layer_of_the_package_reads_the_last_encoder_layer():
    encoder = Encoder(TransformerConfig.tiny(n_layers=2, dropout=0.0, norm="post")).eval()
    decoder, read = Decoder(TransformerConfig.tiny(n_layers=6, dropout=0.0)).eval(), []
    made = []
    for layer in encoder.layers:
        layer.register_forward_hook(lambda _, __, output: made.append(output[0]))
    for layer in decoder.layers:
        layer.register_forward_pre_hook(lambda _, given: read.append(given[1]))
    decoder(torch.randn(1, 3, 64), encoder(torch.randn(1, 4, 64))[0])
    assert len(read) == 6
    for layer, memory in enumerate(read):
        assert torch.equal(memory, made[figure.read_by(layer, 2, "memory")])


def test_rungs_end_where_the_encoder_does():
    assert [figure.read_by(layer, 2, "rungs") for layer in range(4)] == [0, 1, None, None]
    with pytest.raises(ValueError, match="must be one of rungs, memory"):
        figure.read_by(0, 2, "ladder")


@EACH
def test_every_layer_has_a_box_and_nothing_stands_outside(wiring):
    axes = figure.two_stacks(2, 6, wiring).axes[0]
    names = [patch.get_gid() for patch in axes.patches]
    wanted = [f"{name}-{layer}" for name, layers in (("encoder", 2), ("decoder", 6)) for layer in range(layers)]
    assert [name for name in names if name] == wanted
    marks = [text.get_gid() for text in axes.texts if text.get_text() == "?"]
    assert marks == ([f"nothing-{layer}" for layer in range(2, 6)] if wiring == "rungs" else [])
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9


@EACH
def test_the_words_tell_every_layer(wiring):
    told = figure.two_stacks_told(2, 6, wiring)
    assert told.count("decoder layer ") == 7 and told.count("a question mark") == (4 if wiring == "rungs" else 0)
    assert told.count(" encoder layer 1") == (1 if wiring == "rungs" else 6)
