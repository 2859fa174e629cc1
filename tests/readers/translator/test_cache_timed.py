"""What *Fast decoding* says of time holds in the result on record."""

import pytest

from attention_book.models.config import TransformerConfig
from attention_book.readers.translator.cache_timed import NAMES, CacheTimed
from attention_book.translation.fast.step_costs import sentence_multiply_adds


def made_up():
    """Two lengths, two batches and two seeds; the n-th way takes n times as long, and half of it in the second seed."""
    seeds = {}
    for seed in (1, 2):
        found = {"load": [seed, 3.0]}
        for batch in (1, 4):
            for n, way in enumerate(reversed(NAMES), 1):
                found[f"{batch}/{way}_ms"] = [[8.0 * n * batch / seed], [80.0 * n * batch / seed]]
                found[f"{batch}/{way}_difference"] = [0.0, seed * 1e-6]
        seeds[str(seed)] = found
    setting = {"lengths": [4, 8], "batches": [1, 4], "src_len": 5}
    return CacheTimed({"configuration": setting, "machine": {"processor": "made up"}, "seeds": seeds})


def test_made_up_times_are_read_by_hand():
    read = made_up()
    assert read.times(4, "own").tolist() == [[64, 32], [640, 320]] and read.medians(4, "own").tolist() == [48, 480]
    assert read.saved(1).tolist() == [4, 4] and read.largest_difference == 2e-6 and read.load == (1, 3)
    assert read.longest == (8, 5)
    assert read.rows()[0] == ("nothing", "240 ms (160 to 320)", "960 ms (640 to 1,280)")
    assert all(len(row) == len(read.header) for row in read.rows()) and len(read.rows()) == len(NAMES)
    lines = read.lines()
    assert lines["cache, batch 4"][1].tolist() == [1.5, 7.5] and lines["no cache, batch 1"][1].tolist() == [6, 30]
    assert read.lines_told().endswith("Cache, batch 4: 1.50 for 4, 7.50 for 8.")
    numbers = read.numbers()
    assert numbers["saved_alone"] == 4 and numbers["timed_runs"] == 2
    assert (numbers["saved_own"], numbers["saved_source"]) == (4 / 2, pytest.approx(4 / 3))


def test_the_ways_give_the_same_probabilities_to_rounding(runs):
    assert runs.largest_difference < 1e-4


@pytest.mark.parametrize("batch", [1, 16])
def test_with_both_caches_a_token_takes_the_same_at_every_length_and_without_it_takes_longer(runs, batch):
    with_cache, without = (runs.medians(batch, way) / runs.lengths for way in ("both", "nothing"))
    assert with_cache.max() / with_cache.min() < 1.4
    assert without[-1] / without[0] > 1.7 and (runs.saved(batch) > 1.1).all()


def test_the_saving_grows_with_the_length_and_the_batch_and_stays_below_that_of_the_arithmetic(runs):
    work = [sentence_multiply_adds(TransformerConfig.small(), 64, 12, kept, kept) for kept in (False, True)]
    assert runs.saved(1)[-1] > runs.saved(1)[0] and runs.saved(16)[-1] > runs.saved(16)[0]
    assert 1.5 * runs.saved(1)[-1] < runs.saved(16)[-1] < work[0] / work[1] / 2


def test_the_cache_of_the_target_matters_more_than_that_of_the_source(runs):
    for batch in runs.batches:
        times = {way: runs.times(batch, way)[-1] for way in NAMES}
        assert times["own"].max() < times["source"].min()
        assert runs.medians(batch, "source")[-1] > 0.9 * runs.medians(batch, "nothing")[-1]
