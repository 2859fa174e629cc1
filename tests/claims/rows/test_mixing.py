"""The rows on what attention mixes, against torch's layer, NumPy and the weights that the translator shows."""

import numpy as np
import pytest
import torch

from attention_book.attention.positions import sinusoidal_positions
from attention_book.translation import shipped_translator

from ..verdicts import changed


def test_f13_torchs_layer_does_not_know_the_order_either(answers):
    value = answers["F13"]["value"]
    assert value["alone"] < 1e-15 < 0.01 < min(value["with_positions"], value["with_a_causal_mask"])
    torch.manual_seed(3)
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True).double().eval().requires_grad_(False)
    x, positions = torch.randn(1, 4, 8).double(), sinusoidal_positions(4, 8).double()
    hidden = ~torch.ones(4, 4).tril().bool()  # torch's layer: True means hidden

    def difference(prepare, **mask):
        there, back = (layer(*[prepare(y)] * 3, need_weights=False, **mask)[0] for y in (x, x.flip(1)))
        return float((there - back.flip(1)).abs().max())

    assert difference(lambda y: y) < 1e-14
    assert difference(lambda y: y + positions) > 0.01
    assert difference(lambda y: y, attn_mask=hidden) > 0.01
    assert answers["F13"]["verdict"] == "wrong"
    assert changed(answers, "F13", alone=0.1) == "right"


def test_m07_shapes_and_shares(answers):
    value = answers["M07"]["value"]
    assert (value["scores"], value["weights"], value["output"]) == ([5, 7], [5, 7], [5, 3])
    assert value["least_values_in_an_output"] == 7 and value["largest_weight"] < 1
    assert answers["M07"]["verdict"] == "wrong"
    assert changed(answers, "M07", scores=[5, 3], least_values_in_an_output=1) == "right"


def test_m14_by_the_weights_that_the_translator_shows(answers):
    value = answers["M14"]["value"]
    model = shipped_translator.model()
    layer, outside, positions = model.encoder.layers[0], [], 0
    for sentence in shipped_translator.SENTENCES:
        ids = shipped_translator.ids(sentence)
        x = model.src_embedding.weight[ids] * 16 + model.positions[: ids.shape[1]]
        y, weights = layer(x, need_weights=True)
        assert torch.allclose(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))  # so a head's output is an average
        outside.append(((y < x.amin(dim=1)) | (y > x.amax(dim=1))).double().sum())
        positions += ids.shape[1]
    assert value["share_outside_the_range_of_the_inputs"] == pytest.approx(float(sum(outside)) / positions / 256)
    assert value["positions"] == positions
    assert value["share_outside_the_range_of_the_values"] == 0
    assert answers["M14"]["verdict"] == "misleading"
    assert changed(answers, "M14", share_outside_the_range_of_the_inputs=0.0) == "right"
    assert changed(answers, "M14", share_outside_the_range_of_the_values=0.1) == "wrong"


def test_m16_the_limit(answers):
    value = answers["M16"]["value"]
    q, k, v = (
        torch.randn(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).numpy()
        for seed, (n, d) in enumerate([(16, 8), (6, 8), (6, 4)], start=1)
    )
    scores = q @ k.T
    for c, distance in zip(value["temperatures"], value["distances_from_the_hard_look_up"], strict=True):
        shares = np.exp((scores - scores.max(axis=1, keepdims=True)) / c)
        mixed = shares / shares.sum(axis=1, keepdims=True) @ v
        assert distance == pytest.approx(np.abs(mixed - v[scores.argmax(axis=1)]).max(), abs=1e-12)
    distances = value["distances_from_the_hard_look_up"]
    assert distances == sorted(distances, reverse=True) and distances[0] > 0.1 > 1e-12 > distances[-1]
    assert value["keys_read_for_a_query"] == len(k)
    assert answers["M16"]["verdict"] == "misleading"
    assert changed(answers, "M16", distances_from_the_hard_look_up=[0.0] * 4) == "right"
    assert changed(answers, "M16", distances_from_the_hard_look_up=[1.0] * 4) == "wrong"
