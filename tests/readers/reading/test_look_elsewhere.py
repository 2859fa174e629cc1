"""What *Is attention an explanation?* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest
from scipy import stats

from attention_book.readers.reading import look_elsewhere as reader


def made_up(away=(0.02, 0.04, 0.03), words=("mi", "gato", ".", "</s>")):
    """Three seeds; the model pushed away loses 0.01 nats per token more, or what is asked for."""
    losses = {"first": [0.01, 0.03, 0.02], "again": [0.01, 0.03, 0.02], "away": list(away), "even": [0.5, 0.7, 0.6]}
    seeds = {}
    for n in range(3):
        rows = np.eye(len(words), 9)
        looks = {"first": {"words": list(words), "weights": rows.tolist()}}
        looks["away"] = {"words": list(words) if n else ["tu", *words[1:]], "weights": np.roll(rows, 1, 1).tolist()}
        seeds[str(n)] = {"looks": looks, "floor": 0.0, "first/counted": 12} | {
            f"{arm}/{what}": value
            for arm, values in losses.items()
            for what, value in (
                ("loss", values[n]), ("right", 0.9), ("own", 0.25), ("others", 0.5), ("own_weight", 0.4),
                ("weights", 0.75), ("predictions", 0.1), ("same_top", 0.5),
            )
        }  # fmt: skip
        seeds[str(n)] |= {"first/loss_even": 1.5 + n, "first/loss_again": 1.0, "first/loss_away": 2.0}
        seeds[str(n)] |= {"away/loss_first": 2.0}
    setting = {"arms": {arm: {"push": 1.0} for arm in losses}, "examined": 7, "trained": 9, "margin": 0.05}
    setting |= {"training": {"tokens": 1000}, "example": "My cat sees a white cat now."}
    return reader.LookElsewhere({"configuration": setting, "seeds": seeds})


def test_the_interval_of_a_gap_decides_whether_two_are_equal():
    runs = made_up()
    assert runs.gap("away").value == pytest.approx(0.01) and runs.gap("away").spread == pytest.approx(0, abs=1e-12)
    assert runs.equal("away") and runs.equal("again") and not runs.equal("even")
    wide = made_up(away=(0.01, 0.07, 0.02))
    assert wide.gap("away").spread == pytest.approx(stats.t.ppf(0.975, 2) * np.std([0, 0.04, 0], ddof=1) / 3**0.5)
    assert abs(wide.gap("away").value) < 0.05 and not wide.equal("away")


def test_rows_and_numbers_are_read_by_hand():
    runs = made_up()
    assert len({len(row) for row in runs.rows()} | {len(runs.header)}) == 1 and runs.rows()[0][3:] == ("", "")
    assert [row[0] for row in runs.rows()] == [reader.LABELS[arm] for arm in runs.setting["arms"]]
    assert runs.rows()[2][3] == "0.750\xa0±\xa00.000" and runs.rows()[0][2] == "90.0\xa0±\xa00.0\xa0%"
    assert runs.teller_rows()[1][1:] == ("0.40\xa0±\xa00.00", "25\xa0±\xa00\xa0%", "50\xa0±\xa00\xa0%")
    numbers = runs.numbers()
    assert numbers["margin_share"] == pytest.approx(4.877, abs=1e-3) and numbers["n_counted"] == 12
    assert numbers["cost_first_even"].startswith("2.48\xa0±") and numbers["away_others"] == "50"
    assert numbers["gap_away"].startswith("+0.010")


def test_the_looks_are_of_the_first_seed_with_one_translation():
    looks = made_up().looks()
    assert list(looks) == ["the first", "pushed away"]
    assert looks["the first"].target == ["mi", "gato"] and looks["the first"].source[0] == "my"
    assert looks["pushed away"].weights.argmax(axis=1).tolist() == [1, 2]
    alone = made_up(words=("mi", "gato", ".", "</s>"))
    for seed in alone.result["seeds"].values():
        seed["looks"]["away"]["words"] = ["tu"]
    with pytest.raises(ValueError, match="in no seed"):
        alone.looks()


@pytest.fixture(scope="module")
def runs():
    return reader.read()
