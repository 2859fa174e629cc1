"""What *Scaling and gradients* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import Measured
from attention_book.readers.attention.jacobian_statistics import (
    ARMS,
    DRAWN,
    PICTURED,
    JacobiansOnRecord,
    rounded,
)


@pytest.fixture
def made_up():
    """Two seeds at n = 4 and 16, whose divided norms are 1/√n and 2/√n of the undivided ones."""

    def seed(factor):
        metrics = {
            "undivided/frobenius/mean": [2.0 * factor, 4.0 * factor],
            "divided/frobenius/mean": [1.0 * factor, 2.0 * factor],
            "undivided/frobenius/median": [2.0, 0.5],
            "divided/frobenius/median": [1.0, 1.0],
            "undivided/sd/mean": [0.0100 * factor, 0.02],
            "undivided/dead_share/mean": [0.25, 0.5],
            "raised/frobenius": [0.0, 0.5 * factor],
        }
        return {f"{setting}/{name}": value for setting in ("popular", "keys_8") for name, value in metrics.items()}

    configuration = {"sizes": [4, 16], "widths": [4, 16], "keys": [8], "draws": 10}
    return {"configuration": configuration, "seeds": {"1": seed(1.0), "2": seed(1.2)}}


def test_a_made_up_result_is_read_by_hand(made_up):
    runs = JacobiansOnRecord(made_up)
    assert runs.curve("undivided/frobenius/mean").tolist() == pytest.approx([2.2, 4.4])
    assert runs.change("frobenius/mean").tolist() == [0.5, 0.5]
    assert runs.change_by_weights("frobenius/mean").tolist() == [1, 2]  # times √4 and √16
    assert runs.crossing("frobenius/mean") is None
    assert runs.crossing("frobenius/median").value == pytest.approx(8)  # from ½ to 2, half-way from 4 to 16
    assert runs.raised("frobenius", 16) == pytest.approx(0.55)
    sd = runs.statistic("sd", "undivided", 4)
    assert (sd.value, sd.spread, sd.kind) == (pytest.approx(0.011), pytest.approx(0.001), "error")
    assert runs._statistic_cell("sd", "undivided", 4) == "11"
    assert runs._statistic_cell("dead_share", "undivided", 4) == "25.0\xa0%"
    assert runs.norm_times_root("undivided", 8).tolist() == pytest.approx([4.4, 17.6])


def test_a_crossing_of_the_median_that_is_not_there_is_told(made_up):
    for seed in made_up["seeds"].values():
        seed["keys_8/undivided/frobenius/median"] = [2.0, 2.0]
    runs = JacobiansOnRecord(made_up)
    assert runs.key_rows(runs.key_crossings())[0][-1] == "beyond 16"


def test_a_crossing_is_searched_for_between_the_widths_around_it(runs):
    asked = []

    def search(*where):
        asked.append(where)
        return Measured(81.6, 1.2, "error", 9)

    rows = runs.key_rows(runs.key_crossings(search))
    assert asked == [(8, 64, 128), (64, 256, 512)]
    assert [row[-1] for row in rows] == ["82\xa0±\xa01", "82\xa0±\xa01", "beyond 512"]


def test_a_crossing_that_is_read_off_is_told_to_two_digits():
    assert [rounded(place) for place in (1327.3, 219.1, 76.3)] == ["1,300", "220", "76"]


def test_the_division_lowers_spread_range_and_mean_size_at_every_n(runs):
    for name in ("frobenius", "mean_size", "range", "variance"):
        assert (runs.change(f"{name}/mean") < 1).all(), name


def test_the_division_raises_the_median_entry_at_every_n(runs):
    assert (runs.change("median/mean") > 1).all()


def test_the_division_raises_the_entropy_in_every_draw_and_the_dead_share_in_none(runs):
    assert (runs.values("raised/entropy") == 1).all()
    assert not runs.values("raised/dead_share").any()


def test_the_means_never_cross_nor_does_the_median_entry(runs):
    for name in ("frobenius/mean", "median/median", "mean_size/mean"):
        assert runs.crossing(name) is None, name


def test_the_mean_norm_does_not_cross_for_any_number_of_keys(runs):
    assert [runs.crossing("frobenius/mean", f"keys_{n}") for n in runs.keys] == [None] * 3


def test_the_typical_undivided_norm_falls_below_where_n_exceeds_a_thousand(runs):
    assert 1000 < runs.crossing("frobenius/median").value < 2000


def test_no_standard_error_is_larger_than_its_mark(runs):
    """A mark is 4 points wide, and a power of ten takes 27 points of the axis."""
    for name in DRAWN.values():
        values = runs.values(name)
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        assert (27 * np.log10(1 + error / values.mean(axis=0)) < 4).all(), name


def test_the_divided_weights_alone_raise_the_mean_size_at_every_n(runs):
    assert (runs.change_by_weights("mean_size/mean") > 1).all()


def test_the_divided_weights_alone_raise_the_mean_norm_of_few_keys_and_lower_that_of_many(runs):
    raised = runs.change_by_weights("frobenius/mean") > 1
    assert dict(zip(runs.sizes, raised, strict=True)) == {n: n <= 16 for n in runs.sizes}


def test_undivided_norms_approach_their_limit_from_below_and_divided_ones_have_settled(runs):
    for n in runs.keys:
        undivided, divided = (runs.norm_times_root(arm, n) for arm in ARMS)
        assert undivided[-2] < undivided[-1] and runs.short_of_the_limit(n) > 0
        assert divided[-1] == pytest.approx(divided[-2], rel=0.01)


def test_the_tables_fit_their_headers(runs):
    assert np.shape(runs.statistic_rows()) == (2 * len(PICTURED), len(runs.statistic_header()))
    assert np.shape(runs.key_rows(dict.fromkeys(runs.keys))) == (len(runs.keys), len(runs.key_header()))
    assert np.shape(runs.factor_rows()) == (7, 5)
    assert len(runs.norms_told().split(": ")) == 4  # three lines
