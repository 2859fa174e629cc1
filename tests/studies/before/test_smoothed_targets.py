import math

import numpy as np
import pytest
import torch

from attention_book.studies.before.smoothed_targets import (
    lead_figure,
    leads,
    leads_told,
    moved,
    numbers,
    smoothed,
    smoothed_over_others,
    steps_to,
    wanted_lead,
)
from attention_book.training.losses import label_smoothed_cross_entropy


def test_both_targets_of_five_tokens_by_hand():
    assert smoothed(5) == pytest.approx([0.02, 0.92, 0.02, 0.02, 0.02])
    assert smoothed_over_others(5) == pytest.approx([0, 0.9, 0.1 / 3, 0.1 / 3, 0.1 / 3])
    assert moved(5) == pytest.approx(0.04)  # 0.02 from the padding and 0.02 from the truth
    assert wanted_lead(5) == pytest.approx(math.log(46))


@pytest.mark.parametrize("size", [5, 8000])
def test_targets_sum_to_one(size):
    for target in (smoothed(size), smoothed_over_others(size)):
        assert target.sum() == pytest.approx(1) and target.min() >= 0


def test_the_smoothed_loss_is_the_cross_entropy_with_the_target():
    q = np.array([0.001 / 4, 0.999, *[0.001 / 4] * 3])
    loss = label_smoothed_cross_entropy(torch.tensor(np.log(q))[None], torch.tensor([1]), 0.1, pad_id=0)
    found = numbers()
    assert found["loss_certain"] == pytest.approx(float(loss)) and found["least"] < found["loss_certain"]
    assert found["target_even"] == "0.02, 0.92, 0.02, 0.02, 0.02"
    assert found["target_others"] == "0, 0.9, 0.03333, 0.03333, 0.03333"
    assert found["moved_many"] < found["moved_few"] / 1000


@pytest.mark.slow
def test_the_lead_of_the_page_settles_where_the_smoothed_loss_wants_it():
    smooth, plain = leads(0.1), leads(0.0)
    assert abs(smooth[-1] - wanted_lead(5)) < 1e-6
    assert plain[99] < plain[-1] and np.all(np.diff(plain) > 0)


def test_a_lead_is_reached_at_the_step_at_which_the_scores_have_it():
    plain = leads(0.0, steps=200)
    for steps in (1, 10, 100, 200):
        middle = plain[steps - 1] - 1e-9
        assert steps_to(middle) == steps
    assert 45_000 < steps_to(2 * plain[99]) < 50_000


def test_leads_are_told_and_drawn():
    lead = {"ε = 0": np.arange(1.0, 201.0)}
    assert leads_told(lead) == (
        "Lead of the true score by step. ε = 0: 10.00 after 10 steps, 100.00 after 100, 200.00 after 200."
    )
    (line,) = lead_figure(lead).axes[0].lines
    assert line.get_xdata()[[0, -1]].tolist() == [1, 200] and line.get_ydata()[0] == 1
