"""Packed weights: what they are a copy of, and what rounding does to a product."""

import pytest
import torch

from attention_book.models.quantisation import quantised
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.translation import decoding
from attention_book.translation.fast.packing import BLOCK, PackedTransformer, product
from attention_book.translation.fast.searching import greedy_decode
from translation.fast.models import random_model, random_sources


def test_products_are_those_of_the_layers():
    torch.manual_seed(0)
    weight, bias, x = torch.randn(7, 5), torch.randn(7), torch.randn(3, 5)
    wanted = torch.einsum("ri,oi->ro", x.double(), weight.double()) + bias
    errors = {}
    for weights in ("float32", "bfloat16", "int8"):
        one = product(weight, bias, weights)
        total = torch.ones(3, 7)
        one.add_to(total, x)
        assert torch.allclose(total, one(x) + 1, atol=1e-5)
        errors[weights] = float((one(x) - wanted).abs().max())
    assert errors["float32"] < 1e-5 < errors["bfloat16"] < 0.1
    assert 1e-5 < errors["int8"] < 0.2


def test_eight_bits_round_the_weights_as_the_quantisation_of_the_book_does():
    torch.manual_seed(0)
    weight = torch.randn(6, 4) * torch.tensor([0.01, 0.1, 1, 10, 100, 0])[:, None]
    layer = torch.nn.Linear(4, 6, bias=False)
    layer.weight = torch.nn.Parameter(weight)
    units = 127 * torch.eye(4)  # which the rounding of inputs leaves as they are
    wanted = quantised(layer)(units).detach()
    found = torch.cat([product(weight, None, "int8")(unit[None]) for unit in units])
    assert torch.allclose(found, wanted, rtol=1e-5, atol=1e-7)


def test_the_output_layer_is_filled_up_and_a_copy_is_a_copy():
    model = random_model()
    packed, src = PackedTransformer(model), random_sources(model)
    assert packed.output.turned.shape == (32, BLOCK) and not packed.output.turned[:, 61:].any()
    before = greedy_decode(packed, src)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    assert greedy_decode(packed, src) == before


@pytest.mark.parametrize("weights", ["bfloat16", "int8"])
def test_rounded_weights_still_translate_much_the_same(weights):
    model = random_model(3)
    src = random_sources(model, rows=20)
    found = greedy_decode(PackedTransformer(model, weights), src, 3)
    wanted = decoding.greedy_decode(model, src, 3)
    same = [one.tokens[0] == other.tokens[0] for one, other in zip(found, wanted, strict=True)]
    assert sum(same) >= 14


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_packed_is_refused():
    with pytest.raises(ValueError, match="weights must be one of float32, bfloat16, int8, got 'int4'"):
        PackedTransformer(random_model(), "int4")
    with pytest.raises(TypeError, match="fast decoding is for Transformers"):
        PackedTransformer(RecurrentEncoderDecoder(RecurrentConfig.tiny(40)))
    model = random_model()
    with torch.no_grad():
        model.output.weight[3, 3] = torch.inf
    with pytest.raises(ValueError, match="not finite"):
        PackedTransformer(model, "int8")
