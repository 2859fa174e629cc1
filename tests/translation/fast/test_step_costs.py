"""The work of a step, against torch's count of it and against the sizes of what is read."""

import pytest
import torch

from attention_book.analysis.costs import counted
from attention_book.models.config import TransformerConfig
from attention_book.translation.fast.packing import PackedTransformer
from attention_book.translation.fast.step_costs import (
    StepCost,
    cached_numbers,
    numbers_per_position,
    sentence_multiply_adds,
    step_cost,
    weights_of_a_step,
)
from attention_book.translation.forced_decoding import steps_keeping
from translation.fast.models import random_model


def test_a_cost_by_hand():
    cost = StepCost(multiply_adds=60, weights=20, cached=10)
    assert cost.bytes_read() == 120 and cost.bytes_read(per_weight=1) == 60 and cost.bytes_read(1, 2) == 40
    assert cost.intensity() == 1 and cost.intensity(per_weight=2) == 120 / 80


def test_weights_by_hand():
    config = TransformerConfig(vocab_size=10, d_model=4, n_heads=2, n_layers=3, d_ff=5, d_k=1, d_v=3)
    # a layer: queries and keys 2 × 8, values and mixing 2 × 24; cross 8 and 24; feed-forward 2 × 20
    assert weights_of_a_step(config) == 3 * (16 + 48 + 32 + 40) + 40
    assert numbers_per_position(config) == 3 * 2 * (1 + 3)
    assert cached_numbers(config, written=5, src_len=7) == (5 * 24, 7 * 24)


@pytest.mark.parametrize("shape", [{}, {"d_k": 6, "d_v": 10, "n_heads": 3}])
def test_weights_are_those_of_the_packed_decoder(shape):
    model = random_model(**shape, vocab_size=64, bias=False)
    packed, numbers = PackedTransformer(model), 0
    for layer in packed.decoder:
        parts = (layer.attention.inward, layer.attention.outward, layer.cross.query, layer.cross.outward)
        numbers += sum(part.turned.numel() for part in (*parts, layer.inner, layer.outer))
    assert weights_of_a_step(model.config) == numbers + packed.output.turned.numel()


@pytest.mark.parametrize("shape", [{}, {"d_k": 6, "d_v": 10, "n_heads": 3}])
@pytest.mark.parametrize("batch", [1, 4])
def test_a_step_multiplies_as_often_as_torch_counts(shape, batch):
    model = random_model(**shape, vocab_size=64)
    with torch.inference_mode(), torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        state, tokens = model.start(model.encode(torch.full((batch, 9), 5))), torch.full((batch,), 5)
        for _ in range(3):
            _, state = model.step(tokens, state)
        wanted = counted(model.step, tokens, state)
    assert step_cost(model.config, batch, written=4, src_len=9).multiply_adds == wanted


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("shape", [{}, {"d_k": 6, "d_v": 10, "n_heads": 3}])
def test_a_sentence_multiplies_as_often_as_torch_counts(own, source, shape):
    model = random_model(**shape)
    memory, tgt = model.encode(torch.full((1, 5), 5)), torch.full((1, 4), 5)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        wanted = counted(steps_keeping, model, memory, tgt, own, source)
    assert sentence_multiply_adds(model.config, 4, 5, own, source) == wanted
