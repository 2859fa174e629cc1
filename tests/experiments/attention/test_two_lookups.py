"""The experiment on two lookups: its tables, its floor for one head, and a solution by hand."""

import pytest
import torch

from attention_book.experiments.attention import two_lookups as experiment

SMALL = experiment.CONFIGURATION | {
    "rows": 4,
    "content": 4,
    "d_model": 8,
    "batch": 2,
    "held_out": 3,
    "tasks": [
        {"kind": "numbers", "lookups": 2, "heads": [1, 2], "steps": 2, "learning_rate": 1e-2},
        {"kind": "symbols", "lookups": 2, "heads": [1], "steps": 2, "learning_rate": 1e-2},
    ],
}


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("kind", ["numbers", "symbols"])
@pytest.mark.parametrize("lookups", [1, 2])
def test_answers_are_the_contents_of_the_rows_named(kind, lookups):
    contents, asked, answers = experiment.questions(kind, 5, SMALL, lookups, generator())
    assert asked.shape == (5, 4, lookups) and answers.shape == (5, 4, lookups, 4)
    for table in range(5):
        for question in range(4):
            names = asked[table, question].tolist()
            assert len(set(names)) == lookups
            for n, name in enumerate(names):
                assert torch.equal(answers[table, question, n], contents[table, name])
    if kind == "symbols":
        assert contents.sum(dim=-1).eq(1).all() and contents.sum(dim=1).eq(1).all()  # each symbol once


def test_two_heads_by_hand_have_no_error_and_cost_what_one_costs():
    """d_model = 16: head 0 asks for the first name and carries its content, head 1 for the second."""
    model = experiment.Lookup(rows=4, content=4, lookups=2, d_model=16, n_heads=2).double()
    eye = torch.eye(16, dtype=torch.float64)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.name.weight[:, :4] = eye[:4, :4]
        model.asked[0].weight[:, :4] = eye[:4, :4]
        model.asked[1].weight[:, 4:8] = eye[:4, :4]
        model.content.weight[:4] = eye[:4, :4]
        attention = model.attention
        attention.w_q.weight[0:4, 0:4] = attention.w_q.weight[8:12, 4:8] = 200 * eye[:4, :4]
        attention.w_k.weight[0:4, 0:4] = attention.w_k.weight[8:12, 0:4] = eye[:4, :4]
        attention.w_v.weight[0:4, 0:4] = attention.w_v.weight[8:12, 0:4] = eye[:4, :4]
        attention.w_o.weight.copy_(eye)
        model.readout.weight[0:4, 0:4] = model.readout.weight[4:8, 8:12] = eye[:4, :4]
    contents, asked, answers = experiment.questions("numbers", 50, SMALL, 2, generator())
    estimate, _ = model(contents.double(), asked)
    assert experiment.loss_of("numbers", estimate, answers.double()) < 1e-12


def test_one_mixture_leaves_half_of_the_variance_whatever_the_weights():
    """The floor of the docstring, by least squares on mixtures: a head sees z, and wants c_x and c_y."""
    draws = torch.randn(100_000, 6, generator=generator(1), dtype=torch.float64)
    for weights in ([0.5, 0.5, 0, 0, 0, 0], [0.9, 0.1, 0, 0, 0, 0], [0.3, 0.3, 0.1, 0.1, 0.1, 0.1]):
        z = draws @ torch.tensor(weights, dtype=torch.float64)
        left = [1 - ((z * draws[:, n]).mean() ** 2 / (z**2).mean()) for n in (0, 1)]
        assert sum(left) / 2 >= 0.5 - 0.01
        if sum(weights[:2]) == 1:
            assert sum(left) / 2 == pytest.approx(0.5, abs=0.01)


def test_for_symbols_the_largest_and_the_smallest_weight_tell_both():
    """What one head can do after all: most weight for one name, least for the other."""
    contents, asked, answers = experiment.questions("symbols", 20, SMALL, 2, generator())
    scores = torch.zeros(20, 4, 4).scatter(2, asked[..., :1], 2.0).scatter(2, asked[..., 1:], -2.0)
    mixture = scores.softmax(dim=-1) @ contents
    assert torch.equal(mixture.argmax(-1), answers[:, :, 0].argmax(-1))
    assert torch.equal((-mixture).argmax(-1), answers[:, :, 1].argmax(-1))


def test_a_run_reports_every_arm_and_repeats_itself():
    first, second = experiment.run_seed(0, SMALL), experiment.run_seed(0, SMALL)
    assert first == second != experiment.run_seed(1, SMALL)
    assert first["tokens"] == 3 * 2 * (2 * 4 * 2)
    assert first["parameters"] == 4 * 8 * 8 + 4 * 8
    assert {name for name in first if "/" in name} == {
        "numbers_2_1/loss", "numbers_2_2/loss", "symbols_2_1/loss", "symbols_2_1/right", "symbols_2_1/extremes",
    }  # fmt: skip
