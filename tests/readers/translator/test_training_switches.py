"""What the pages on the habits of training say of their runs holds in the result on record."""

import math

import pytest
from scipy import stats

from attention_book.experiments.translator import training_switches as experiment
from attention_book.readers.translator import training_switches as reader

WHAT = ("loss", "seen_loss", "right", "confidence", "hit", "median_norm", "largest_norm", "averaged_loss")


@pytest.fixture
def made_up():
    """Three seeds: a measurement is the place of its arm plus a tenth of the seed; smoothing costs about 0.5."""
    seeds = {}
    for n in range(3):
        seed = {"floor": 0.2, "pairs": 140 + n}
        for place, arm in enumerate(experiment.CONFIGURATION["arms"]):
            seed |= {f"{arm}_{what}": place + n / 10 for what in (*WHAT, "averaged_right")}
            seed[f"{arm}_parameters"] = 1000 * (place + 1)
        seed["smoothed_loss"] = seed["plain_loss"] + 0.5 + 0.01 * n
        seeds[str(n)] = seed
    return reader.TrainingSwitches({"configuration": experiment.CONFIGURATION, "seeds": seeds})


def test_made_up_runs_are_read_by_hand(made_up):
    t = stats.t.ppf(0.975, 2) / 3**0.5
    mean = made_up.mean("constant", "loss")
    assert mean.value == pytest.approx(2.1) and mean.spread == pytest.approx(t * 0.1) and mean.n == 3
    cost = made_up.cost("smoothed", "plain")  # 0.50, 0.51, 0.52: the seeds themselves drop out
    assert cost.value == pytest.approx(0.51) and cost.spread == pytest.approx(t * 0.01)
    assert made_up.cost("fast", "plain", "averaged_loss", "loss").value == pytest.approx(4)
    assert made_up.mean("plain", "perplexity").value == pytest.approx((1 + math.exp(0.1) + math.exp(0.2)) / 3)
    numbers = made_up.numbers()
    assert numbers["smoothed_cost"] == f"{cost:.2f}" and numbers["n_pairs"] == 100 and numbers["n_seeds"] == 3
    assert numbers["untied_gain"] == "300.0\xa0±\xa00.0"
    assert numbers["fast_loss"] == "4.10" and numbers["few_right"] == "610\xa0%"


def test_each_table_has_a_row_per_arm_and_as_many_cells_as_its_header(made_up):
    for header, rows, first, last in (
        (made_up.dropout_header, made_up.dropout_rows(), "100 pairs", "500 pairs, dropout 0.2"),
        (made_up.worth_header, made_up.worth_rows(), "decay", "dropout"),
        (made_up.smoothing_header, made_up.smoothing_rows(), "as they are", "smoothed"),
        (made_up.tying_header, made_up.tying_rows(), "tied", "untied"),
    ):
        assert (rows[0][0], rows[-1][0]) == (first, last)
        assert {len(row) for row in rows} == {len(header)}
    (decay, averaging, clipping, dropout) = made_up.worth_rows()
    assert [row[0][0] for row in (decay[2:], averaging[2:], clipping[2:], dropout[2:])] == ["2", "2", "5", "6"]
    assert (decay[3][:4], decay[4][:5], clipping[3][:4], clipping[4][:5]) == ("0.10", "−2.00", "4.10", "−1.00")
    assert made_up.dropout_rows()[1][1].startswith("6.10") and made_up.smoothing_rows()[1][1].startswith("0.61")
    rows = [row[-3][:5] for row in (*made_up.smoothing_rows(), made_up.tying_rows()[1])]
    assert rows == ["10.0\xa0", "110.0", "310.0"]


def test_the_dots_of_averaging_lie_above_the_entropy(made_up):
    dots = made_up.averaging_dots()
    assert list(dots) == ["rate falls, last", "rate falls, average", "rate stays, last", "rate stays, average"]
    assert dots["rate stays, last"] == pytest.approx([1.8, 1.9, 2.0])
    assert "rate stays, last: 1.80, 1.90, 2.00; rate stays, average" in made_up.averaging_told()


@pytest.fixture(scope="module")
def runs():
    return reader.read()


def test_few_pairs_are_learnt_by_heart_and_dropout_helps_the_new_ones(runs):
    assert runs.n_seeds == 5 and runs.mean("few", "seen_loss").value < 0.02 < 2 < runs.mean("few", "loss").value
    assert 0.02 < runs.mean("few_dropped", "seen_loss").value < runs.mean("plain", "seen_loss").value
    for what, better in (("loss", -1), ("right", 1)):
        gain = runs.cost("few_dropped", "few", what)
        assert gain.settled and gain.value * better > 0
    assert runs.mean("few_dropped", "right").value > 2 * runs.mean("few", "right").value
    assert runs.mean("few_dropped", "right").value < runs.mean("plain", "right").value / 4


