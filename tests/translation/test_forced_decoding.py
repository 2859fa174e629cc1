"""Every way to score a known target gives the same log-probabilities, whatever is kept."""

import pytest
import torch

from attention_book.analysis.recording import recording
from attention_book.translation.forced_decoding import cached_steps, one_pass, prefix_passes, steps_keeping
from translation.fast.models import random_model, random_sources

KEPT = [(own, source) for own in (False, True) for source in (False, True)]


@pytest.fixture(scope="module", params=["sinusoidal", "rotary", "learned"])
def case(request):
    model = random_model(2, positions=request.param)
    src = random_sources(model, rows=3)
    tgt = torch.randint(3, 60, (3, 7), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        memory = model.encode(src)
        return model, memory, tgt, one_pass(model, memory, tgt)


@pytest.mark.parametrize("way", [prefix_passes, cached_steps])
def test_prefixes_and_steps_give_what_one_pass_gives(case, way):
    model, memory, tgt, wanted = case
    with torch.no_grad():
        assert torch.allclose(way(model, memory, tgt), wanted, atol=1e-5)


@pytest.mark.parametrize(("own", "source"), KEPT)
def test_whatever_is_kept_the_scores_are_those_of_one_pass(case, own, source):
    model, memory, tgt, wanted = case
    with torch.no_grad():
        assert torch.allclose(steps_keeping(model, memory, tgt, own, source), wanted, atol=1e-5)


@pytest.mark.parametrize(("own", "source"), KEPT)
def test_keys_are_computed_for_what_is_not_kept_and_for_nothing_else(case, own, source):
    model, memory, tgt, _ = case
    layer = model.decoder.layers[1]
    with torch.no_grad(), recording(layer.self_attention.w_k, layer.cross_attention.w_k) as calls:
        steps_keeping(model, memory, tgt, own, source)
    of_target = [call.inputs[0].shape[1] for call in calls[layer.self_attention.w_k]]
    of_source = [call.inputs[0].shape[1] for call in calls[layer.cross_attention.w_k]]
    assert of_target == ([1] * 7 if own else list(range(1, 8)))
    assert of_source == [12] * (1 if source else 7)
