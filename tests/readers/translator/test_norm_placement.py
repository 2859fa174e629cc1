"""What *Residuals and normalisation* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest

from attention_book.experiments.translator.norm_placement import CONFIGURATION
from attention_book.readers.translator.norm_placement import NAMES, NormPlacement
from attention_book.studies.translator.word_frequencies import frequency_loss


@pytest.fixture
def made_up():
    """Two seeds; the warm-up wins 0.5 in post-norm at the small rate, and nothing elsewhere."""

    def seed(more):
        metrics = {"floor": 0.25}
        for arm in NAMES:
            for rate, end in (("0.001", 2.0), ("0.004", 3.0)):
                loss = end + more * (arm != "pre_warm") + 0.5 * (arm == "post_cold" and rate == "0.001")
                metrics |= {f"{arm}/{rate}/loss": loss}
        return metrics

    configuration = {
        "arms": {name: {"warmup": 0.1} for name in NAMES},
        "peak_rates": [4e-3, 1e-3],
        "n_layers": 6,
        "training": {"tokens": 3000, "tokens_per_batch": 300},
    }
    return {"configuration": configuration, "seeds": {"0": seed(0.0), "1": seed(0.2)}}


def test_made_up_runs_are_read_by_hand(made_up):
    runs = NormPlacement(made_up)
    assert runs.rates == [0.001, 0.004]
    assert runs.rows()[0] == ("pre-norm, warm-up", "1.75\xa0±\xa00.00", "2.75\xa0±\xa00.00")
    assert runs.rows()[3] == ("post-norm, no warm-up", "2.35\xa0±\xa00.14", "2.85\xa0±\xa00.14")
    assert runs.won_by_warmup("post", 1e-3).value == pytest.approx(0.5)
    assert runs.won_by_warmup("post", 4e-3).value == pytest.approx(0.0)
    assert runs.won_by_warmup("pre", 1e-3).value == pytest.approx(0.1)
    assert runs.won_by_pre("warm", 1e-3).value == pytest.approx(0.1)
    assert runs.won_by_pre("cold", 1e-3).value == pytest.approx(0.5)


def test_the_arms_are_those_of_the_experiment(runs):
    assert list(NAMES) == list(runs.setting["arms"]) == list(CONFIGURATION["arms"])


def test_the_numbers_for_the_text(made_up):
    told = NormPlacement(made_up).numbers()
    assert told["warmup_post_low"] == "0.50\xa0±\xa00.00" and told["warmup_pre_high"].startswith("0.10")
    assert (told["n_steps"], told["warm_steps"]) == (10, 1)
    assert told["floor"] == 0.25
    assert (told["gap_least"], told["gap_most"]) == pytest.approx((0.0, 0.5))


def test_the_table_fits_its_header(runs):
    assert np.shape(runs.rows()) == (len(NAMES), len(runs.header()))


def test_pre_norm_learns_more_at_both_rates_with_and_without_a_warm_up(runs):
    for warmth in ("warm", "cold"):
        for rate in runs.rates:
            gain = runs.won_by_pre(warmth, rate)
            assert gain.settled and gain.value > 1


def test_at_the_large_rate_post_norm_learns_word_frequencies_and_no_more(runs):
    alone = frequency_loss(runs.setting["target"], {int(n): p for n, p in runs.setting["clauses"].items()})
    assert runs.frequencies_only() == pytest.approx(alone - runs.of("floor").mean())
    assert runs.frequency_row() == ("word frequencies only", *[f"{alone - runs.of('floor').mean():.2f}"] * 2)
    for arm in ("post_warm", "post_cold"):
        assert abs(runs.excess(arm, runs.rates[1]).value - (alone - runs.of("floor").mean())) < 0.1
        assert runs.excess(arm, runs.rates[0]).value < runs.excess(arm, runs.rates[1]).value - 0.2


def test_the_warm_up_helps_each_order_at_the_rate_that_the_page_says(runs):
    low, high = runs.rates
    assert runs.won_by_warmup("post", low).settled and runs.won_by_warmup("post", low).value > 0.1
    assert runs.won_by_warmup("pre", high).settled and runs.won_by_warmup("pre", high).value > 0.1
    assert abs(runs.won_by_warmup("post", high).value) < 0.05 and abs(runs.won_by_warmup("pre", low).value) < 0.1
