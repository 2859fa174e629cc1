"""The products that are timed are those of a step, and a run reports every round."""

import numpy as np
import pytest
import torch
from translation.fast.models import random_model

from attention_book.experiments.translator import decoding_roofline as experiment
from attention_book.translation.fast.compiling import library
from attention_book.translation.fast.packing import PackedTransformer
from attention_book.translation.fast.step_costs import weights_of_a_step


@pytest.mark.parametrize("weights", ["float32", "bfloat16", "int8"])
def test_the_bare_products_are_those_of_the_decoders_matrices(weights):
    model = random_model(vocab_size=64)
    calls = experiment.bare_products(PackedTransformer(model, weights))(3)
    outputs = [call() for call in calls]
    assert [tuple(one.shape) for one in outputs] == [(3, n) for n in [96, 32, 32, 32, 48, 32] * 2 + [64]]
    layer = model.decoder.layers[0]
    wanted = layer.feed_forward.w_2.weight.sum(dim=1)  # of a row of ones
    assert torch.allclose(outputs[5][0], wanted.detach(), atol=1e-4 if weights == "float32" else 0.3)
    assert weights_of_a_step(model.config) == sum(out * n for out, n in zip(
        [96, 32, 32, 32, 48, 32] * 2 + [64], [32, 32, 32, 32, 32, 48] * 2 + [32], strict=True))  # fmt: skip


def test_an_array_is_read_as_often_as_was_asked(monkeypatch):
    monkeypatch.setattr(experiment, "milliseconds", lambda call: call() and 2.0)
    found = experiment.gigabytes_per_second(torch.ones(250_000), read_mb=4.0)
    assert found == {"sum": 4e6 / 2e6, "vector": 4e6 / 2e6}


def test_the_peak_is_that_of_the_faster_way(monkeypatch):
    spent = iter([4.0, 2.0])
    monkeypatch.setattr(experiment, "milliseconds", lambda call: call() is not None and next(spent))
    assert experiment.peak_gflops(torch.eye(100)) == 2e6 / 2e6


@pytest.mark.skipif(library() is None, reason="there is no C compiler")
def test_a_run_reports_every_round_and_batch():
    threads = torch.get_num_threads()
    small = {"batches": [1, 3], "rounds": 2, "array_mb": [0.1, 0.4], "read_mb": 0.5, "matrix": 64, "steps": 2}
    found = experiment.run_seed(0, experiment.CONFIGURATION | small)
    assert torch.get_num_threads() == threads and found["tokens"] == 0
    assert len(found["peak_gflops"]) == 2 and [len(one) for one in found["read_sum"]] == [2, 2, 2]
    for weights in ("float32", "bfloat16", "int8"):
        for what in ("step", "products"):
            assert np.array(found[f"{weights}_{what}_ms"]).shape == (2, 2)
            assert np.array(found[f"{weights}_{what}_ms"]).min() > 0
    for name in ("compiled", "unskipped"):
        times = np.array(found[f"{name}_step_ms"])
        assert times.shape == (2, 2) and times.min() > 0


@torch.no_grad()
def test_a_copy_in_which_every_number_is_positive():
    model, inputs = random_model(), []
    copy = experiment.all_positive(model)
    for layer in copy.decoder.layers:
        layer.feed_forward.w_1.register_forward_hook(lambda module, given, output: inputs.append(output))
    src = torch.tensor([[7, 8, 2]])
    copy.decode(torch.tensor([[1, 9, 10]]), copy.encode(src))
    assert len(inputs) == len(copy.decoder.layers) and all((one > 0).all() for one in inputs)
    assert copy.encode(src).states.equal(model.encode(src).states)
    assert all((layer.feed_forward.w_1.bias < 100).all() for layer in model.decoder.layers), "the model itself"
