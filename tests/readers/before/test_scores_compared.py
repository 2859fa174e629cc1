"""What *Better, or lucky?*, *What looking back buys* and *Attention as alignment* say of their runs is on record."""

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import difference, over_seeds
from attention_book.little_language import language as little_language
from attention_book.readers.before.bottleneck import read as read_bottleneck
from attention_book.readers.before.scores_compared import (
    ALIGNER_HEADER,
    ALIGNERS,
    ERROR_RATE_HEADER,
    KINDS,
    SCORE_HEADER,
    WIDTH_HEADER,
    ScoresCompared,
)
from attention_book.studies.before.alignment_limits import chance_error_rate


@pytest.fixture(scope="module")
def beside(runs):
    return runs.beside(read_bottleneck())


@pytest.fixture
def made_up():
    """Two seeds; dot differs from additive by 0.5 in the loss and 0.25 in the share of right translations."""

    def seed(n):
        metrics = {"pairs": 10, "floor": [0.5, 0.5]}
        for place, kind in enumerate(ALIGNERS):
            metrics |= {f"{kind}/{what}": place / 10 + n / 50 for what in ("precision", "recall", "error_rate")}
        for kind in KINDS:
            more = 0.5 * (kind == "dot")
            metrics |= {f"{kind}/loss": [1.0 + n + more, 7.0], f"{kind}/right": [0.75 - more / 2, 0.5]}
            metrics |= {f"{kind}/parameters": 1234, f"{kind}/shifted_error_rate": 0.9, f"{kind}/largest": 0.5}
        for kind, more in (("additive", 0), ("dot", 1)):
            metrics |= {f"wide/{kind}/{w}/loss": w / 8 + more * (w - 12 + n) for w in (8, 16)}
            metrics |= {f"wide/{kind}/{w}/score_deviation": w + more + n for w in (8, 16)}
            metrics |= {f"wide/{kind}/{w}/largest": 0.25 for w in (8, 16)}
        return metrics

    configuration = {
        "groups": {"1–2": [1, 2, 1], "3–4": [3, 4, 1]},
        "longest": 2,
        "settings": {"additive": {"width": 64}},
        "widths": [8, 16],
        "training": {"tokens": 700},
        "short_training": {"tokens": 99},
        "rounds": 3,
    }
    return ScoresCompared({"configuration": configuration, "seeds": {"0": seed(0), "1": seed(1)}})


def test_about_how_many_pairs_is_said_to_three_digits(runs):
    exactly = runs.of("pairs").mean()
    assert runs.n_pairs % 100 == 0 and runs.n_pairs != exactly and abs(runs.n_pairs - exactly) <= 50


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.above_inside("dot").tolist() == [1, 2] and made_up.right_inside("dot").tolist() == [50, 50]
    assert made_up.score_rows()[1] == (
        "dot", "1,234", "1.500\xa0±\xa06.353", "50.0\xa0±\xa00.0", "−25.0\xa0±\xa00.0"
    )  # fmt: skip  # 12.706 · 0.5
    assert made_up.score_rows()[0][4] == "" and all(len(row) == len(SCORE_HEADER) for row in made_up.score_rows())
    numbers = made_up.score_numbers()
    assert numbers["less_dot"] == "−25.0\xa0±\xa00.0"
    assert numbers["before_minus_dot"] == "−0.500\xa0±\xa00.000"
    assert numbers["alone_dot"] == "1.500\xa0±\xa06.353"
    assert numbers["n_seeds"] == 2 and numbers["n_pairs"] == 10 and numbers["state_width"] == 64
    assert numbers["tokens"] == 700
    rows = made_up.aligner_rows()
    assert rows[0] == ("IBM Model 1", *["0.01\xa0±\xa00.13"] * 3, "", "")  # 12.706 · 0.01
    assert rows[3][2:] == ("0.31\xa0±\xa00.13", "0.31\xa0±\xa00.13", "0.90\xa0±\xa00.00", "0.50")
    told = made_up.aligner_numbers()
    assert told["aer_late_additive"] == "0.79\xa0±\xa00.13"  # 12.706 · 0.01
    assert told["sharp_dot"] == 0.5 and told["rounds"] == 3
    assert told["precise_general"] == pytest.approx(list(ALIGNERS).index("general") / 10 + 0.01)  # of 0 and 1/50


