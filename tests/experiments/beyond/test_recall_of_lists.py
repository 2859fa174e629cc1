"""The experiment on lists: what is asked has one answer, both attentions can hold what they should, a run reports."""

import pytest
import torch

from attention_book.experiments.beyond import recall_of_lists as experiment

SMALL = experiment.CONFIGURATION | {
    "arms": {"softmax_4": ["softmax", 4], "linear_4": ["linear", 4]},
    "lengths": [2, 4],
    "names": 6,
    "symbols": 3,
    "steps": 3,
    "held_out": 5,
}


def test_names_differ_within_a_list_and_symbols_repeat():
    named, held = experiment.lists(200, 4, SMALL, torch.Generator().manual_seed(0))
    assert named.shape == held.shape == (200, 4)
    assert all(len(set(row)) == 4 for row in named.tolist()) and {*named.flatten().tolist()} == set(range(6))
    assert {*held.flatten().tolist()} == {0, 1, 2} and any(len(set(row)) < 3 for row in held.tolist())


def by_hand(kind, d_k, scale):
    """A model whose key for each name is a direction of its own, as far as there are enough of them."""
    model = experiment.Recall(kind, d_k, names=6, symbols=3, d_v=3).double()
    eye = torch.eye(max(6, d_k), dtype=torch.float64)
    with torch.no_grad():
        # For linear attention, elu(x) + 1 is nearly 0 far below 0, so a feature is nearly a 1 among zeros.
        table = scale * eye[:6, :d_k] if kind == "softmax" else 40 * eye[:6, :d_k] - 39
        model.queries.weight.copy_(table)
        model.keys.weight.copy_(table)
        model.values.weight.copy_(torch.eye(3))
        model.readout.weight.copy_(torch.eye(3))
        model.readout.bias.zero_()
    return model


@pytest.mark.parametrize("kind", ["softmax", "linear"])
def test_with_a_direction_for_each_name_both_attentions_recall_everything(kind):
    model = by_hand(kind, 6, 10.0)
    assert experiment.share_right(model, 6, 1, SMALL | {"held_out": 300}) == 1.0


def test_without_enough_directions_a_memory_by_hand_fails():
    assert experiment.share_right(by_hand("linear", 2, 1.0), 6, 1, SMALL | {"held_out": 300}) < 0.8


def test_a_run_reports_every_arm_at_every_length():
    threads = torch.get_num_threads()
    found = experiment.run_seed(0, SMALL)
    assert torch.get_num_threads() == threads
    assert found["tokens"] == 2 * 3 * SMALL["batch"] * (2 + 4)
    for arm in SMALL["arms"]:
        assert [0 <= share <= 1 for share in found[f"{arm}_right"]] == [True, True]
    assert found == experiment.run_seed(0, SMALL) != experiment.run_seed(1, SMALL)
