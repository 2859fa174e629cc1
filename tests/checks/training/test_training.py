"""The checks of *Training the translator*: they pass what is right and name what is wrong."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_book.checks.training import training as checks
from attention_book.readers.translator.training_curve import smoothed_floor
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.training.schedules import warmup_then_decay

from ..diagnosis import diagnosis

SHIFT = {"tgt_in": [[1, 7, 8, 9], [1, 5, 0, 0]], "tgt_out": [[7, 8, 9, 2], [5, 2, 0, 0]]}
MEANS = {"pair": 2 * math.log(2), "batch": 2.5, "smoothed": 0.390}
CURVE = {"a": False, "b": True, "c": True, "d": False, "e": True}


def test_the_shift_passes_in_every_dress():
    assert checks.check_shift(SHIFT)
    assert checks.check_shift({name: torch.tensor(rows) for name, rows in SHIFT.items()})
    assert checks.check_shift({name: np.array(rows) for name, rows in SHIFT.items()})
    assert checks.check_shift({name: tuple(map(tuple, rows)) for name, rows in SHIFT.items()})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tgt_in": [[7, 8, 9], [5, 0, 0]]}, "starts from `<s>`"),
        ({"tgt_in": [[1, 7, 8, 9, 2], [1, 5, 2, 0, 0]]}, "need not read it"),
        ({"tgt_in": [[1, 7, 8, 9], [1, 5, 2, 0]]}, "need not read it"),
        ({"tgt_in": [[1, 7, 8], [1, 5, 0]]}, "asked for `</s>`"),
        ({"tgt_in": SHIFT["tgt_out"]}, "what the rows are asked for"),
        ({"tgt_out": SHIFT["tgt_in"]}, "what the rows read"),
        ({"tgt_out": [[7, 8, 9], [5, 0, 0]]}, "asked for `</s>`, which is 2"),
        ({"tgt_out": [[7, 8, 9, 2], [5, 0, 0, 2]]}, "padding after the end"),
        ({"tgt_in": [[1, 7, 8, 9], [0, 0, 1, 5]]}, "not before it"),
        ({"tgt_in": [[1, 7, 8, 9], [1, 5]]}, "equally long"),
        ({"tgt_in": [[1, 7, 8, 9]]}, "two rows of ids"),
        ({"tgt_in": [["<s>", 7, 8, 9], [1, 5, 0, 0]]}, "two rows of ids"),
        ({"tgt_in": [[1, 9, 8, 7], [1, 5, 0, 0]]}, "`tgt_in` is not that."),
        ({"tgt_in": ...}, "still open"),
        ({"src": [[1], [2]]}, "Give a dictionary"),
    ],
)
def test_the_shift_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_shift(SHIFT | change))


def test_means_pass_and_are_those_of_the_package():
    assert checks.check_means(MEANS)
    log_probs = torch.log(torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]))
    assert label_smoothed_cross_entropy(log_probs, torch.zeros(3, dtype=int), 0.0, pad_id=9) == pytest.approx(
        MEANS["pair"]
    )
    best = torch.log(torch.tensor([[0.92, 0.02, 0.02, 0.02, 0.02]]))
    assert label_smoothed_cross_entropy(best, torch.tensor([0]), 0.1, pad_id=9) == pytest.approx(
        MEANS["smoothed"], abs=1e-3
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair": 6 * math.log(2)}, "that is the sum"),
        ({"pair": 2.0}, "in bits"),
        ({"pair": math.log(2)}, "costs log 8"),
        ({"pair": -math.log(0.875 / 3)}, "logarithms first"),
        ({"batch": 3.0}, "mean of two means"),
        ({"batch": 10}, "that is the sum"),
        ({"batch": 1.6667}, "padding is counted"),
        ({"smoothed": 0}, "not certain"),
        ({"smoothed": -math.log(0.92)}, "cost too"),
        ({"smoothed": 0.5}, "(smoothed) is not 0.5."),
        ({"smoothed": "0.39"}, "one number"),
        ({"pair": ...}, "still to be predicted"),
        ({"other": 1}, "Give a dictionary"),
    ],
)
def test_means_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_means(MEANS | change))


def by_loop(logits, targets):
    losses = torch.zeros(targets.shape, dtype=logits.dtype)
    for row in range(targets.shape[0]):
        for place in range(targets.shape[1]):
            if targets[row, place]:
                z = logits[row, place]
                losses[row, place] = torch.logsumexp(z, 0) - z[targets[row, place]]
    return losses


def by_torch(logits, targets):
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=0)


def gathered(logits, targets, real=True):
    each = -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    return each * (targets != 0) if real else each


@pytest.mark.parametrize("right", [by_loop, by_torch, gathered])
def test_losses_by_token_pass(right):
    assert checks.check_token_losses(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z, y: gathered(z, y, real=False), "Padding costs nothing"),
        (lambda z, y: -gathered(z, y), "minus the log-probability"),
        (lambda z, y: (-gathered(z, y)).exp() * (y != 0), "minus their logarithm"),
        (lambda z, y: -z.gather(-1, y[..., None])[..., 0] * (y != 0), "log-softmax first"),
        (lambda z, y: gathered(z, y) / (y != 0).sum(), "divided by the number of tokens"),
        (lambda z, y: gathered(z, y) / math.log(2), "base 2"),
        (lambda z, y: -z.softmax(-1).log().gather(-1, y[..., None])[..., 0].where(y != 0, 0.0), "infinite"),
        (lambda z, y: gathered(z, y).mean(), "wrong shape"),
        (lambda z, y: gathered(z, y).flip(1), "not the losses of the target tokens"),
        (lambda z, y: None, "It returned None"),
    ],
)
def test_losses_by_token_name_the_mistake(wrong, message):
    assert message in diagnosis(checks.check_token_losses(wrong))


def test_the_curve_passes_and_is_what_formulas_say():
    assert checks.check_curve(CURVE) and checks.check_curve({name: np.bool_(said) for name, said in CURVE.items()})
    assert set(checks.STATEMENTS) == set(CURVE)
    run = checks.OTHER_RUN
    floor = smoothed_floor(run["smoothing"], run["pieces"])
    spread = run["smoothing"] / run["pieces"]
    target = torch.full((run["pieces"],), spread, dtype=torch.float64)
    target[0] += 1 - run["smoothing"]
    assert floor == pytest.approx(-(target * target.log()).sum().item()) and target[0].item() == pytest.approx(0.9001)
    last = run["steps"]
    rates = {step: warmup_then_decay(step, last, run["warm-up steps"], 1.0) for step in (250, 4000)}
    assert {
        "a": abs(run["validation loss"][0] - math.log(run["pieces"])) < 0.5,
        "b": run["training loss"][last] - floor < 1.5,
        "c": math.exp(run["validation loss"][last]) > 4,
        "d": abs(rates[4000] - 0.25) < 0.05,
        "e": abs(rates[250] - 0.25) < 0.05,
    } == CURVE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": True}, "a is False: a uniform guess among 1,000 pieces"),
        ({"b": False}, "take away its entropy"),
        ({"c": False}, "e to the power of 1.61"),
        ({"d": True}, "half a cosine and no straight line"),
        ({"e": False}, "rises in a straight line"),
        ({"a": "False"}, "with True (it holds) or False (it does not)"),
        ({"a": 0}, "True (it holds)"),
        ({"e": ...}, "`e` is still open"),
        ({"f": True}, "Give a dictionary"),
    ],
)
def test_the_curve_names_the_mistake(change, message):
    assert message in diagnosis(checks.check_curve(CURVE | change))


def rates(steps, warm_up, rise=True):
    fall = lambda s: (1 + math.cos(math.pi * (s - warm_up) / (steps - warm_up))) / 2  # noqa: E731
    return [s / warm_up if rise and s < warm_up else fall(max(s, warm_up)) for s in range(1, steps + 1)]


def left(steps, warm_up, done):
    every = rates(steps, warm_up)
    return sum(every[done:]) / sum(every)


def test_what_is_still_to_come_passes_by_hand_and_by_the_package():
    def by_the_package(steps, warm_up, done):
        every = torch.tensor([warmup_then_decay(s, steps, warm_up, 0.003) for s in range(1, steps + 1)])
        return every[done:].double().sum() / every.double().sum()

    assert checks.check_left(left) and checks.check_left(by_the_package)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda steps, warm_up, done: (steps - done) / steps, "The steps are not equally long"),
        (lambda *given: 1 - left(*given), "the share that is over"),
        (lambda steps, warm_up, done: left(steps, warm_up, done - 1), "Step `done` itself is over"),
        (lambda steps, warm_up, done: sum(rates(steps, warm_up)[done:]), "Divide it by the sum of all"),
        (lambda steps, warm_up, done: rates(steps, warm_up)[done - 1], "the rate at step `done`"),
        (lambda steps, warm_up, done: left(steps, 1e-9, done), "The warm-up is missing"),
        (
            lambda steps, warm_up, done: sum(rates(steps, warm_up, False)[done:]) / sum(rates(steps, warm_up, False)),
            "It does not begin at the peak",
        ),
        (
            lambda steps, warm_up, done: (
                sum(min(s / warm_up, (steps - s) / (steps - warm_up)) for s in range(done + 1, steps + 1))
                / sum(min(s / warm_up, (steps - s) / (steps - warm_up)) for s in range(1, steps + 1))
            ),
            "half a cosine and no straight line",
        ),
        (lambda *given: 0.3, "For 10 steps, 2 of them warm-up, after step 6"),
        (lambda *given: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_share_that_is_to_come_is_explained(wrong, message):
    assert message in diagnosis(checks.check_left(wrong))
