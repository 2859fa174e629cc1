"""Weights in eight bits: how far a number may move, and that the model's own arithmetic sees them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_book.models.config import TransformerConfig
from attention_book.models.quantisation import dequantise, quantise, quantised
from attention_book.models.transformer import Transformer

numbers = st.floats(-100, 100, width=32)
matrices = st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1))


@given(matrices)
def test_every_number_moves_by_at_most_half_a_step_and_the_largest_by_none(rows):
    matrix = torch.tensor(rows, dtype=torch.float32)
    found = quantise(matrix)
    again = dequantise(found)
    steps = found.scales.double()[:, None]
    assert found.values.abs().max() <= 127
    assert ((again.double() - matrix.double()).abs() <= steps * 0.5001 + 1e-30).all()
    largest = matrix.abs().argmax(dim=1, keepdim=True)
    torch.testing.assert_close(again.gather(1, largest), matrix.gather(1, largest), rtol=1e-5, atol=1e-30)


def test_by_hand():
    found = quantise(torch.tensor([[254.0, -127.0, 3.0, 0.9], [0.0, 0.0, 0.0, 0.0]]))
    assert found.values.tolist() == [[127, -64, 2, 0], [0, 0, 0, 0]]  # halves go to the even number
    assert found.scales.tolist() == [2.0, 0.0]
    assert dequantise(found).tolist() == [[254.0, -128.0, 4.0, 0.0], [0.0] * 4]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused(wrong):
    with pytest.raises(ValueError, match="not finite"):
        quantise(torch.tensor([[1.0, wrong]]))


def test_a_model_gets_new_matrices_and_keeps_its_vectors_and_its_ties():
    model = Transformer(TransformerConfig.tiny(norm="post"))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    twin = quantised(model)
    assert twin.output.weight is twin.src_embedding.weight and not twin.training
    for name, parameter in twin.named_parameters():
        assert torch.equal(parameter, before[name]) == (parameter.dim() == 1), name
        assert torch.equal(model.get_parameter(name), before[name])
        torch.testing.assert_close(parameter, before[name], rtol=0, atol=before[name].abs().max().item() / 253)
