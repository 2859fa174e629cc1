"""Steps that follow one batch each: what the small cases do, against torch, laws and work by hand."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
import torch

from attention_book.studies.training import one_batch_at_a_time as study


def test_two_batches_that_disagree_are_those_done_by_hand_and_end_between_two_places():
    half = [Fraction(0), Fraction(1, 2), Fraction(-1, 4), Fraction(3, 8), Fraction(-5, 16)]
    assert list(islice(study.disagreeing_batches(Fraction(1, 2)), 5)) == half
    for rate in (Fraction(1, 2), Fraction(1, 10)):
        *_, before, last = islice(study.disagreeing_batches(rate), 200)
        assert float(last) == pytest.approx(float(rate / (2 - rate))) == pytest.approx(-float(before))


def test_a_walk_takes_the_steps_of_torchs_descent_on_the_loss_of_each_batch():
    rates = [0.4, 0.2, 0.1]
    batches = study.NOISE * np.random.default_rng(3).standard_normal((3, 2))
    place = torch.tensor(study.START, dtype=torch.float64, requires_grad=True)
    for rate, wanted in zip(rates, batches, strict=True):
        place.grad = None
        ((place - torch.tensor(wanted)) ** 2).sum().div(2).backward()
        place = (place - rate * place.grad).detach().requires_grad_()
    np.testing.assert_allclose(study.noisy_walk(rates, seed=3)[-1], place.detach().numpy())


def test_rates_stay_or_fall_to_nothing_and_snapshots_are_counted_from_the_end():
    assert study.constant_rates(0.3, 4) == [0.3] * 4
    falling = study.falling_rates(0.3, 10)
    assert falling == sorted(falling, reverse=True) and falling[-1] == pytest.approx(0) and falling[4] == 0.15
    path = np.arange(20.0).reshape(10, 2)
    assert study.snapshots(path, kept=3, apart=4)[:, 0].tolist() == [2.0, 10.0, 18.0]
    with pytest.raises(ValueError, match="need more than 9 steps"):
        study.snapshots(path, kept=4, apart=4)


def test_without_noise_there_is_nothing_to_wander():
    calm = study.noisy_walk(study.constant_rates(0.4), seed=0, noise=0.0)
    assert np.linalg.norm(calm[-1]) < 1e-9


def test_the_mean_and_the_falling_rate_both_end_nearer_on_average():
    far = study.mean_distances(0.4, walks=100)
    assert far["mean"] < 0.6 * far["stays"] and far["falls"] < 0.6 * far["stays"]
    spread = study.NOISE * (0.4 / (2 - 0.4)) ** 0.5 * (np.pi / 2) ** 0.5  # of a walk that has forgotten its start
    assert far["stays"] == pytest.approx(spread, rel=0.15)


def test_one_strange_batch_is_torchs_adam():
    theta = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([theta], lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    for step in range(1, 151):
        theta.grad = torch.tensor([100.0 if step == 100 else -1.0], dtype=torch.float64)
        adam.step()
    assert study.one_strange_batch(100.0, steps=150)[-1] == pytest.approx(theta.item())


def test_the_strange_step_is_short_and_the_standing_still_is_long():
    found = study.strange_numbers(100.0)
    assert found["strange_first"] < 1 < found["strange_back"] < 8
    walk = study.one_strange_batch(100.0)
    assert walk[99 + int(found["strange_wait"])] > walk[99] >= walk[98 + int(found["strange_wait"])]
    assert found["unclipped_behind"] > 50 * found["clipped_behind"] > 0
    assert study.strange_numbers(1000.0)["strange_first"] < 0.1 / 0.02**0.5  # however large the gradient


def test_a_batch_like_the_others_and_a_wide_limit_change_nothing():
    calm = study.one_strange_batch(-1.0)
    np.testing.assert_allclose(calm, np.arange(401.0), atol=1e-5)
    np.testing.assert_allclose(study.one_strange_batch(9.0, limit=9.0), study.one_strange_batch(9.0))


def test_the_curves_are_told_with_where_they_end():
    lines = study.strange_lines(100.0)
    assert {len(x) for x, _ in lines.values()} == {401}
    told = study.strange_told(100.0)
    for name, (_, walk) in lines.items():
        assert f"{name}: {walk[-1]:.0f}" in told
