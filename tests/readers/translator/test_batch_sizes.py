"""What *Batches* says of its runs holds in the result on record, and would not in another one."""

from itertools import pairwise

import numpy as np
import pytest

from attention_book.experiments.records import recorded
from attention_book.experiments.translator.batch_sizes import CONFIGURATION
from attention_book.readers.translator import batch_sizes
from attention_book.readers.translator.batch_sizes import BatchSizes


@pytest.fixture
def made_up():
    """Two seeds; the second loses 0.2 more everywhere, and its floor is 0.1 higher."""

    def seed(more, floor):
        loss = [[1.0, 2.0], [3.0, 1.5], [4.0, 3.5]]
        return {
            "floor": floor,
            "loss": [[value + more for value in row] for row in loss],
            "steps": [40, 20, 10],
            "processor_seconds": [8.0 + more, 4.0, 2.0],
        }

    configuration = {"sizes": [10, 20, 40], "rates": [1e-3, 2e-3], "training": {"tokens": 400}}
    return BatchSizes({"configuration": configuration, "seeds": {"0": seed(0.0, 0.5), "1": seed(0.2, 0.6)}})


@pytest.fixture(scope="module")
def runs():
    return batch_sizes.read()


def test_made_up_runs_are_read_by_hand(made_up):
    assert [made_up.best_rate(size) for size in made_up.sizes] == [1e-3, 2e-3, 2e-3]
    assert made_up.excess(10, 1e-3).value == pytest.approx(0.55)
    assert made_up.excess(10, 1e-3).spread == pytest.approx(0.1 / np.sqrt(2))
    assert made_up.won(10, 20).value == pytest.approx(0.5) and made_up.won(20, 10).value == pytest.approx(-0.5)
    assert made_up.rows()[1] == ("20", "20", "0.002", "1.05\xa0±\xa00.07", "4.0\xa0±\xa00.0")
    assert "40 tokens per batch: 3.55 at 0.001, 3.05 at 0.002." in made_up.lines_told()
    told = made_up.numbers()
    assert (told["large_rate"], told["n_tokens"]) == ("0.002", 400)


def test_the_sizes_and_rates_are_those_of_the_experiment(runs):
    assert (runs.sizes, runs.rates) == (CONFIGURATION["sizes"], CONFIGURATION["rates"])
    assert np.shape(runs.rows()) == (len(runs.sizes), len(runs.HEADER))


def test_at_equal_tokens_each_smaller_batch_loses_less(runs):
    for size, other in pairwise(runs.sizes):
        won = runs.won(size, other)
        assert won.settled and won.value > 0.4


def test_no_best_rate_stands_at_an_end_and_the_largest_batch_wants_a_larger_one(runs):
    best = [runs.best_rate(size) for size in runs.sizes]
    assert all(runs.rates[0] < rate < runs.rates[-1] for rate in best)
    assert best == sorted(best) and best[0] < best[-1]
    small, large = runs.sizes[0], runs.sizes[-1]
    assert runs.excess(small, best[-1]).value > 3 * runs.excess(small, best[0]).value
    middle = runs.excess(runs.sizes[1], best[-1])
    assert abs(runs.excess(small, best[-1]).value - middle.value) < middle.spread  # no lead is left
    worse = difference_by_rate(runs, large, best[0], best[-1])
    assert worse.min() > 0  # in every seed


def difference_by_rate(runs, size, rate, better):
    row = runs.losses[:, runs.sizes.index(size)]
    return row[:, runs.rates.index(rate)] - row[:, runs.rates.index(better)]


def test_the_small_batches_cost_the_processor_more_and_have_more_updates(runs):
    seconds = [runs.seconds(size).value for size in runs.sizes]
    assert seconds == sorted(seconds, reverse=True) and 2 < seconds[0] / seconds[-1] < 4
    assert runs.updates(runs.sizes[0]) > 8 * runs.updates(runs.sizes[-1])


def test_the_shipped_translators_batches_were_nearly_full_of_target_tokens():
    told = batch_sizes.shipped_batches()
    budget = recorded("en-es")["settings"]["tokens_per_batch"]
    assert 0.9 * budget < told["real_tokens"] < budget
