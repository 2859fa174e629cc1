"""The rows on softmax's derivative and on the scale of scores, against SciPy, other draws and the bare weights."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy import special

from attention_book.translation import shipped_translator

from ..verdicts import changed


def test_f10_the_formula_is_the_slope(answers):
    assert answers["F10"]["verdict"] == "right"
    assert answers["F10"]["value"]["difference"] < 1e-15
    s, c, h = np.array([0.3, -1.2, 2.0, 0.7]), 3.0, 1e-6
    p = special.softmax(s / c)
    formula = (np.diag(p) - np.outer(p, p)) / c
    steps = h * np.eye(4)
    slopes = [(special.softmax((s + step) / c) - special.softmax((s - step) / c)) / (2 * h) for step in steps]
    assert np.abs(np.transpose(slopes) - formula).max() < 1e-9
    other = special.softmax(s)
    assert np.abs(np.transpose(slopes) - (np.diag(other) - np.outer(other, other)) / c).max() > 0.01
    assert answers["F10"]["value"]["difference_without_c_in_p"] > 0.01
    assert changed(answers, "F10", difference=0.01) == "wrong"


def test_f16_the_mean_is_zero_and_the_size_is_not(answers):
    value = answers["F16"]["value"]
    assert value["jacobians"] == 120 and value["largest_mean"] < 1e-16
    # No Jacobian of softmax has a norm above that of two equal weights, whose four entries are ± 1/4.
    assert 0 < value["smallest_norm"] < 1e-3 < value["largest_norm"] <= 0.5
    assert answers["F16"]["verdict"] == "wrong"
    assert changed(answers, "F16", largest_mean=0.1) == "right"


@pytest.mark.parametrize("n", [4, 64, 512])
def test_m11_other_draws_say_the_same(answers, n):
    value = answers["M11"]["value"]
    at = value["sizes"].index(n)
    s = np.random.default_rng(77).normal(scale=math.sqrt(n), size=(500, n))
    norms = {}
    for name, c in (("undivided", 1.0), ("divided", math.sqrt(n))):
        p = special.softmax(s / c, axis=1)
        squares = (p**2).sum(axis=1)  # the square of the norm of diag p − p pᵀ is Σp² − 2 Σp³ + (Σp²)²
        norms[name] = np.sqrt(np.maximum(squares - 2 * (p**3).sum(axis=1) + squares**2, 0)) / c
        error = norms[name].std() / math.sqrt(500)
        assert abs(value[f"mean_{name}"][at] - norms[name].mean()) < 4 * error
    share = value["share_of_draws_raised"][at]
    error = math.sqrt(share * (1 - share) / 500)
    assert abs(share - (norms["divided"] > norms["undivided"]).mean()) < 4 * error


def test_m11_another_measurement_would_say_otherwise(answers):
    value = answers["M11"]["value"]
    assert answers["M11"]["verdict"] == "misleading"
    assert changed(answers, "M11", mean_divided=[1.0] * len(value["sizes"])) == "right"
    assert changed(answers, "M11", share_of_draws_raised=[0.1] * len(value["sizes"])) == "wrong"


def test_m18_the_scale_of_the_matrices_decides(answers):
    value = answers["M18"]["value"]
    assert value["layer_norm"] == pytest.approx(1, abs=0.15)
    assert value["no_layer_norm_unit_normal"] == pytest.approx(1, abs=0.15)
    assert value["layer_norm_and_w_doubled"] == pytest.approx(16 * value["layer_norm"])  # 2 · 2, squared
    assert answers["M18"]["verdict"] == "wrong"
    other = {"layer_norm_and_w_doubled": 1.0, "translator_heads": [1.0] * 12, "no_layer_norm_unit_normal": 5.0}
    assert changed(answers, "M18", **other) == "right"


def test_m18_a_head_by_its_weights(answers):
    model = shipped_translator.model()
    first = model.encoder.layers[0]
    norm, attention, head = first.add_attention.norm, first.self_attention, 3
    rows = slice(head * 64, (head + 1) * 64)
    dots = []
    for sentence in shipped_translator.SENTENCES:
        ids = shipped_translator.ids(sentence)
        x = model.src_embedding.weight[ids[0]] * 16 + model.positions[: ids.shape[1]]
        x = F.layer_norm(x, [256], norm.weight, norm.bias)
        q, k = (x @ w.weight[rows].T + w.bias[rows] for w in (attention.w_q, attention.w_k))
        dots.append((q @ k.T).flatten())
    assert answers["M18"]["value"]["translator_heads"][head] == pytest.approx(float(torch.cat(dots).var()) / 64)
    assert len(answers["M18"]["value"]["translator_heads"]) == 12