def test_the_best_aligner_stands_first(made_up):
    for seed in made_up.seeds:
        seed["general/error_rate"] = 0
    rows = made_up.error_rate_rows()
    assert rows[:2] == [("general", "0.00\xa0±\xa00.00"), ("IBM Model 1", "0.01\xa0±\xa00.13")]
    assert len(rows) == len(ALIGNERS) and len(rows[0]) == len(ERROR_RATE_HEADER)
    assert len(made_up.aligner_rows()[0]) == len(ALIGNER_HEADER)


def test_leads_are_told_seed_by_seed(made_up):
    made_up.seeds[1]["dot/right"] = [0.85, 0.5]
    assert made_up.lead_header == ["right, minus additive", "training 1", "training 2"]
    assert made_up.lead_rows(("dot", "concat")) == [("dot", "−25.0", "+10.0"), ("concat", "+0.0", "+0.0")]


def test_the_dots_are_what_the_intervals_are_computed_from(made_up, runs):
    assert made_up.costs(("dot", "additive before"))["dot"] == pytest.approx([0.5, 0.5])
    assert list(made_up.leads(("dot", "concat"))) == ["dot", "concat"]
    for kind in KINDS:
        assert over_seeds(runs.leads((kind,))[KINDS[kind]], "interval") == runs.less_right(kind)
        assert over_seeds(runs.costs((kind,))[KINDS[kind]], "interval") == runs.more_loss(kind)


def test_in_right_translations_general_is_open_and_asking_before_is_not(runs):
    assert not runs.less_right("general").settled and runs.less_right("additive before").settled
    assert not difference(runs.right_inside("additive before"), runs.right_inside("dot")).settled


def test_concat_is_ahead_in_four_seeds_of_five_by_luck_and_dot_behind_in_all(runs):
    concat, dot = (runs.right_inside(kind) - runs.right_inside("additive") for kind in ("concat", "dot"))
    assert (concat > 0).sum() == 4 and len(concat) == 5 and not runs.less_right("concat").settled
    assert (dot < 0).all() and runs.less_right("dot").settled


def test_made_up_widths_are_read_by_hand(made_up):
    assert made_up.grown("dot") == [9.5, 17.5]
    assert made_up.dot_costs(8).value == -3.5 and made_up.dot_costs(16).value == 4.5
    assert made_up.width_verdict(8) == "the seeds do not tell (−3.50\xa0±\xa06.35)"
    row = ("16", "2.000\xa0±\xa00.000", "6.500\xa0±\xa06.353", "+4.500\xa0±\xa06.353", "16.5", "17.5")
    assert made_up.width_rows()[1] == row and len(WIDTH_HEADER) == len(row)
    for seed in made_up.seeds:
        seed |= {"wide/dot/8/loss": 0.5, "wide/dot/16/loss": 3}
    assert made_up.width_verdict(8) == "dot is ahead (−0.50\xa0±\xa00.00)"
    assert made_up.width_verdict(16) == "additive is ahead (+1.00\xa0±\xa00.00)"


def test_dot_general_and_asking_before_are_behind_in_the_loss_and_concat_is_not_told_apart(runs):
    costs = {kind: runs.more_loss(kind) for kind in KINDS if kind != "additive"}
    assert all(costs[kind].settled and costs[kind].value > 0 for kind in ("dot", "general", "additive before"))
    assert not costs["concat"].settled


def test_pairing_makes_the_interval_of_dots_loss_less_than_half_as_wide(runs):
    assert 2 * runs.more_loss("dot").spread < over_seeds(runs.above_inside("dot"), "interval").spread


