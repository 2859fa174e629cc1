"""What *Two square roots* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import difference
from attention_book.readers.attention.embedding_scale import NAMES, USUAL, EmbeddingScales


@pytest.fixture
def made_up():
    """Two seeds and two rates, of which 0.01 is better for *small* and 0.004 for the others."""

    def seed(more):
        metrics = {}
        for arm in NAMES:
            end = {USUAL: 1.0, "small": 5.0, "small_all": 2.0}.get(arm, 3.0) + more
            metrics |= {f"{arm}/first_loss": 8.0 + more, f"{arm}/position_share": 0.25}
            for rate, worse in (("0.004", arm == "small"), ("0.01", arm != "small")):
                metrics |= {
                    f"{arm}/{rate}/loss": end + worse,
                    f"{arm}/{rate}/curve": [7.0, end + worse],
                    f"{arm}/{rate}/position_share": 0.75 if worse else 0.5,
                }
        return metrics | {"floor": 0.5}

    arm = {"std": "1/√d_model", "factor": True, "small_positions": False}
    configuration = {"arms": dict.fromkeys(NAMES, arm), "peak_rates": [4e-3, 1e-2], "steps": 100, "curve_every": 50}
    return {"configuration": configuration, "seeds": {"0": seed(0.0), "1": seed(0.2)}}


def test_made_up_runs_are_read_by_hand(made_up):
    runs = EmbeddingScales(made_up)
    assert (runs.best_rate("small"), runs.best_rate(USUAL)) == (0.01, 0.004)
    assert f"{runs.last_loss('small'):.2f}" == "5.10\xa0±\xa00.14"  # √0.02
    assert runs.rows()[0] == ("A: small rows, factor", "8.0", "5.7", "8.10\xa0±\xa00.14")
    assert runs.gap_closed("small_all", "small") == pytest.approx(0.75)
    assert runs.last_share("small") == 0.5
    steps, losses = runs.loss_lines()["B: small rows, no factor"]
    assert steps.tolist() == [0, 50, 100] and losses.tolist() == pytest.approx([8.1, 7, 5.1])
    told = "B: small rows, no factor: 8.10 before training, 7.00 at step 50, 5.10 at step 100;"
    assert told in runs.losses_told()


def test_the_lengths_have_the_positions_share_on_record(runs):
    for arm in NAMES:
        word, position = runs.lengths(arm)
        assert runs.first_share(arm) == pytest.approx(position**2 / (word**2 + position**2), abs=0.01), arm


def test_the_arms_are_those_of_the_experiment(runs):
    assert list(NAMES) == list(runs.setting["arms"])


def test_sizes_at_the_start_matter_by_more_than_the_spread_and_the_usual_kind_is_best(runs):
    best = runs.last_loss(USUAL)
    for arm in NAMES:
        if arm != USUAL:
            other = runs.last_loss(arm)
            assert other.value - best.value > 2 * (other.spread + best.spread), arm


def test_small_positions_and_an_untied_output_close_most_of_their_gaps_and_not_all(runs):
    assert runs.last_loss("small_all").value < 0.7 * runs.last_loss("small").value
    assert runs.last_loss("large_untied").value < 0.7 * runs.last_loss("large").value
    for arm, bad in (("small_all", "small"), ("large_untied", "large")):
        assert 0.5 < runs.gap_closed(arm, bad) < 1


def test_the_first_loss_of_tied_large_rows_is_the_certainty_that_a_word_follows_itself(runs):
    arms = ("large", "large_times_root")
    variances = [runs.measured(f"{arm}/logit_variance").value for arm in arms]
    assert variances[1] < 1.1 * variances[0] and variances[0] == pytest.approx(64, rel=0.1)
    for arm in arms:
        assert runs.first_loss(arm).value == pytest.approx(runs.own_logit(arm).value, abs=2)
    assert 62 < runs.numbers()["own_factor"] < 64 and runs.numbers()["own_large"] < 40
    ends = (runs.of(f"{arm}/{runs.best_rate(arm):g}/loss") for arm in ("large_times_root", "small"))
    assert not difference(*ends).settled  # F and B of the page


def test_the_larger_rate_suits_both_faults_and_at_the_smaller_the_factor_too_many_is_worse_in_each_run(runs):
    low, high = sorted(runs.setting["peak_rates"])
    assert runs.best_rate("small") == runs.best_rate("large_times_root") == high
    forgetful, third = (runs.losses_at(arm, low) for arm in ("small", "large_times_root"))
    assert (third > forgetful).all()
    numbers = runs.numbers()
    assert (numbers["low_rate"], numbers["high_rate"]) == (low, high)
    assert (numbers["first_a"], numbers["first_f"]) == pytest.approx((6.96, 62.45), abs=0.01)
    assert all(runs.last_loss(USUAL).value < runs.last_loss(arm).value for arm in NAMES if arm != USUAL)


def test_the_tied_large_words_are_as_long_as_when_they_were_drawn(runs):
    assert runs.last_share("large") == pytest.approx(runs.first_share("large"), abs=0.01)
    assert runs.last_share(USUAL) < runs.first_share(USUAL) - 0.05


def test_training_hardly_mends_the_sizes_of_b_and_f(runs):
    numbers = runs.numbers()
    assert numbers["share_b_first"] == pytest.approx(100 * 32 / 33, abs=0.1)
    assert 90 < numbers["share_b_last"] < numbers["share_b_first"] - 3
    assert f"{100 * runs.first_share('large_times_root'):.1f}" == f"{numbers['share_f_last']:.1f}" == "0.8"


def test_f_falls_within_the_first_steps_to_where_b_is_and_stays_with_it(runs):
    lines = {name[0]: y for name, (_, y) in runs.loss_lines().items()}
    b, f = lines["B"], lines["F"]
    assert (f > b).all() and (f[2:] - b[2:]).max() < 0.15 and b[-1] > 3.6 * lines["A"][-1]
    first, curve = runs.of("large_times_root/first_loss"), runs.of("large_times_root/0.01/curve")
    assert (curve[:, 0] < first / 10).all()
    assert runs.numbers()["fallen_f"] == pytest.approx(100 * (1 - curve[:, 0].mean() / first.mean()))
    assert sorted(lines, key=lambda kind: lines[kind][-1]) == list("AECDBF")


def test_the_table_fits_its_header_and_the_figure_has_every_kind_from_before_the_first_step(runs):
    assert np.shape(runs.rows()) == (len(NAMES), len(runs.header()))
    assert list(runs.loss_lines()) == list(NAMES.values())
    for arm, (steps, losses) in zip(NAMES, runs.loss_lines().values(), strict=True):
        assert steps[0] == 0 and losses[0] == runs.first_loss(arm).value
        assert steps[-1] == runs.setting["steps"] and losses[-1] == pytest.approx(runs.last_loss(arm).value)
