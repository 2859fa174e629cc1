"""The rows on formulas, against finite differences, pencils and torch's own attention."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy import special

from ..verdicts import changed


def numeric_leak(fn, x, h=1e-6):
    """The largest derivative of an earlier row with respect to a later one, by central differences."""
    found = 0.0
    for j in range(1, len(x)):
        for a in range(x.shape[1]):
            up, down = x.copy(), x.copy()
            up[j, a] += h
            down[j, a] -= h
            found = max(found, np.abs(fn(up) - fn(down))[:j].max() / (2 * h))
    return found


def test_f01_matrices_in_front_mix_positions(answers):
    value = answers["F01"]["value"]
    random = torch.Generator().manual_seed(1)
    w_q, w_k, w_v, w_o = (torch.randn(4, 8, 8, generator=random, dtype=torch.float64) / math.sqrt(8)).numpy()
    _, x = (torch.randn(n, 8, generator=random, dtype=torch.float64).numpy() for n in (5, 8))

    def attend(q, k, v):
        scores = np.where(np.tri(8, dtype=bool), q @ k.T / math.sqrt(8), -np.inf)
        return special.softmax(scores, axis=1) @ v

    def in_front(x):
        return attend(w_q @ x, w_k @ x, w_v @ x) @ w_o

    def behind_but_w_o(x):
        return w_o @ attend(x @ w_q, x @ w_k, x @ w_v)

    assert value["leak_w_q_left"] == pytest.approx(numeric_leak(in_front, x), rel=1e-6)
    assert value["leak_w_o_left"] == pytest.approx(numeric_leak(behind_but_w_o, x), rel=1e-6)
    assert value["leak_right"] == 0
    assert value["product_exists"] is False  # 8 columns of W meet 5 rows of D
    assert answers["F01"]["verdict"] == "wrong"
    assert changed(answers, "F01", product_exists=True, leak_w_q_left=0.0, leak_w_o_left=0.0) == "right"


def test_f02_the_divisor_is_that_of_torch(answers):
    value = answers["F02"]["value"]
    q, k = torch.zeros(1, 1, 64), torch.zeros(1, 2, 64)
    q[0, 0, 0] = k[0, 0, 0] = 8.0
    share = F.scaled_dot_product_attention(q, k, torch.eye(2)[None])[0, 0]
    assert value["divisor"] == pytest.approx(64 / math.log(share[0] / share[1]), rel=1e-3)
    assert value["divisor"] == pytest.approx(8) and value["root_d_model"] == pytest.approx(math.sqrt(512))
    assert value["variance_by_root_d_k"] == pytest.approx(1, abs=0.05)
    assert value["variance_by_root_d_model"] == pytest.approx(1 / 8, abs=0.05 / 8)
    assert answers["F02"]["verdict"] == "wrong"
    assert changed(answers, "F02", divisor=math.sqrt(512)) == "right"


def test_f11_by_counting(answers):
    value = answers["F11"]["value"]
    assert value["names"] == value["rows"] + 1
    assert answers["F11"]["verdict"] == "wrong"
    assert changed(answers, "F11", names=value["rows"]) == "right"


def test_f12_the_pencil_and_the_law(answers):
    value = answers["F12"]["value"]
    root = math.sqrt(2)
    short, long = math.exp(1 / root), math.exp(3 / root)
    assert value["weights"] == pytest.approx([short / (short + long), long / (short + long)])
    assert value["cosines"] == pytest.approx([1, 1 / root])
    assert value["other_key_wins_at_equal_lengths"] == 0  # q · k is |q| cos θ then
    assert 0 < value["other_key_wins"] < value["draws"] / 2
    assert answers["F12"]["verdict"] == "misleading"
    assert changed(answers, "F12", other_key_wins=0) == "right"
    assert changed(answers, "F12", other_key_wins_at_equal_lengths=3) == "wrong"


def test_f12_how_often_the_best_aligned_key_loses(answers):
    random = np.random.default_rng(99)
    q, k = random.standard_normal((20_000, 1, 16)), random.standard_normal((20_000, 8, 16))
    dots = (q * k).sum(axis=2)
    share = (dots.argmax(axis=1) != (dots / np.linalg.norm(k, axis=2)).argmax(axis=1)).mean()
    value = answers["F12"]["value"]
    spread = math.sqrt(share * (1 - share) / value["draws"])
    assert abs(value["other_key_wins"] / value["draws"] - share) < 4 * spread


def test_f18_the_target_by_hand(answers):
    value = answers["F18"]["value"]
    assert value["true_word"] == pytest.approx(0.9 + 0.1 / 5, abs=1e-12)
    assert value["other_word"] == pytest.approx(0.1 / 5, abs=1e-12)
    assert value["true_word_in_torch"] == pytest.approx(value["true_word"], abs=1e-12)
    assert value["true_word_of_many"] == pytest.approx(0.9 + 0.1 / 37_000, abs=1e-12)
    assert value["true_word"] + 4 * value["other_word"] == pytest.approx(1)
    assert answers["F18"]["verdict"] == "misleading"
    assert changed(answers, "F18", true_word=0.9) == "right"
