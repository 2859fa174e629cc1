"""The rows on softmax's derivative and on the scale of scores, against SciPy, other draws and the bare weights."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy import special

from attention_book.claims import shipped
from attention_book.jacobian_statistics import jacobian_statistics

from .rows import changed, verdict


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


def test_m11_other_draws_say_the_same(answers):
    value = answers["M11"]["value"]
    assert list(value) == ["4", "16", "64"]
    for n, found in value.items():
        s = np.random.default_rng(77).normal(scale=math.sqrt(int(n)), size=(400, int(n)))
        for name, c in (("undivided", 1.0), ("divided", math.sqrt(int(n)))):
            norms = jacobian_statistics(s, c).frobenius
            error = norms.std() * math.sqrt(1 / 400 + 1 / 1000)
            assert abs(found[f"mean_{name}"] - norms.mean()) < 4 * error, (n, name)
            low, high = np.quantile(norms, [0.05, 0.15])
            assert low < found[f"lowest_tenth_{name}"] < high, (n, name)
    assert answers["M11"]["verdict"] == "misleading"


def test_m11_another_measurement_would_say_otherwise(answers):
    def with_(**changes):
        return verdict("M11", {n: found | changes for n, found in answers["M11"]["value"].items()})

    assert with_(mean_divided=1.0) == "right"
    assert with_(lowest_tenth_divided=0.0) == "wrong"


def test_m18_the_scale_of_the_matrices_decides(answers):
    value = answers["M18"]["value"]
    assert value["layer_norm"] == pytest.approx(1, abs=0.15)
    assert value["no_layer_norm_unit_normal"] == pytest.approx(1, abs=0.15)
    assert value["layer_norm_and_w_doubled"] == pytest.approx(16 * value["layer_norm"])  # 2 · 2, squared
    assert answers["M18"]["verdict"] == "wrong"
    other = {"layer_norm_and_w_doubled": 1.0, "translator_heads": [1.0] * 12, "no_layer_norm_unit_normal": 5.0}
    assert changed(answers, "M18", **other) == "right"


def test_m18_a_head_by_its_weights(answers):
    model = shipped.model()
    first = model.encoder.layers[0]
    norm, attention, head = first.add_attention.norm, first.self_attention, 3
    rows = slice(head * 64, (head + 1) * 64)
    dots = []
    for sentence in shipped.SENTENCES:
        ids = shipped.ids(sentence)
        x = model.src_embedding.weight[ids[0]] * 16 + model.positions[: ids.shape[1]]
        x = F.layer_norm(x, [256], norm.weight, norm.bias)
        q, k = (x @ w.weight[rows].T + w.bias[rows] for w in (attention.w_q, attention.w_k))
        dots.append((q @ k.T).flatten())
    assert answers["M18"]["value"]["translator_heads"][head] == pytest.approx(float(torch.cat(dots).var()) / 64)
    assert len(answers["M18"]["value"]["translator_heads"]) == 12
