"""N11 to N15 against counts by hand, torch, and the package's own other way to the size of a Jacobian."""

import copy
import math

import numpy as np
import pytest
import torch

from attention_book import experiments
from attention_book.analysis.jacobian_statistics import jacobian_statistics
from attention_book.claims.rows import counted_numbers as rows
from attention_book.models.config import TransformerConfig


def test_n11_the_width_of_a_head(answers):
    layer = torch.nn.MultiheadAttention(512, 8)
    assert answers["N11"]["value"] == layer.head_dim == 64
    assert answers["N11"]["verdict"] == "right"
    assert rows.decide_head_width(512)[0] == "wrong"


def test_n12_zeros_and_infinities(answers):
    pairs = [(i, j) for i in range(4) for j in range(4)]
    allowed = sum(j <= i for i, j in pairs)
    assert (
        answers["N12"]["value"]
        == {"zeros": allowed, "minus_inf": len(pairs) - allowed}
        == {"zeros": 10, "minus_inf": 6}
    )
    assert answers["N12"]["verdict"] == "right"
    theirs = torch.nn.Transformer.generate_square_subsequent_mask(4)
    assert int((theirs == 0).sum()) == 10 and int((theirs == -math.inf).sum()) == 6
    assert rows.decide_mask_cells({"zeros": 6, "minus_inf": 10})[0] == "wrong"


def test_n13_running_means(answers):
    assert answers["N13"]["value"] == [[1, 0, 0], [0.5, 0.5, 0], pytest.approx([1 / 3] * 3, rel=1e-15)]
    assert answers["N13"]["verdict"] == "right"
    assert rows.decide_equal_scores([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.25, 0.25]])[0] == "wrong"


def test_n14_runs_of_the_decoder(answers):
    assert answers["N14"]["value"] == {"3": 3 + 1, "300": 300 + 1}
    assert answers["N14"]["verdict"] == "right"
    assert rows.decide_decoder_runs({"3": 1, "300": 1})[0] == "wrong"


def test_a_dictated_transformer_runs_and_writes_what_it_is_told():
    config = TransformerConfig.tiny(vocab_size=8, d_model=8, n_heads=1, n_layers=1, d_ff=8, max_len=5)
    model = rows.Dictated(config, [6, 4, 2]).eval()
    state = model.start(model.encode(torch.tensor([[5, 5]])))
    for fed, told in ((1, 6), (6, 4), (4, 2)):
        log_probs, state = model.step(torch.tensor([fed]), state)
        assert log_probs.exp().tolist() == [[float(token == told) for token in range(8)]]
    assert state.cache.length == 3  # it went through the layers: their keys and values are there


@pytest.mark.slow
@pytest.mark.parametrize("n", rows.SIDES)
def test_n15_agrees_with_other_draws_and_another_formula(answers, n):
    drawn = np.random.default_rng(n).normal(0, math.sqrt(n), (4000, n))
    for kind, temperature in (("scaled", math.sqrt(n)), ("unscaled", 1.0)):
        at, found = answers["N15"]["value"][str(n)][kind], jacobian_statistics(drawn, temperature)
        for what in ("sd", "frobenius"):
            draws = getattr(found, what)
            error = math.hypot(at[f"{what}_se"], draws.std(ddof=1) / math.sqrt(len(draws)))
            assert abs(at[what] - draws.mean()) < 4.5 * error, (kind, what)
            assert at[f"{what}_se"] == pytest.approx(draws.std(ddof=1) / math.sqrt(rows.DRAWS), rel=0.2)
        assert at["sd"] == pytest.approx(at["frobenius"] / n, rel=1e-12)


def test_n15_agrees_with_the_experiment_on_record(answers):
    result = experiments.read("jacobian-statistics")
    sizes, seeds = result["configuration"]["sizes"], len(result["seeds"])
    for n in rows.SIDES:
        for kind, name in (("scaled", "divided"), ("unscaled", "undivided")):
            at = answers["N15"]["value"][str(n)][kind]
            for what, sign in (("sd", 1), ("frobenius", 1), ("median_entry", -1)):
                recorded = f"popular/{name}/{what.removesuffix('_entry')}/mean"
                means = [sign * seed[recorded][sizes.index(n)] for seed in result["seeds"].values()]
                error = math.hypot(at[f"{what}_se"], np.std(means, ddof=1) / math.sqrt(seeds))
                assert abs(at[what] - np.mean(means)) < 5 * error, (n, kind, what)


def test_n15_one_draw_by_autograd():
    s = torch.tensor([[0.3, -2.0, 1.5, 0.1]], dtype=torch.float64)
    for temperature in (2.0, 1.0):
        jacobian = torch.autograd.functional.jacobian(lambda x, c=temperature: torch.softmax(x / c, -1), s[0])
        [norm] = np.linalg.norm(rows.softmax_jacobian(s.numpy(), temperature), axis=(1, 2))
        assert norm == pytest.approx(float(jacobian.norm()), rel=1e-12)
        assert float(jacobian.std(correction=0)) == pytest.approx(float(jacobian.norm()) / 4, rel=1e-12)


def test_n15_the_two_halves(answers):
    assert answers["N15"]["verdict"] == "misleading"
    value = answers["N15"]["value"]
    assert list(value) == ["4", "8", "16", "32", "64"]
    for n, at in value.items():
        assert at["unscaled"]["sd"] > at["scaled"]["sd"], n
        assert at["unscaled"]["frobenius"] > at["scaled"]["frobenius"], n
        assert at["scaled"]["median_entry"] > 1.3 * at["unscaled"]["median_entry"], n


def test_n15_could_have_been_decided_otherwise(answers):
    swapped = {n: {"scaled": at["unscaled"], "unscaled": at["scaled"]} for n, at in answers["N15"]["value"].items()}
    assert rows.decide_jacobian_sizes(swapped)[0] == "wrong"
    both = copy.deepcopy(answers["N15"]["value"])
    for at in both.values():
        at["scaled"]["frobenius"] = 2 * at["unscaled"]["frobenius"]
    assert rows.decide_jacobian_sizes(both)[0] == "right"
