"""What `analysis.recording` notes of a model's modules, and that it leaves them as they were."""

import pytest
import torch
from torch import nn

from attention_book.analysis.recording import recording
from attention_book.attention.multi_head import MultiHeadAttention


@pytest.fixture
def layers():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def hooks(model):
    return [hook for module in model.modules() for hook in module._forward_hooks.values()]


def test_every_call_is_recorded_in_order(layers):
    first, second = torch.randn(2, 1, 3)
    with recording(layers[0], layers[2]) as calls:
        outputs = [layers(x) for x in (first, second)]
    assert list(calls) == [layers[0], layers[2]]
    assert [call.inputs for call in calls[layers[0]]] == [(first,), (second,)]
    assert all(call.output is output for call, output in zip(calls[layers[2]], outputs, strict=True))
    torch.testing.assert_close(calls[layers[2]][1].inputs[0], layers[1](layers[0](second)))


def test_a_module_that_gives_several_things_has_them_as_a_tuple():
    attention = MultiHeadAttention(4, 2).eval()
    with recording(attention) as calls:
        output, weights = attention(torch.randn(1, 3, 4), need_weights=True)
    ((_, recorded),) = calls[attention]
    assert recorded[0] is output and recorded[1] is weights


def test_nothing_is_recorded_before_or_after(layers):
    x = torch.randn(1, 3)
    layers(x)
    with recording(layers[0]) as calls:
        pass
    layers(x)
    assert calls == {layers[0]: []}


def test_the_output_is_what_it_is_without_recording(layers):
    x = torch.randn(5, 3)
    before = layers(x)
    with recording(*layers):
        assert torch.equal(layers(x), before)


def test_no_hook_stays_whatever_happens(layers):
    with pytest.raises(RuntimeError), recording(*layers):
        layers(torch.randn(1, 7))
    assert not hooks(layers)


def test_no_hook_stays_when_one_cannot_be_added(layers):
    refusing = nn.Identity()
    refusing.register_forward_hook = None
    with pytest.raises(TypeError), recording(layers[0], refusing):
        pytest.fail("the context was entered")
    assert not hooks(layers)


def test_recordings_nest(layers):
    x = torch.randn(1, 3)
    with recording(layers[0]) as outer:
        layers(x)
        with recording(layers[0]) as inner:
            layers(x)
    assert (len(outer[layers[0]]), len(inner[layers[0]])) == (2, 1)
    assert not hooks(layers)


def test_a_module_named_twice_is_refused(layers):
    with pytest.raises(ValueError, match="twice"), recording(layers[0], layers[0]):
        pytest.fail("the context was entered")
