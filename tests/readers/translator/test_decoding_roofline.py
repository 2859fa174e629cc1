"""What *What limits decoding* says of limits and times holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.translator.decoding_roofline import (
    BYTES,
    HEADER,
    STEPS,
    WEIGHTS_HEADER,
    DecodingRoofline,
)
from attention_book.translation.fast.step_costs import weights_of_a_step
from attention_book.translation.translator import Translator

WEIGHTS = 4_800_512


def made_up():
    """Four batches, two seeds of one round: 100 operations per ns, 20 bytes per ns, so that 10 rows make both equal."""
    seeds = {}
    for seed in (1, 3):
        found = {"peak_gflops": [50.0 * seed], "read_sum": [[7.0], [12.0], [5.0 * seed]], "load": [seed, 9.0]}
        found["read_vector"] = [[8.0], [11.0], [10.0 * seed]]
        for weights, each in BYTES.items():
            found[f"{weights}_products_ms"] = [
                [1.0 * each * seed / 2],
                [1.5 * each * seed / 2],
                [5.0 * each * seed / 2],
                [6.0 * each * seed / 2],
            ]
            found[f"{weights}_step_ms"] = [[ms * each * seed / 2] for ms in (2.0, 3.0, 6.0, 8.0)]
        found["compiled_step_ms"] = [[ms * seed] for ms in (0.5, 0.75, 3.0, 6.0)]
        found["unskipped_step_ms"] = [[ms * seed] for ms in (0.75, 1.0, 3.0, 6.0)]
        seeds[str(seed)] = found
    setting = {"batches": [1, 4, 16, 64], "array_mb": [1, 256], "warm": 4, "steps": 3, "src_len": 12}
    return DecodingRoofline({"configuration": setting, "machine": {"processor": "made up"}, "seeds": seeds})


def test_made_up_limits_are_read_by_hand():
    read = made_up()
    assert read.peak == 100 and read.rate == 20 and read.balance == 5 and read.weights_read == WEIGHTS
    assert read.limits(1) == pytest.approx((4 * WEIGHTS / 20e6, 2 * WEIGHTS / 100e6))
    assert read.limits(64)[1] == pytest.approx(64 * read.limits(1)[1]) and read.limits(64)[0] == read.limits(1)[0]
    assert read.roof() == ([0.5, 5, 32], [10, 100, 100])
    cost = read.cost(16)
    assert cost.cached == 16 * (6 + 12) * 1536 and cost.multiply_adds == 16 * (WEIGHTS + 18 * 1536)
    intensities, reached = read.reached("compiled")
    assert intensities == [0.5, 2, 8, 32] and reached[2] == pytest.approx(2 * cost.multiply_adds / 6e6)


def test_made_up_tables_are_read_by_hand():
    read = made_up()
    assert read.rows()[0][3:] == ("1.00 ms (0.50 to 1.50)", "8.00 ms (4.00 to 12.00)")
    assert read.weights_rows()[2] == ("int8", "4.8", "1.00 ms (0.50 to 1.50)", "6.00 ms (3.00 to 9.00)")
    assert all(len(row) == len(HEADER) for row in read.rows())
    assert all(len(row) == len(WEIGHTS_HEADER) for row in read.weights_rows())
    numbers = read.numbers()
    assert (numbers["alone_ms"], numbers["four_over"], numbers["together_over"]) == (1, 1.5, 12)
    assert numbers["alone_over"] == pytest.approx(100e6 / (2 * WEIGHTS))
    assert (numbers["torch_over"], numbers["torch_last_over"], numbers["torch_sixteen_over"]) == (8, 32 / 12, 3)
    assert (numbers["unskipped_times"], numbers["torch_alone"]) == (1.5, 8)
    assert numbers["attention_share"] == pytest.approx(18 * 1536 / (WEIGHTS + 18 * 1536))
    assert (numbers["single_one"], numbers["half_one"], numbers["eight_one"]) == (4, 2, 1)
    assert (numbers["half_last_times"], numbers["eight_last_times"], numbers["written"]) == (2, 4, 6)
    assert (numbers["eight_alone"], numbers["eight_step_ms"], numbers["eight_step"]) == (4, 2, 4)
    assert numbers["bytes_ms"] == 4 * numbers["eight_bytes_ms"] == pytest.approx(4 * WEIGHTS / 20e6)
    assert (numbers["rate_small"], numbers["rate_large"], numbers["balance_batch"]) == (8, 12, 10)
    assert (numbers["roof_runs"], numbers["roof_load_most"], numbers["last_batch"]) == (2, 9, 64)


def test_the_shape_is_that_of_the_translator(runs):
    config = Translator.from_pretrained(runs.setting["translator"]).model.config
    assert weights_of_a_step(config) == runs.weights_read == WEIGHTS
    assert config.max_len == runs.config.max_len and config.n_layers == runs.config.n_layers


def test_the_headings_name_the_batches_of_the_rows(runs):
    first, last = runs.batches[0], runs.batches[-1]
    assert WEIGHTS_HEADER[2:] == (f"products, {first} row", f"products, {last} rows")


def test_one_row_is_limited_by_bytes(runs):
    by_bytes, by_arithmetic = runs.limits(1)
    assert by_bytes > 3.5 * by_arithmetic
    compiled = runs.runs_of("compiled_step_ms")[0]
    assert 0.7 < np.median(compiled) / by_bytes < 1  # less than all weights take: it does not read them all
    assert 3 * by_arithmetic < np.median(compiled)


def test_more_rows_share_the_reading_until_arithmetic_decides(runs):
    compiled, over = runs.medians("compiled", "step"), runs.numbers()["four_over"]
    assert over < 2.2 and compiled[-1] / compiled[runs.batches.index(16)] == pytest.approx(4, rel=0.15)
    assert 20 < runs.numbers()["together_over"] < 32
    by_bytes, by_arithmetic = runs.limits(64)
    assert by_arithmetic > 10 * by_bytes and 0.6 < by_arithmetic / compiled[-1] < 1


def test_a_step_that_skips_nothing_takes_longer_and_is_near_the_limit_by_bytes(runs):
    numbers = runs.numbers()
    whole = runs.medians("unskipped", "step")[0]
    assert whole == pytest.approx(numbers["bytes_ms"], rel=0.3)
    assert min(whole, numbers["bytes_ms"]) > numbers["alone_ms"] > numbers["arithmetic_ms"]
    assert (runs.runs_of("unskipped_step_ms")[0] > runs.runs_of("compiled_step_ms")[0]).mean() > 0.9
    assert 1.15 < numbers["unskipped_times"] < 1.5 and numbers["attention_share"] < 0.01


def test_the_compiled_step_stays_near_the_roof_and_that_of_torch_does_not(runs):
    roof = [min(runs.peak, runs.rate * batch / 2) for batch in runs.batches]
    shares = {steps: np.array(runs.reached(steps)[1]) / roof for steps in STEPS}
    assert shares["compiled"][0] > 1
    assert all(0.6 < share < 0.8 for share in shares["compiled"][2:])
    assert (shares["float32"] < shares["compiled"]).all() and shares["float32"].max() < 0.6
    assert runs.batches[shares["float32"].argmin()] == 4 and shares["float32"].min() < 0.15


def test_the_step_of_torch_is_mostly_products(runs):
    products, step = (runs.medians("float32", what)[0] for what in ("products", "step"))
    assert 0.7 < products / step < 1
    numbers = runs.numbers()
    assert numbers["torch_over"] > 4 and 1.3 < numbers["torch_last_over"] < 1.7
    assert numbers["torch_sixteen_over"] < 4


def test_smaller_weights_are_not_faster_as_their_bytes_promise(runs):
    single, half, eight = (runs.medians(weights, "products") for weights in BYTES)
    assert half[0] == pytest.approx(single[0], rel=0.1)  # a half was promised
    numbers = runs.numbers()
    assert 3 < numbers["eight_alone"] < 4.5 and numbers["eight_one"] > 3 * numbers["eight_bytes_ms"]
    assert single[-1] > 1.6 * half[-1] and half[-1] > 1.4 * eight[-1]  # nothing was promised
    assert 2 < numbers["eight_step"] < 3.2 and numbers["eight_step_ms"] > 1.6 * numbers["alone_ms"]


def test_small_arrays_are_read_faster_than_large_ones(runs):
    numbers = runs.numbers()
    assert numbers["rate_small"] > 1.3 * numbers["rate"] > 1.3 * 1.5 * numbers["rate_large"]
