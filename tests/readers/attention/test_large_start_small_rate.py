"""What *Does it matter?* says of the fourth arm holds in the results on record, and would not in others."""

import pytest

from attention_book.readers.attention.large_start_small_rate import ARMS, FOURTH, StartAndRate
from attention_book.readers.attention.with_and_without_the_root import WithAndWithoutTheRoot


def result(arms, steps=60):
    """Two seeds and one width; each arm with its two first close steps, and a hundredth of each as the last loss."""
    seeds = {
        str(n): {f"{arm}/8/close_at": at[n] for arm, at in arms.items()}
        | {f"{arm}/8/end_loss": at[n] / 100 for arm, at in arms.items()}
        for n in (0, 1)
    }
    return WithAndWithoutTheRoot({"configuration": {"widths": [8], "steps": steps}, "seeds": seeds})


def four(fourth):
    three = result({"divided": (10, 20), "folded": (20, 30), "undivided": (40, 50)})
    return StartAndRate(three, result({FOURTH: fourth}))


def test_made_up_runs_are_read_by_hand():
    made_up = four((30, 50))
    assert made_up.squares([8]) == [
        ("width 8", "small start", "divided: 15\xa0±\xa07", "folded: 25\xa0±\xa07"),
        ("width 8", "usual start", "the fourth: 40\xa0±\xa014", "undivided: 45\xa0±\xa07"),
    ]
    later = made_up.later_than("folded", 8)  # by 10 and by 20 steps
    assert later.value == 15 and later.kind == "interval" and later.spread == pytest.approx(12.706 * 5, rel=1e-4)
    assert made_up.ends_above("undivided", 8).value == pytest.approx(-0.05)
    assert made_up.ends_above("folded", 8).value == pytest.approx(0.15)


def test_runs_that_never_come_close_have_no_difference_of_steps():
    made_up = four((30, 61))
    assert made_up.squares([8])[1][2] == "the fourth: not in 60 (1 of 2 seeds)"
    with pytest.raises(ValueError, match="1 runs at width 8 never come close: compare their losses"):
        made_up.later_than("folded", 8)


def test_the_four_arms_have_the_same_seeds_and_differ_in_nothing_else(runs):
    assert list(runs.three.result["seeds"]) == list(runs.fourth.result["seeds"])
    assert {**runs.three.setting, "arms": None} == {**runs.fourth.setting, "arms": None}
    assert runs.three.floor == runs.fourth.floor
    start = "256/start_encoder_spread"
    assert runs.fourth.of(f"{FOURTH}/{start}") == pytest.approx(runs.three.of(f"undivided/{start}"))
    assert runs.fourth.of(f"{FOURTH}/256/start_loss") == pytest.approx(runs.three.of("undivided/256/start_loss"))
    assert len({cell.split(":")[0] for row in runs.squares(runs.three.widths) for cell in row[2:]}) == len(ARMS)


def test_at_the_smaller_widths_the_small_rate_alone_changes_nothing_that_the_seeds_can_tell(runs):
    for width in runs.three.widths[:-1]:
        assert not runs.later_than("undivided", width).settled
        folded = runs.later_than("folded", width)
        assert folded.settled and folded.value > 0
    for width in runs.three.widths:  # in every seed; 601 where a run never comes close
        fourth, folded = (runs.runs_of(arm).of(f"{arm}/{width}/close_at") for arm in (FOURTH, "folded"))
        assert (fourth > folded).all()


def test_at_the_largest_width_the_small_start_brings_every_seed_close_and_the_small_rate_one(runs):
    wide = runs.three.widths[-1]
    assert runs.three.never_close("folded", wide) == 0
    numbers = runs.numbers()
    assert numbers["fourth_close"] == 1 and numbers["fourth_first"] > numbers["folded_latest"] + 100


def test_no_width_shows_what_the_small_rate_is_worth_without_the_small_start_and_256_does_with_it(runs):
    wide = runs.three.widths[-1]
    told = runs.numbers()
    assert not runs.ends_above("undivided", wide).settled and f"{told['fourth_ahead']:.2f}" == "0.49"
    assert (told["fourth_ahead_from"], told["fourth_ahead_to"]) == ("−0.28", "1.25")
    assert not any(runs.later_than("undivided", width).settled for width in (16, 64))
    divided, folded = (runs.three.of(f"{arm}/{wide}/close_at") for arm in ("divided", "folded"))
    assert divided.max() < folded.min()


def test_the_lines_of_four_arms_by_hand():
    curve = {"loss_curve": [3.0, 2.0, 1.0]}
    arms = {arm: curve for arm in ("divided", "folded", "undivided")}
    setting = {"widths": [8], "steps": 60, "every": 20}
    made = [
        WithAndWithoutTheRoot(
            {
                "configuration": setting,
                "seeds": {"0": {f"{arm}/8/{name}": x for arm in some for name, x in curve.items()}},
            }
        )
        for some in (arms, (FOURTH,))
    ]
    lines = StartAndRate(*made).loss_lines()
    assert list(lines) == ["divided", "folded", "the fourth", "undivided"]
    assert all((at.tolist(), loss.tolist()) == ([20, 40, 60], [3, 2, 1]) for at, loss in lines.values())
    assert "the fourth: 3.00 after 20 steps, 1.00 at the end." in StartAndRate(*made).loss_told()


def test_folded_is_ahead_at_the_first_point_of_every_seed_and_behind_later(runs):
    assert runs.numbers()["folded_ahead"] == runs.three.n_seeds
    at, divided = runs.loss_lines()["divided"]
    folded = runs.loss_lines()["folded"][1]
    assert folded[0] < divided[0] and (folded[2:10] > divided[2:10]).all() and at[0] == runs.three.setting["every"]


def test_the_seeds_in_which_folded_is_ahead_by_hand():
    curves = {"divided": ([3.0, 1.0], [2.0, 1.0]), "folded": ([2.5, 2.0], [2.5, 0.5])}
    seeds = {str(n): {f"{arm}/8/loss_curve": both[n] for arm, both in curves.items()} for n in (0, 1)}
    made_up = WithAndWithoutTheRoot({"configuration": {"widths": [8]}, "seeds": seeds})
    assert StartAndRate(made_up, made_up).folded_ahead_at_first() == 1


def test_at_the_end_the_fourth_lies_between_folded_and_undivided(runs):
    ends = [loss[-1] for _, loss in runs.loss_lines().values()]
    assert ends == sorted(ends)
