"""What *How many heads?* says of its lookups holds in the result on record, and would not in another one."""

import math

import pytest

from attention_book.readers.attention.two_lookups import TwoLookups, read


@pytest.fixture(scope="module")
def lookups():
    return read()


@pytest.fixture
def made_up():
    """Two seeds; the first solves the task of symbols with one head, both with two."""

    def seed(left, right, extremes):
        losses = {f"numbers_{k}_{h}/loss": left * k for k in (1, 2) for h in (1, 4, 8, 32)}
        symbols = {"symbols_2_1/right": right, "symbols_2_1/extremes": extremes, "symbols_2_2/right": 1.0}
        symbols |= {"symbols_2_1/loss": left, "symbols_2_2/loss": 0.0}
        return {"parameters": 77} | losses | symbols

    tasks = [
        {"kind": "numbers", "lookups": 1, "heads": [1, 32]},
        {"kind": "numbers", "lookups": 2, "heads": [1, 4, 32]},
        {"kind": "symbols", "lookups": 2, "heads": [1, 2]},
    ]
    seeds = {"0": seed(0.25, 1.0, 0.75), "1": seed(0.5, 0.5, 0.25)}
    return {"configuration": {"d_model": 32, "tasks": tasks}, "seeds": seeds}


def test_a_made_up_result_is_read_by_hand(made_up):
    lookups = TwoLookups(made_up)
    one, two = "0.375\xa0±\xa00.177", "0.750\xa0±\xa00.354"  # √(1/32) and twice that
    assert lookups.rows() == [("1 × 32", one, two), ("4 × 8", "–", two), ("32 × 1", one, two)]
    told = lookups.numbers()
    assert (told["n_seeds"], told["solved_one"], told["solved_two"]) == (2, 1, 2)
    assert told["extremes"] == 75  # of the seed that has solved the task, alone
    assert (told["failed_one"], told["failed_two"]) == (1, 0)
    assert told["failed_least"] == told["failed_most"] == 0.5  # of the other seed
    made_up["seeds"]["1"]["parameters"] = 78
    with pytest.raises(ValueError):
        _ = TwoLookups(made_up).parameters


def test_every_arm_of_every_seed_has_the_same_parameters(lookups):
    assert {seed["parameters"] for seed in lookups.seeds} == {lookups.parameters}


def test_one_head_comes_down_to_its_floor_and_two_leave_nothing(lookups):
    assert abs(lookups.left(2, 1).value - 0.5) < 0.01 and lookups.left(2, 2).value < 1e-4


def test_one_seed_of_four_heads_and_two_of_eight_leave_something(lookups):
    left = sorted(seed["numbers_2_4/loss"] for seed in lookups.seeds)
    assert left[-1] > 0.2 and left[-2] < 0.01
    some_left = [sum(seed[f"numbers_2_{heads}/loss"] > 1e-3 for seed in lookups.seeds) for heads in (4, 8)]
    assert some_left == [1, 2]
    assert all(
        seed[f"numbers_2_{h}/loss"] < 1e-4 or seed[f"numbers_2_{h}/loss"] > 0.01
        for h in (4, 8)
        for seed in lookups.seeds
    )


def test_heads_of_two_numbers_lose_a_little_and_heads_of_one_number_most(lookups):
    assert all(0.04 < lookups.left(rows, 16).value < 0.1 for rows in (1, 2))
    assert all(lookups.left(rows, 32).value > 0.6 for rows in (1, 2))


def test_heads_of_one_number_leave_more_than_one_head(lookups):
    assert lookups.left(2, 32).value > lookups.left(2, 1).value
    assert lookups.left(1, 32).value > 0.5 > lookups.left(1, 1).value


def test_some_seeds_tell_two_symbols_apart_with_one_head(lookups):
    assert len(lookups.solved(1)) > 1
    assert lookups.extremes() > 0.5
    assert all(seed[f"symbols_2_{h}/right"] == 1 for h in (1, 2) for seed in lookups.solved(h))


def test_the_seeds_that_failed_lost_about_what_an_unknown_order_costs(lookups):
    assert (len(lookups.failed(1)), len(lookups.failed(2))) == (2, 1)
    assert lookups.failed(1) + lookups.failed(2) == pytest.approx([math.log(2)] * 3, abs=0.04)