def test_asking_before_costs_more_than_any_score(runs):
    before = runs.more_loss("additive before").value
    assert before > max(runs.more_loss("dot").value, runs.more_loss("general").value)
    worst = runs.more_loss("additive before", than="dot")
    assert worst.settled and worst.value > 0


def test_both_experiments_saw_the_same_pairs_by_the_same_recipe(runs, beside):
    for name in ("drawn", "clauses", "longest", "groups", "examined", "training"):
        assert beside.alone.setting[name] == runs.setting[name]
    assert list(beside.alone.result["seeds"]) == list(runs.result["seeds"])
    assert np.allclose(beside.alone.of("floor"), runs.of("floor"))


def test_the_curves_are_those_of_attention_and_of_three_states(runs, beside):
    assert list(beside.lines()) == ["attention, states of 64", *(f"one state of {n}" for n in (64, 128, 256))]
    _, line = beside.lines()["one state of 256"]
    assert line == pytest.approx(100 * beside.alone.right("256").mean(0))
    last = runs.inside[-1]
    expected = difference(100 * runs.right("additive")[:, last], 100 * beside.alone.right("256")[:, last])
    assert beside.ahead(last) == expected
    assert beside.numbers()["fall_widest"] == pytest.approx(line[0] - line[last])
    long_attention, long_widest = (beside.numbers()[f"long_{name}"] for name in ("attention", "widest"))
    assert long_widest == pytest.approx(line[last]) and long_attention - long_widest == pytest.approx(expected.value)
    assert f"one state of 256: {line[0]:.0f} % at 4–5" in beside.told()


def test_the_lead_of_attention_in_the_loss_grows_with_length_in_every_seed(runs, beside):
    lead = beside.ahead_in_loss()
    assert (lead[:, runs.inside[-1]] > lead[:, 0]).all()


def test_model_1_is_a_better_aligner_than_every_network_in_every_seed(runs):
    assert all((runs.error_rate(kind) > runs.error_rate("ibm1")).all() for kind in KINDS)


def test_general_looks_sharply_and_one_link_in_seven_is_wrong(runs):
    numbers = runs.aligner_numbers()
    assert numbers["sharp_general"] > 0.95 and 0.8 < numbers["precise_general"] < 0.9
    assert numbers["sharp_additive"] == pytest.approx(numbers["precise_additive"], abs=0.02)  # as sure as it is right


def test_multiplied_scores_look_more_sharply_in_every_seed(runs):
    assert all((runs.largest(kind) > runs.largest("additive")).all() for kind in ("dot", "general"))


def test_every_network_aligns_far_better_than_chance(runs):
    clauses = {int(n): share for n, share in runs.setting["clauses"].items()}
    chance = chance_error_rate(little_language.sample(300, 2001, "es", clauses))
    assert all(runs.error_rate(kind).max() < chance / 2 for kind in KINDS)
    assert all(runs.shifted(kind).mean() > chance for kind in KINDS)


def test_asking_before_aligns_worst(runs):
    assert runs.error_rate_rows()[-1][0] == KINDS["additive before"]
    assert difference(runs.error_rate("additive before"), runs.error_rate("additive")).settled


def test_rows_given_to_the_word_before_err_more_in_every_seed(runs):
    assert all((runs.shifted(kind) > runs.error_rate(kind)).all() for kind in KINDS)


def test_dot_is_ahead_at_the_smaller_widths_and_behind_at_the_largest(runs):
    for width in runs.widths:
        costs = runs.dot_costs(width)
        assert costs.settled and (costs.value > 0) == (width == runs.widths[-1])


def test_after_training_the_scores_of_dot_grow_with_the_width_and_beyond_those_of_additive(runs):
    dot, additive = runs.grown("dot"), runs.grown("additive")
    assert dot == sorted(dot) and all(a > b for a, b in zip(dot, additive, strict=True))
