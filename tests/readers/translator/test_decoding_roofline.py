"""What *What limits decoding* says of limits and times holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.translator.decoding_roofline import BYTES, HEADER, WEIGHTS_HEADER, DecodingRoofline
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
        seeds[str(seed)] = found
    setting = {"batches": [1, 2, 16, 64], "array_mb": [1, 256], "warm": 4, "steps": 3, "src_len": 12}
    return DecodingRoofline({"configuration": setting, "machine": {"processor": "made up"}, "seeds": seeds})


def test_made_up_limits_are_read_by_hand():
    read = made_up()
    assert read.peak == 100 and read.rate == 20 and read.balance == 5 and read.weights_read == WEIGHTS
    assert read.limits(1) == pytest.approx((4 * WEIGHTS / 20e6, 2 * WEIGHTS / 100e6))
    assert read.limits(64)[1] == pytest.approx(64 * read.limits(1)[1]) and read.limits(64)[0] == read.limits(1)[0]
    assert read.roof() == ([0.5, 5, 32], [10, 100, 100])
    intensities, reached = read.reached("products")
    assert intensities == [0.5, 1, 8, 32] and reached[0] == pytest.approx(2 * WEIGHTS / 4e6)
    cost = read.cost(16)
    assert cost.cached == 16 * (6 + 12) * 1536 and cost.multiply_adds == 16 * (WEIGHTS + 18 * 1536)


def test_made_up_tables_are_read_by_hand():
    read = made_up()
    assert read.rows()[0][3:] == ("4.00 ms (2.00 to 6.00)", "8.00 ms (4.00 to 12.00)")
    assert read.weights_rows()[2] == ("int8", "4.8", "1.00 ms (0.50 to 1.50)", "6.00 ms (3.00 to 9.00)")
    assert all(len(row) == len(HEADER) for row in read.rows())
    assert all(len(row) == len(WEIGHTS_HEADER) for row in read.weights_rows())
    numbers = read.numbers()
    assert numbers["eight_alone"] == 4 and numbers["rate_small"] == 8
    assert numbers["step_ratio"] == 4 and numbers["roof_runs"] == 2 and numbers["roof_load_most"] == 9
    assert numbers["rate_large"] == 12 and numbers["balance_batch"] == 10
    assert (numbers["two_over"], numbers["sixteen"], numbers["sixteen_over"]) == (1.5, 16, 5)
    assert read.over_one("float32", 16).tolist() == [5, 5]
    read.result["seeds"]["1"]["float32_products_ms"][1] = [5.0]  # one row took 2 ms in this round
    numbers = read.numbers()
    assert (numbers["all_rounds"], numbers["unshared"], numbers["half_less"]) == (2, 1, 0)
    assert (numbers["half_one"], numbers["half_two"], numbers["eight_one"], numbers["eight_two"]) == (2, 3, 1, 1.5)


def test_the_shape_is_that_of_the_translator(runs):
    config = Translator.from_pretrained(runs.setting["translator"]).model.config
    assert weights_of_a_step(config) == runs.weights_read == WEIGHTS
    assert config.max_len == runs.config.max_len and config.n_layers == runs.config.n_layers


def test_the_headings_name_the_batches_of_the_rows(runs):
    first, last = runs.batches[0], runs.batches[-1]
    assert WEIGHTS_HEADER[2:] == (f"products, {first} row", f"products, {last} rows")


def test_one_row_is_limited_by_bytes(runs):
    by_bytes, by_arithmetic = runs.limits(1)
    assert by_bytes > 10 * by_arithmetic
    assert 0.7 < runs.medians("float32", "products")[0] / by_bytes < 1.4


def test_many_rows_are_limited_by_arithmetic(runs):
    by_bytes, by_arithmetic = runs.limits(64)
    assert by_arithmetic > 3 * by_bytes and 0.6 < by_arithmetic / runs.medians("float32", "products")[-1] < 1
    assert runs.medians("float32", "step")[-1] < 8 * runs.medians("float32", "step")[0]
    numbers, last = runs.numbers(), [runs.medians("float32", what)[-1] for what in ("products", "step")]
    assert 0.25 < 1 - last[0] / last[1] < 0.45 and numbers["sixteen"] == 16 and numbers["sixteen_over"] < 6


def test_in_between_neither_limit_is_reached(runs):
    products = runs.medians("float32", "products")
    over = [time / max(runs.limits(batch)) for batch, time in zip(runs.batches, products, strict=True)]
    assert max(over) > 2 and 0 < over.index(max(over)) < len(over) - 1
    assert max(runs.limits(2)) == max(runs.limits(1))
    assert runs.numbers()["two_over"] > 2  # no faster than one after the other
    two = runs.two_numbers()
    assert (two["all_rounds"], two["unshared"]) == (12, 9)
    over = np.sort(runs.over_one("float32", 2))
    assert over[0] > 1.2 and over[2] < 1.5 and over[3] > 2 and over[-1] < 2.5  # two kinds of rounds, and none between
    assert two["half_two"] < 0.85 * two["half_one"] and two["half_less"] == 10
    assert abs(two["eight_two"] / two["eight_one"] - 1) < 0.06  # in int8 the limit is right
    assert max(runs.limits(16)) < 1.2 * max(runs.limits(1)) and runs.numbers()["sixteen_over"] > 3


def test_smaller_weights_are_not_as_much_faster_as_they_are_smaller(runs):
    numbers = runs.numbers()
    single, half, eight = (runs.medians(weights, "products") for weights in ("float32", "bfloat16", "int8"))
    assert half[0] > 1.5 * single[0] and 1.1 < numbers["eight_alone"] < 2
    assert f"{single[-1] / half[-1]:.1f}" == f"{single[-1] / eight[-1]:.1f}" and single[-1] / eight[-1] > 1.3
    slower = runs.runs_of("bfloat16_products_ms")[0].min() > np.median(runs.runs_of("float32_products_ms")[0])
    assert slower
    rounds = {weights: runs.runs_of(f"{weights}_products_ms")[0] for weights in BYTES}
    assert (rounds["int8"] < rounds["float32"]).all() and (rounds["float32"] < rounds["bfloat16"]).all()


def test_small_arrays_are_read_faster_than_large_ones(runs):
    numbers = runs.numbers()
    assert numbers["rate_small"] > 3 * numbers["rate"] > 3 * numbers["rate_large"]
