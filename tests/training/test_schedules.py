"""Learning-rate schedules: hand values, torch's own scheduler, and their shapes."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.training.schedules import noam_schedule, warmup_then_decay

law = settings(max_examples=60, deadline=None)


def test_noam_by_hand():
    # d_model = 64 gives 1/8; with 4 warm-up steps the factor is step / 8 up to step 4, then 1 / √step.
    assert noam_schedule(1, 64, warmup=4) == pytest.approx(1 / 8 * 1 / 8)
    assert noam_schedule(4, 64, warmup=4) == pytest.approx(1 / 8 * 1 / 2)
    assert noam_schedule(16, 64, warmup=4) == pytest.approx(1 / 8 * 1 / 4)
    assert noam_schedule(16, 64, warmup=4, factor=2.0) == pytest.approx(1 / 16)


def test_noam_can_do_without_a_warm_up():
    assert noam_schedule(1, 64, warmup=1) == pytest.approx(1 / 8)
    assert noam_schedule(4, 64, warmup=1) == pytest.approx(1 / 16)
    assert noam_schedule(10, 64) == noam_schedule(10, 64, warmup=4000)  # the paper's


def test_noam_peaks_at_the_end_of_the_warm_up():
    rates = [noam_schedule(step, 512, warmup=100) for step in range(1, 400)]
    assert max(rates) == rates[99]
    assert rates[99] == pytest.approx((512 * 100) ** -0.5)


@pytest.mark.parametrize(("step", "warmup"), [(0, 10), (-1, 10), (1, 0)])
def test_noam_counts_from_one(step, warmup):
    with pytest.raises(ValueError, match="counted from 1"):
        noam_schedule(step, 64, warmup)


@pytest.mark.parametrize("floor", [0.0, 2e-4])
def test_the_decay_is_torchs_cosine(floor):
    peak, total, warmup = 3e-3, 50, 10
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=peak)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total - warmup, eta_min=floor)
    for done in range(warmup, total + 1):
        (wanted,) = scheduler.get_last_lr()
        assert warmup_then_decay(done, total, warmup, peak, floor) == pytest.approx(wanted, abs=1e-12)
        optimizer.step()
        scheduler.step()


def test_warm_up_is_a_straight_line_and_halfway_down_is_half():
    assert warmup_then_decay(0, 100, 20, 1.0) == 0
    assert warmup_then_decay(5, 100, 20, 1.0) == 0.25
    assert warmup_then_decay(20, 100, 20, 1.0) == 1.0
    assert warmup_then_decay(60, 100, 20, 1.0, floor=0.2) == pytest.approx(0.6)
    assert warmup_then_decay(100, 100, 20, 1.0) == pytest.approx(0)
    assert warmup_then_decay(10_000, 100, 20, 1.0, floor=0.1) == pytest.approx(0.1)


@law
@given(st.floats(0, 200), st.floats(0, 99), st.floats(1e-5, 1), st.floats(0, 1e-5))
def test_the_rate_stays_between_zero_and_the_peak_and_never_rises_after_the_warm_up(done, warmup, peak, floor):
    rate = warmup_then_decay(done, 100, warmup, peak, floor)
    assert 0 <= rate <= peak * (1 + 1e-12)
    if done >= warmup:
        assert floor * (1 - 1e-12) <= warmup_then_decay(done + 1, 100, warmup, peak, floor) <= rate * (1 + 1e-12)


@pytest.mark.parametrize(("done", "total", "warmup"), [(-1, 10, 1), (0, 10, 10), (0, 10, -1), (0, 0, 0)])
def test_budgets_that_do_not_fit_are_refused(done, total, warmup):
    with pytest.raises(ValueError, match="need 0 <= done and 0 <= warmup < total"):
        warmup_then_decay(done, total, warmup, 1e-3)
