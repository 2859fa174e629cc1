"""A held-out loss beside its floor, by hand."""

import pytest

from attention_book.little_language.language import mean_entropy, sample
from attention_book.studies.translator.held_out_loss import HeldOutLoss, train_small


def test_a_run_of_two_validations_by_hand():
    run = HeldOutLoss([{"tokens": 1000, "validation_loss": 3.0}, {"tokens": 2500, "validation_loss": 0.5}], floor=0.4)
    (seen, losses), (_, lowest) = run.lines().values()
    assert seen.tolist() == [1, 2.5] and losses.tolist() == [3, 0.5] and lowest.tolist() == [0.4, 0.4]
    assert run.told() == ("The held-out loss falls from 3.00 to 0.500 nats per token; the lowest possible is 0.400.")
    assert run.numbers() == {"live_loss": 0.5, "live_floor": 0.4, "live_excess": pytest.approx(0.1)}


def test_a_short_training_learns_something_and_is_measured_on_the_way():
    train, held_out = sample(200, seed=1, target="es", clauses=1), sample(20, seed=2, target="es", clauses=1)
    model, run = train_small(train, held_out, tokens=3000)
    assert len(run.losses) > 2 and run.losses[-1] < run.losses[0]
    assert run.floor == mean_entropy(held_out).per_token < run.losses[-1]
    assert next(model.parameters()).dtype.is_floating_point