def test_the_mean_of_snapshots_helps_at_a_rate_that_stays_and_not_at_one_that_falls(runs):
    stays = runs.cost("constant", "constant", "averaged_loss", "loss")
    assert stays.settled and stays.value < 0 and runs.cost("constant", "constant", "averaged_right", "right").value > 0
    falls = runs.cost("plain", "plain", "averaged_loss", "loss")
    assert falls.settled and 0 < falls.value < 0.01
    assert runs.cost("plain", "plain", "averaged_right", "right").value < 0
    dots = runs.averaging_dots()
    assert max(dots.pop("rate stays, average")) < min(one.min() for one in dots.values())
    against = runs.cost("constant", "plain", "averaged_right", "right")
    assert against.settled and against.value > 0.05


def test_the_rate_that_fell_had_not_gone_as_far(runs):
    behind = runs.cost("plain", "constant")
    assert behind.settled and behind.value > 0
    assert not runs.cost("constant", "plain", "right").settled


def test_averaging_and_dropout_helped_and_the_other_two_did_not(runs):
    decay, averaging, clipping, dropout = (
        runs.cost("plain", "constant"),
        runs.cost("constant", "constant", "averaged_loss", "loss"),
        runs.cost("fast", "fast_unclipped"),
        runs.cost("few_dropped", "few"),
    )
    assert decay.settled and decay.value > 0 and not clipping.settled
    assert all(one.settled and one.value < 0 for one in (averaging, dropout))
    assert [row[4] for row in runs.worth_rows()] == [f"{x:+.2f}" for x in (decay, averaging, clipping, dropout)]


def test_clipping_decides_nothing_at_a_rate_that_is_too_high(runs):
    cost = runs.cost("fast_unclipped", "fast")
    assert not cost.settled and runs.of("fast_largest_norm").max() == 1
    assert 2 < runs.of("fast_unclipped_largest_norm").min() < runs.of("fast_unclipped_largest_norm").max() < 10
    assert max(runs.mean(arm, "right").value for arm in ("fast", "fast_unclipped")) < 0.02
    assert runs.cost("fast", "plain").value > 1


def test_smoothing_takes_confidence_and_loss_and_gains_no_sentences(runs):
    assert runs.cost("smoothed", "plain").settled and 0.1 < runs.cost("smoothed", "plain").value < 0.2
    sure = runs.cost("plain", "smoothed", "confidence")
    assert sure.settled and sure.value > 0.08
    assert -0.01 < runs.cost("smoothed", "plain", "hit").value < 0
    fewer = runs.cost("smoothed", "plain", "right")
    assert -0.04 < fewer.value < 0 and abs(fewer.value) == pytest.approx(fewer.spread, rel=0.02)  # at the edge
    assert runs.mean("plain", "confidence").value < runs.mean("plain", "hit").value
    assert runs.mean("few", "confidence").value > runs.mean("few", "hit").value + 0.1


def test_tied_matrices_save_two_tables_and_cost_a_little_here(runs):
    saved = runs.shared("untied_parameters") - runs.shared("plain_parameters")
    assert saved / runs.shared("untied_parameters") == pytest.approx(0.21, abs=0.01)
    assert runs.cost("untied", "plain").settled and runs.cost("untied", "plain").value < 0
    assert runs.cost("untied", "plain", "right").settled and runs.cost("untied", "plain", "right").value > 0


def test_the_few_pairs_are_met_many_times_and_the_many_about_once(runs):
    pairs = runs.setting["arms"]["few"]["pairs"]
    assert 7 < runs.setting["training"]["tokens"] / pairs / runs.passes(pairs) < 8  # target tokens of a pair
    assert 35 < runs.passes(pairs) < 45 and runs.passes(runs.n_pairs) == pytest.approx(1, abs=0.05)


def test_only_models_of_few_pairs_are_surer_than_right(runs):
    shares = runs.sure_and_right()
    surer = {name for name, (sure, right) in shares.items() if sure > right}
    assert surer == {"few pairs", "few, with dropout"} and len(shares) == 3
    assert max(sure for sure, _ in shares.values()) - min(sure for sure, _ in shares.values()) < 0.03  # equally sure
    assert max(right for _, right in shares.values()) - min(right for _, right in shares.values()) > 0.2
    assert shares["few pairs"] == (runs.of("few_confidence").mean(), runs.of("few_hit").mean())


def test_untied_is_larger_by_two_tables_of_the_vocabulary(runs):
    numbers = runs.numbers()
    more = runs.shared("untied_parameters") - runs.shared("plain_parameters")
    assert more == 2 * 64 * numbers["vocabulary"] and numbers["untied_share"] == "27\xa0%"
