"""What *Attention by tiles* says of time and memory holds in the result on record."""

import pytest

from attention_book.readers.beyond.tiles_timed import ARMS, HEADER, TilesTimed

WAYS = ("table", "tiles_2", "tiles_8", "torch")


def made_up():
    """Two lengths and two seeds; each way takes its own multiple of time, and causal half as long."""
    seeds = {}
    for seed in (1, 2):
        found = {}
        for n, way in enumerate(WAYS, 1):
            for arm in ARMS:
                last = 1000.0 * n * seed * (1 if arm == "all" else 0.5)
                found |= {f"{arm}_{way}_ms": [[1.0, 1.0], [last, last]], f"{arm}_{way}_bytes": [n * 1e6, n * 4e6],
                          f"{arm}_{way}_difference": [0.0, seed * 1e-7]}  # fmt: skip
        seeds[str(seed)] = found
    setting = {"lengths": [4, 8], "tiles": [2, 8]}
    return TilesTimed({"configuration": setting, "machine": {"processor": "made up"}, "seeds": seeds})


def test_made_up_times_are_read_by_hand():
    read = made_up()
    assert list(read.ways) == list(WAYS) and read.ways["tiles_8"] == "tiles of 8"
    assert read.times("all", "tiles_2").tolist() == [[1, 1, 1, 1], [2000, 2000, 4000, 4000]]
    assert read.medians("all", "tiles_2").tolist() == [1, 3000] and read.ratio("torch") == 4
    assert read.rows()[0] == ("whole table", "1.50 s (1.00 to 2.00)", "0.75 s (0.50 to 1.00)")
    assert all(len(row) == len(HEADER) for row in read.rows())
    assert read.lines()["torch's own"][1].tolist() == [4, 16] and read.largest_difference == 2e-7
    assert read.lines_told().endswith("Torch's own: 4.00 for 4, 16.0 for 8.")
    numbers = read.numbers()
    assert numbers["ratio_small"] == 2 and numbers["ratio_large"] == 3 and numbers["ratio_torch"] == 1 / 4
    assert numbers["causal_share"] == numbers["causal_table"] == 0.5 and numbers["timed_runs"] == 4
    assert numbers["memory_table"] == pytest.approx(0.004)


def test_the_whole_table_holds_three_tables_at_the_longest_length_in_single_precision(runs):
    n = runs.lengths[-1]
    assert runs.numbers()["memory_table"] * 1e9 / (4 * n**2) == pytest.approx(3, abs=0.01)  # the page says so of a head


def test_the_outputs_are_the_same_to_rounding_in_single_precision(runs):
    assert runs.largest_difference < 1e-5


def test_the_table_grows_with_the_square_and_the_others_no_faster_than_the_length(runs):
    assert runs.lengths[-1] == 2 * runs.lengths[-2] == 8192
    for way in runs.ways:
        last, end = runs.megabytes("all", way)[-2:]
        assert end / last > 3.9 if way == "table" else end / last < 2.1
    assert runs.megabytes("all", "table")[-1] > 100 * runs.megabytes("all", "tiles_256")[-1]


def test_small_tiles_are_slower_than_the_table_and_large_ones_faster(runs):
    assert runs.ratio("tiles_64") > 1.5 and runs.ratio("tiles_256") < 0.9
    assert runs.times("all", "tiles_256")[-1].max() < runs.times("all", "table")[-1].min()
    assert runs.times("all", "tiles_64")[-1].min() > runs.times("all", "table")[-1].max()


def test_torch_is_the_fastest(runs):
    others = [runs.times("all", way)[-1].min() for way in runs.ways if way != "torch"]
    assert runs.times("all", "torch")[-1].max() < min(others)


def test_the_causal_mask_costs_time_with_the_table_and_saves_almost_half_by_tiles(runs):
    numbers = runs.numbers()
    assert numbers["causal_table"] > 1 and 0.5 < numbers["causal_share"] < 0.6
