"""What *What each part is worth* says of its runs holds in the result on record, and would not in another one."""

import pytest
from scipy import stats

from attention_book.experiments.translator import ablations as experiment
from attention_book.readers.translator import ablations as reader


@pytest.fixture
def made_up():
    """Three seeds and three arms: one that always costs 0.1 ± a little, and one that costs nothing in the mean."""
    losses = {"whole": [0.30, 0.36, 0.33], "one_head": [0.40, 0.47, 0.42], "post_norm": [0.31, 0.35, 0.33]}
    seeds = {}
    for n in range(3):
        seeds[str(n)] = {"floor": 0.2, "pairs": 140} | {
            f"{arm}/{what}": value
            for arm, values in losses.items()
            for what, value in (("loss", values[n]), ("right", 0.5 + n / 10), ("parameters", 9))
        }
    setting = {"arms": {arm: {} for arm in losses}, "examined": 7, "target": "es", "training": {"tokens": 1000}}
    return reader.Ablations({"configuration": setting, "seeds": seeds})


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.ranked == ["whole", "post_norm", "one_head"] or made_up.ranked[-1] == "one_head"
    cost = made_up.cost("one_head")
    assert cost.value == pytest.approx(0.1) and cost.n == 3
    assert cost.spread == pytest.approx(stats.t.ppf(0.975, 2) * 0.01 / 3**0.5)  # differences 0.10, 0.11, 0.09
    assert made_up.p_values["one_head"] == pytest.approx(2 * stats.t.sf(0.1 / (0.01 / 3**0.5), 2))
    assert made_up.adjusted["one_head"] == pytest.approx(2 * made_up.p_values["one_head"])
    assert made_up.real == {"one_head"}
    assert made_up.excess("whole").value == pytest.approx(0.13)
    numbers = made_up.numbers()
    assert numbers["n_real"] == 1 and numbers["one_head_cost"] == f"{cost:.3f}"
    assert made_up.listed(made_up.real) == "one head" and numbers["open_told"] == "normalised after the sum"
    assert made_up.listed({"one_head", "post_norm"}) == "one head and normalised after the sum"
    assert numbers["one_head_right"] == "60\xa0%" and numbers["n_pairs"] == 100 and numbers["n_tokens"] == 1000


def test_a_row_holds_the_arm_and_its_share_and_another_the_difference_with_both_p_values(made_up):
    rows = {row[0]: row for row in made_up.rows()}
    assert {len(row) for row in rows.values()} == {len(made_up.header)} == {2}
    assert list(rows) == [reader.LABELS[arm] for arm in made_up.ranked] and rows["one head"][1].startswith("60\xa0±")
    name, cost, *ps = made_up.p_rows()[0]
    assert name == "one head" and cost.startswith("+0.100\xa0±\xa00.02") and ps == ["0.0033", "0.0066"]
    assert len(made_up.p_rows()) == len(made_up.changed) and len(made_up.p_header) == len(made_up.p_rows()[0])


def test_the_pairs_are_the_differences_of_each_seed(made_up):
    header, rows = made_up.pairs(["one_head", "post_norm"])
    assert header == ("more than the whole", "seed 0", "seed 1", "seed 2")
    assert rows == [
        ("one head", "+0.100", "+0.110", "+0.090"),
        ("normalised after the sum", "+0.010", "−0.010", "+0.000"),
    ]


def test_the_words_tell_every_dot(made_up):
    assert "one head: 0.200, 0.270, 0.220" in made_up.dots_told()
    assert list(made_up.dots()) == [reader.LABELS[arm] for arm in made_up.ranked]


def test_every_arm_of_the_experiment_has_a_label():
    assert list(reader.LABELS) == list(experiment.CONFIGURATION["arms"])


@pytest.fixture(scope="module")
def runs():
    return reader.read()


def test_every_seed_speaks_against_leaving_out_the_warm_up_and_not_every_one_for_rotary_positions(runs):
    warm_up, rotary = ([more[0] for more in row[1:]] for row in runs.pairs(["no_warm_up", "rotary_positions"])[1])
    assert set(warm_up) == {"+"} and set(rotary) == {"+", "\N{MINUS SIGN}"}
    assert runs.numbers()["no_positions_lost"] == 36  # 84 and 48 of a hundred


def test_without_residual_sums_nothing_is_translated_and_the_loss_is_almost_that_of_guessing(runs):
    assert runs.of("no_residuals/right").max() == 0 and runs.ranked[-1] == "no_residuals"
    assert runs.excesses("no_residuals").min() > 3


def test_all_but_rotary_positions_are_real_and_cost_something(runs):
    assert runs.n_seeds == 5 and set(runs.changed) - runs.real == {"rotary_positions"}
    assert all(runs.cost(arm).value > 0 for arm in runs.real)
    assert {arm for arm, p in runs.p_values.items() if p <= 0.05} == runs.real  # the correction changes no verdict
    rotary = runs.cost("rotary_positions")
    assert rotary.value < 0 and not rotary.settled


def test_three_seeds_find_fewer_and_miss_the_single_head(runs):
    three = runs.first(3)
    assert three.n_seeds == 3 and three.real < runs.real and "one_head" not in three.real
    assert list(three.excesses("whole")) == list(runs.excesses("whole")[:3])


def test_the_three_largest_costs_are_those_of_the_summary(runs):
    assert set(runs.ranked[-3:]) == {"no_residuals", "no_scale", "no_positions"}


def test_without_warm_up_no_fewer_sentences_are_right_and_the_loss_rises_a_little(runs):
    assert runs.right("no_warm_up").value >= runs.right("whole").value
    assert 0 < runs.cost("no_warm_up").value < 0.03


def test_without_positions_about_half_of_the_sentences_are_right(runs):
    assert 0.4 < runs.right("no_positions").value < 0.6 < 0.8 < runs.right("whole").value


def test_feed_forward_holds_about_half_of_the_parameters_and_costs_little(runs):
    share = runs.shared("no_feed_forward/parameters") / runs.shared("whole/parameters")
    assert 0.45 < share < 0.55 and runs.cost("no_feed_forward").value < 0.1


def test_smoothing_costs_loss_and_no_sentences(runs):
    assert runs.cost("smoothed_labels").value > 0.1
    assert abs(runs.right("smoothed_labels").value - runs.right("whole").value) < 0.03


def test_the_missing_division_costs_much_and_depends_most_on_the_seed_among_those_that_learn(runs):
    spreads = {arm: runs.excesses(arm).std(ddof=1) for arm in runs.arms if arm != "no_residuals"}
    assert max(spreads, key=spreads.get) == "no_scale" and runs.cost("no_scale").value > 0.2


def test_one_head_and_rotary_positions_differ_little(runs):
    assert 0 < runs.cost("one_head").value < 0.06 and -0.06 < runs.cost("rotary_positions").value < 0.02
