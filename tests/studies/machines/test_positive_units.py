"""What is counted behind a ReLU: held against a pass that is written out by hand, and a made-up table."""

import pytest
import torch

from attention_book.checks.drawn import seeded
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.machines import positive_units
from attention_book.studies.machines.positive_units import PositiveUnits, Units

PAIRS = [
    (torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])),
    (torch.tensor([[10, 11, 2]]), torch.tensor([[1, 12, 13, 14, 15]])),
]


@pytest.fixture
def model():
    with seeded(0):
        return Transformer(TransformerConfig.tiny(dropout=0.0)).eval()


@torch.no_grad()
def test_the_first_encoder_layer_by_hand(model):
    layer, counts, ever = model.encoder.layers[0], [], set()
    for src, _ in PAIRS:
        row = model._embed(model.src_embedding, src)
        row = row + layer.self_attention(layer.add_attention.norm(row))[0]
        for token in layer.feed_forward.w_1(layer.add_feed_forward.norm(row))[0].tolist():
            positive = {place for place, number in enumerate(token) if number > 0}
            counts.append(len(positive))
            ever |= positive
    first, *others = positive_units.positive_units(model, PAIRS)
    assert first == Units("encoder", 0, model.config.d_ff, sum(counts) / 7, len(ever), 7)
    assert [(one.stack, one.layer, one.tokens) for one in others] == [
        ("encoder", 1, 7),
        ("decoder", 0, 8),
        ("decoder", 1, 8),
    ]


@torch.no_grad()
def test_units_that_are_never_and_always_positive(model):
    for layer in model.decoder.layers:
        layer.feed_forward.w_1.weight.zero_()
        layer.feed_forward.w_1.bias.copy_(torch.arange(model.config.d_ff) - 3.0)  # the first four are not positive
    found = [one for one in positive_units.positive_units(model, PAIRS) if one.stack == "decoder"]
    assert {(one.positive, one.ever) for one in found} == {(model.config.d_ff - 4.0, model.config.d_ff - 4)}


def test_the_numbers_of_the_page_by_hand():
    found = [Units("encoder", n, 1024, 10.0 * n, 500, 9) for n in range(3)]
    found += [Units("decoder", n, 1024, 24.0 + 100 * n, 900 + n, 8) for n in range(3)]
    read = PositiveUnits(found)
    assert read.rows()[4] == ("decoder, layer 1", "124", "901")
    assert all(len(row) == len(positive_units.HEADER) for row in read.rows())
    numbers = read.numbers()
    assert (numbers["encoder_positive"], numbers["decoder_positive"], numbers["decoder_tokens"]) == (10, 124, 8)
    assert numbers["decoder_ever"] == 900 and numbers["second_share"] == pytest.approx(3 * 1024 * 256 / 4_800_512)
    assert numbers["unneeded_share"] == pytest.approx(900 / 1024)
    assert numbers["unread_share"] == pytest.approx(3 * 900 * 256 / 4_800_512)
    assert numbers["by_bytes_times"] == pytest.approx(4_800_512 / (4_800_512 - 3 * 900 * 256))


def test_what_the_page_says_holds():
    read = positive_units.shipped()
    numbers = read.numbers()
    assert all(one.positive < 0.25 * one.hidden for one in read.found)
    assert numbers["encoder_positive"] < numbers["decoder_positive"] / 3
    assert numbers["decoder_ever"] > 0.9 * numbers["hidden"]  # nearly every row is needed at some step
    assert 0.1 < numbers["unread_share"] < 0.2
