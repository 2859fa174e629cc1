"""What *Does it matter?* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import difference
from attention_book.readers.attention.with_and_without_the_root import NAMES, THREE, TWO, WithAndWithoutTheRoot


@pytest.fixture
def made_up():
    """Two seeds, one width and every arm alike: close after 20 and 40 of 60 steps."""

    def seed(close, loss, gradient):
        metrics = {
            "start_encoder_spread": close / 10,
            "start_encoder_saturated": close / 100,
            "loss_curve": [loss + 1, loss, loss],
            "close_at": close,
            "end_loss": loss,
            "w_q_curve": [gradient, 0, 0],
        }
        return {"floor": 1.0} | {f"{arm}/8/{name}": value for arm in NAMES for name, value in metrics.items()}

    configuration = {"widths": [8], "steps": 60, "every": 20}
    return {"configuration": configuration, "seeds": {"1": seed(20, 1.5, 2.0), "2": seed(40, 2.5, 4.0)}}


def test_made_up_runs_are_read_by_hand(made_up):
    runs = WithAndWithoutTheRoot(made_up)
    assert runs.glorot_rows()[1:3] == [("divided, steps", "30\xa0±\xa014"), ("undivided, spread", "3.00")]
    assert runs.steps_until_close("folded", 8) == "30\xa0±\xa014"  # √200
    assert (runs.left("folded", 8).value, runs.left("folded", 8).spread) == pytest.approx((1.0, 0.5**0.5))
    assert runs.first_gradient("divided", 8).value == 3 and runs.gradient_ratio(8) == 1
    steps, loss = runs.loss_lines()["undivided"]
    assert steps.tolist() == [20, 40, 60] and loss.tolist() == [3, 2, 2]
    assert list(runs.loss_lines(TWO)) == ["divided", "undivided", "least possible"]
    by_seed = runs.seed_lines()
    assert list(by_seed) == ["divided", "undivided, seed 0", "undivided, seed 1"]
    assert by_seed["undivided, seed 1"][1].tolist() == [3.5, 2.5, 2.5]
    made_up["seeds"]["2"]["folded/8/close_at"] = 61
    assert runs.steps_until_close("folded", 8) == "not in 60 (1 of 2 seeds)"


def test_a_mean_of_seeds_hides_the_worst_of_them(made_up, runs):
    """The made-up arms end at 1.5 and 2.5 nats, and the least possible is 1; only one width, so one arm is left out."""
    by_hand = WithAndWithoutTheRoot(made_up)
    assert by_hand.most_left_of_one_run() == 1.5 and by_hand.most_left_of_the_others() == 1.0
    made_up["seeds"]["1"]["undivided/8/end_loss"] = 9.0  # the arm that is left out
    assert by_hand.most_left_of_one_run() == 1.5
    assert 0.07 < runs.most_left_of_the_others() < runs.numbers()["others"] == 0.08  # "within 0.07" was rounded down
    assert 0.14 < runs.most_left_of_one_run() < runs.numbers()["other_run"] == 0.15


def test_the_flattest_arm_is_not_slower_than_the_divided_one(runs):
    flat, divided = (runs.measured(f"{arm}/256/close_at") for arm in ("glorot_divided", "divided"))
    assert abs(flat.value - divided.value) < flat.spread
    assert runs.numbers()["flat_spread"] < 0.2


def test_glorot_matrices_begin_less_saturated_the_wider_they_are(runs):
    spread = {w: runs.of(f"glorot_undivided/{w}/start_encoder_spread") for w in (64, 256)}
    assert spread[256].max() < spread[64].min()


def test_whether_the_wider_glorot_models_are_slower_the_seeds_cannot_tell(runs):
    wide, middle = (runs.of(f"glorot_undivided/{w}/close_at") for w in (256, 64))
    assert wide.mean() > middle.mean() and not difference(wide, middle).settled


def test_every_undivided_run_is_still_learning_at_the_end_and_they_lie_far_apart(runs):
    curves = runs.of("undivided/256/loss_curve")
    assert (curves[:, -1] < curves[:, -1 - 100 // runs.setting["every"]]).all()
    assert "1.04, 2.28, 1.35, 2.15, 1.42 at the end" in runs.seeds_told()
    told = runs.numbers()
    assert told["right_worst"] < 40 < 85 < told["right_best"]
    assert 3 * runs.measured("divided/256/close_at").value < runs.setting["steps"]


def test_every_seed_of_an_arm_comes_close_or_none_does(runs):
    never = {(arm, w): runs.never_close(arm, w) for arm in NAMES for w in runs.widths}
    assert set(never.values()) <= {0, runs.n_seeds}
    assert [which for which, seeds in never.items() if seeds] == [("undivided", 256)]


def test_without_the_division_the_gradients_are_larger_and_the_slowest_arms_have_the_largest(runs):
    assert min(map(runs.gradient_ratio, runs.widths)) > 1
    slowest = sorted(NAMES, key=lambda arm: runs.measured(f"{arm}/256/close_at").value)[-2:]
    steepest = sorted(NAMES, key=lambda arm: runs.first_gradient(arm, 256).value)[-2:]
    assert set(slowest) == set(steepest) == {"undivided", "folded"}


def test_the_first_gradient_cannot_tell_saturation_because_the_divisor_is_missing_too(runs):
    """*Folded* begins unsaturated, and its gradient is larger in the same measure, seed by seed."""
    assert runs.gradient_ratio(256, "folded") > runs.gradient_ratio(256) > 8
    first = {arm: runs.of(f"{arm}/256/w_q_curve")[:, 0] for arm in THREE}
    assert all((first[arm] / first["divided"] > 7).all() for arm in ("undivided", "folded"))


def test_the_luckiest_model_stays_saturated(runs):
    told = runs.numbers()
    assert 50 < told["saturated_best_start"] < 60 < 90 < told["saturated_best_end"]
    ends, starts = (runs.of(f"undivided/256/{when}_encoder_saturated") for when in ("end", "start"))
    assert (ends > starts + 0.3).all()
    assert round(told["saturated_best_end"]) == round(100 * ends.max())


def test_a_soft_start_without_the_division_ends_saturated_and_right(runs):
    """The control for the luckiest model: saturation at the end says nothing against what was learned."""
    told = runs.numbers()
    start, end = (runs.of(f"folded/256/{when}_encoder_saturated") for when in ("start", "end"))
    assert start.max() == 0 and end.min() > 0.8
    assert told["folded_saturated_end"] == pytest.approx(100 * end.mean()) and 98 < told["folded_right"] < 100
    assert runs.of("folded/256/end_right").min() > runs.of("undivided/256/end_right").max()
    assert runs.of("undivided/256/end_cross_saturated").min() > 0.9 < runs.of("folded/256/end_cross_saturated").min()


def test_narrow_heads_lose_some_steps_without_the_division(runs):
    divided, undivided = (runs.of(f"{arm}/16/close_at") for arm in TWO)
    assert (undivided > divided).all()


def test_ranks_go_from_the_fewest_words_right_to_the_most(made_up):
    runs = WithAndWithoutTheRoot(made_up)
    for seed, right in (("1", 0.75), ("2", 0.25)):
        made_up["seeds"][seed] |= {"undivided/8/end_right": right, "undivided/8/end_encoder_saturated": right / 2}
    assert [runs.saturated("end", rank) for rank in (0, -1)] == [0.125, 0.375]


def test_the_tables_have_a_row_per_arm_and_a_column_per_width(runs):
    assert np.shape(runs.close_rows()) == (len(NAMES), 1 + len(runs.widths))
    assert [row[0] for row in runs.close_rows(THREE)] == ["divided", "undivided", "folded"]
    assert "folded" in runs.loss_told() and "folded" not in runs.loss_told(TWO)


def test_only_the_undivided_models_begin_saturated(runs):
    shares = {arm: runs.of(f"{arm}/256/start_encoder_saturated").max() for arm in THREE}
    assert shares["divided"] == shares["folded"] == 0 and runs.numbers()["saturated_256"] > 50
