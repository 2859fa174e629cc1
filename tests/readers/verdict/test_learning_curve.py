"""What *How much data?* says holds in the result on record; how it is read, on a result made up by hand."""

import random
from itertools import pairwise

import numpy as np
import pytest
import torch

from attention_book.experiments.verdict.learning_curve import COUNTING, MEMORY, train_until_no_better
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.readers.verdict import learning_curve as reader
from attention_book.readers.verdict.learning_curve import ATTENTIVE, SHIPPED, TRANSFORMER, LearningCurve
from attention_book.training.trainer import TrainingSettings


def point(pairs, chrf, **more):
    return {
        "pairs": pairs, "chrf": chrf, "bleu": chrf / 4, "chrf_half_width": 1.0, "chrf_signature": "c",
        "bleu_signature": "b", **more,
    }  # fmt: skip


def trained(pairs, chrf, best, lowest, stopped=False):
    curve = [[100, 5.0, 4.0, 10.0], [200, 4.0, 3.5, 15.0], [300, 3.0, 3.8, 18.0], [400, 2.0, 4.2, 17.0]]
    tokens = 300 if stopped else 400
    return point(
        pairs, chrf, best_tokens=best, lowest_tokens=lowest, tokens=tokens, stopped=stopped, a_pass=pairs * 10,
        curve=curve, parameters=2_400_000,
    )  # fmt: skip


def seed(shift):
    return {
        "sentences": 9,
        "points": {
            ATTENTIVE: {
                "10": trained(10, 10 + shift, 300, 200),
                "100": trained(100, 30 + shift, 400, 400),
                "300": trained(300, 32 + shift, 400, 200),
            },
            TRANSFORMER: {
                "10": trained(10, 8.0, 300, 100, stopped=True),
                "100": trained(100, 30.0, 400, 200),
                "300": trained(300, 34.0, 400, 200),
            },
            COUNTING: {
                "10": point(10, 9.0),
                "100": point(100, 31.0),
                "300": point(300, 33.0),
                "all": point(1000, 45.0),
            },
            MEMORY: {"10": point(10, 15.0), "100": point(100, 20.0), "300": point(300, 22.0), "all": point(1000, 25.0)},
        },
    }


def system(chrf, tokens):
    made = {"parameters": 7_500_000, "tokens": tokens, "epochs": 7.3, "pairs": {"train": 1000}}
    return {"bleu": chrf / 2, "chrf": chrf, "made": made}


@pytest.fixture
def made_up():
    configuration = {
        "sizes": [10, 100, 300, "all"],
        "trained": [10, 100, 300],
        "patience": 3,
        "validated": 5,
        "translated": 4,
        "vocabulary": 300,
        "bootstrap": 9,
        "training": {"tokens": 400, "tokens_per_batch": 30, "validate_every": 100},
    }
    long = {ATTENTIVE: system(60.0, 8e6), TRANSFORMER: system(64.0, 8e6), SHIPPED: system(68.0, 2e7)}
    return LearningCurve({"configuration": configuration, "seeds": {"1": seed(0.0), "2": seed(2.0)}}, long)


def test_the_gain_is_the_slope_of_the_least_squares():
    pairs, scores = [1000, 3000, 20_000, 90_000], [10.0, 17.5, 31.0, 33.0]
    assert reader.gain_per_tenfold(pairs, scores) == pytest.approx(np.polyfit(np.log10(pairs), scores, 1)[0])
    assert reader.gain_per_tenfold([1000, 10_000, 100_000], [24, 36, 48]) == pytest.approx(12)
    for wrong, message in (([1000], "and 2 scores"), ([0, 10], "positive"), ([7, 7], "two different")):
        with pytest.raises(ValueError, match=message):
            reader.gain_per_tenfold(wrong, [1.0, 2.0])


def test_points_and_rows_hold_every_seed(made_up):
    assert made_up.sizes() == [10, 100, 300, 1000] and made_up.sizes(TRANSFORMER) == [10, 100, 300]
    assert made_up.curve(ATTENTIVE) == {10: [10, 12], 100: [30, 32], 300: [32, 34]}
    assert made_up.mean(ATTENTIVE, 100) == 31 and made_up.mean(ATTENTIVE, 100, "bleu") == 31 / 4
    rows = made_up.score_rows()
    assert all(len(row) == len(reader.SCORE_HEADER) for row in rows)
    assert rows[0] == ("10", "15.0 · 15.0", "9.0 · 9.0", "10.0 · 12.0", "8.0 · 8.0")
    assert rows[-1] == ("1,000", "25.0 · 25.0", "45.0 · 45.0", "–", "–")
    with pytest.raises(ValueError, match="not in list"):
        made_up.mean(ATTENTIVE, 1000)


def test_a_gain_is_measured_in_each_seed_and_over_the_points_asked_for(made_up):
    few = made_up.gain(TRANSFORMER, most=100)
    assert few.value == pytest.approx(22) and few.spread == 0
    assert made_up.gain(COUNTING, most=100).value == pytest.approx(22)
    assert made_up.gain(COUNTING, least=100).value == pytest.approx(reader.gain_per_tenfold([1, 3, 10], [31, 33, 45]))


def test_leads_are_within_each_seed_and_pass_where_all_agree_and_luck_is_far_smaller(made_up):
    assert made_up.leads(100, ATTENTIVE, COUNTING) == [-1.0, 1.0]
    assert made_up.leads(100, TRANSFORMER, MEMORY, "bleu") == [2.5, 2.5]
    assert made_up.largest_distance() == 2.0 and made_up.largest_distance("bleu") == 0.5
    assert made_up.passes_rule(100, TRANSFORMER, MEMORY) and made_up.passes_rule(100, TRANSFORMER, MEMORY, "bleu")
    assert not made_up.passes_rule(100, MEMORY, TRANSFORMER)
    assert not made_up.passes_rule(300, TRANSFORMER, COUNTING)  # ahead by 1 with each seed, and by luck perhaps
    for seed, lead in (("1", -0.5), ("2", 60.0)):
        made_up.result["seeds"][seed]["points"][TRANSFORMER]["100"]["chrf"] = 20.0 + lead
    assert not made_up.passes_rule(100, TRANSFORMER, MEMORY)  # far ahead on average, and not with every seed


def test_stopping_is_told_in_passes_and_by_what_was_seen_then(made_up):
    assert made_up.passes(ATTENTIVE, 10, "best_tokens") == 3.0 and made_up.passes(ATTENTIVE, 10, "lowest_tokens") == 2.0
    assert made_up.seen_at(ATTENTIVE, 10, "best_tokens", "loss") == 3.8
    assert made_up.stopped(10) == 2 and made_up.stopped(100) == made_up.stopped(300) == 0
    rows = made_up.stop_rows(ATTENTIVE)
    assert all(len(row) == len(reader.STOP_HEADER) for row in rows)
    assert rows[:2] == [("10", "2.0", "15.0", "3.0", "18.0"), ("100", "0.4", "17.0", "0.4", "17.0")]
    records, a_pass = made_up.records(TRANSFORMER, 100, place=1)
    assert len(records) == 4 and records[0] == [100, 5.0, 4.0, 10.0] and a_pass == 1000


def test_less_patience_is_looked_up_in_the_recorded_curve(made_up):
    assert made_up.patience_header(ATTENTIVE) == ("patience", "10 pairs", "100 pairs", "300 pairs")
    assert made_up.patience_rows(ATTENTIVE) == [(patience, *["18.0"] * 3) for patience in "123"]
    for seed in made_up.result["seeds"].values():
        seed["points"][ATTENTIVE]["100"]["curve"][1][3] = 9.0
    assert made_up.kept(ATTENTIVE, 100, 1) == 10.0 and made_up.kept(ATTENTIVE, 100, 2) == 18.0
    made_up.result["seeds"]["1"]["points"][TRANSFORMER]["300"]["curve"][1][3] = 9.0
    numbers = made_up.stop_numbers(10)
    assert numbers["cost_of_one"] == 4.0  # of two seeds, one stops at 10 and not at 18
    for patience in (0, 4):
        with pytest.raises(ValueError, match="from 1 to 3"):
            made_up.kept(ATTENTIVE, 10, patience)


def test_the_first_training_is_told_at_its_lowest_and_at_its_worst_loss(made_up):
    numbers = made_up.stop_numbers(10)
    assert (numbers["passes_between"], numbers["n_pairs"], numbers["n_last"]) == (1.0, 10, 300)
    assert numbers["cost_of_one"] == 0.0
    assert (numbers["lowest_passes"], numbers["lowest_loss"], numbers["lowest_chrf"]) == (2.0, 3.5, 15.0)
    assert (numbers["worst_passes"], numbers["worst_loss"], numbers["worst_chrf"]) == (4.0, 4.2, 17.0)
    assert numbers["least_given_away"] == numbers["most_given_away"] == numbers["level_given_away"] == 3.0


def test_a_climb_begins_at_the_lowest_loss_and_its_worst_comes_after_it(made_up):
    for seed in made_up.result["seeds"].values():
        seed["points"][TRANSFORMER]["10"]["curve"][0][2:] = [9.0, 30.0]
    (climb, _) = made_up.climbs(TRANSFORMER, 10)
    assert (climb.lowest[0], climb.worst[0], climb.best[0]) == (200, 400, 100)
    assert climb.gained == 2.0 and climb.given_away == 15.0
    rows = made_up.climb_rows(TRANSFORMER, 10)
    assert all(len(row) == len(reader.CLIMB_HEADER) for row in rows)
    assert rows == [(n, "3.50", "4.20", "15.0", "17.0", "30.0") for n in "12"]


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_the_rule_to_stop_is_that_of_the_experiment(patience):
    draw = random.Random(patience)
    for _ in range(6):
        scores = [float(draw.randrange(8)) for _ in range(8)]
        found = iter(scores)
        torch.manual_seed(0)
        model = Transformer(TransformerConfig.tiny(10, d_model=8, n_heads=2, n_layers=1, d_ff=8))
        settings = TrainingSettings(tokens=64, tokens_per_batch=8, validate_every=8)
        pairs = [([3, 4], [5, 6, 7])] * 10
        trainer, best = train_until_no_better(
            model, pairs, lambda model, found=found: {"validation_chrf": next(found)}, settings, patience
        )
        kept, last = reader.stop(scores, patience)
        assert len(trainer.curve) == last + 1 and best.tokens == trainer.curve[kept]["tokens"]


def test_the_largest_distance_between_seeds_is_over_all_translators(made_up):
    assert made_up.largest_distance() == 2.0
    made_up.result["seeds"]["1"]["points"][COUNTING]["300"]["chrf"] = 36.5
    assert made_up.largest_distance() == 3.5


def test_the_numbers_are_those_of_their_sizes_and_longer_trainings_stand_beside(made_up):
    assert [*made_up.long_scores()] == ["RNN with attention", "Transformer", "the book's translator"]
    assert made_up.long_scores()["the book's translator"] == (1000, 68.0, 20.0)
    numbers = made_up.numbers()
    assert [numbers[f"n_{name}"] for name in ("first", "few", "level", "last", "all")] == [10, 100, 300, 300, 1000]
    assert (numbers["behind_few"], numbers["level_transformer"], numbers["level_counting"]) == (1.0, 34.0, 33.0)
    assert numbers["passes_first"] == 4
    assert numbers["reads_first"] == 3.0 and numbers["passes_long"] == 7.3


def test_catching_up_counts_the_factors_of_ten_that_are_missing(made_up):
    line = {"10": 8.0, "100": 18.0, "300": 18 + 10 * float(np.log10(3)), "all": 28.0}
    for seed in made_up.result["seeds"].values():
        for size, chrf in line.items():
            seed["points"][COUNTING][size]["chrf"] = chrf  # 10 points per factor of ten
    numbers = made_up.catching_up()
    assert (numbers["counting_all"], numbers["book_chrf"]) == (28.0, 68.0)
    assert [numbers[f"{name}_gain"] for name in ("counting", "last")] == pytest.approx([10, 10])
    assert numbers["catch_tens"] == pytest.approx(4)
    assert [numbers[f"{name}_pairs"] for name in ("catch", "last")] == pytest.approx([10, 10])  # million
    for seed in made_up.result["seeds"].values():
        seed["points"][COUNTING]["300"]["chrf"] = 28 - 20 * float(np.log10(10 / 3))  # the last step is twice as steep
    numbers = made_up.catching_up()
    assert numbers["last_gain"] == pytest.approx(20) and numbers["last_pairs"] == pytest.approx(0.1)
    assert numbers["counting_gain"] < 20


@pytest.fixture(scope="module")
def real():
    return reader.read()


def test_counting_would_need_millions_of_pairs_and_ten_times_as_many_by_its_last_step(real):
    numbers = real.numbers()
    assert numbers["catch_pairs"] == pytest.approx(4, abs=0.5)  # the bet: about 4 million
    assert 8 < numbers["last_pairs"] / numbers["catch_pairs"] < 12


def test_with_a_thousand_pairs_counting_wins_by_far_and_a_transformer_is_about_where_the_look_up_is(real):
    assert abs(real.mean(TRANSFORMER, 1000) - real.mean(MEMORY, 1000)) < 2  # the bet: level, far from 7 behind counting
    passed = {
        (size, first, second)
        for size in real.sizes(TRANSFORMER)
        for first in reader.CURVES
        for second in reader.CURVES
        if {first, second} != {COUNTING, MEMORY} and real.passes_rule(size, first, second)
    }
    both = {(size, name, MEMORY) for size in (10_000, 30_000) for name in reader.NETWORKS}
    few = {(1000, COUNTING, TRANSFORMER), (1000, COUNTING, ATTENTIVE), (3000, COUNTING, ATTENTIVE)}
    assert passed == both | few  # the page's table
    assert all(real.passes_rule(size, COUNTING, MEMORY) for size in real.sizes())
    assert all(real.stopped(size) == 6 for size in (1000, 3000, 10_000)) and real.stopped(30_000) == 5
    assert all(min(real.leads(3000, name, MEMORY)) > 0 for name in reader.NETWORKS)


def test_the_transformer_is_level_with_counting_from_ten_thousand_pairs_on_and_not_with_three(real):
    assert all(abs(np.mean(real.leads(size, TRANSFORMER, COUNTING))) < 1.5 for size in (10_000, 30_000))
    assert real.numbers()["behind_few"] > 5


def test_by_bleu_networks_lead_counting_from_three_thousand_pairs_on(real):
    for name in reader.NETWORKS:
        assert all(min(real.leads(size, name, COUNTING, "bleu")) > 0 for size in (3000, 10_000, 30_000))
    passed = [(size, name) for size in real.sizes(TRANSFORMER) for name in reader.NETWORKS
              if real.passes_rule(size, name, COUNTING, "bleu")]  # fmt: skip
    assert passed == [(10_000, TRANSFORMER), (30_000, TRANSFORMER)]


def test_the_transformer_is_ahead_of_the_rnn_with_every_seed_and_never_by_enough(real):
    for size in (1000, 3000, 10_000, 30_000):
        assert min(real.leads(size, TRANSFORMER, ATTENTIVE)) > 0
        assert not real.passes_rule(size, TRANSFORMER, ATTENTIVE)


def test_the_seeds_that_lie_farthest_apart_are_rnns_of_which_one_stopped_at_half_of_its_budget(real):
    scores = real.scores(ATTENTIVE, 10_000)
    assert max(scores) - min(scores) == real.largest_distance()
    spent = [point["tokens"] / real.setting["training"]["tokens"] for point in real.points(ATTENTIVE, 10_000)]
    assert spent[int(np.argmin(scores))] == pytest.approx(0.5, abs=0.01) and sorted(spent)[1] > 0.8


def test_with_a_thousand_pairs_bleu_tells_nobody_apart(real):
    means = [real.mean(name, 1000, "bleu") for name in reader.CURVES]
    assert 3 < min(means) < max(means) < 6


def test_with_all_pairs_the_longer_trained_networks_are_far_ahead_of_counting(real):
    counted = real.mean(COUNTING, real.sizes()[-1])
    assert min(score for _, score, _ in real.long_scores().values()) > counted + 10


def test_every_line_rises_and_counting_and_the_look_up_are_nearly_straight(real):
    for name in reader.CURVES:
        for scores in zip(*real.curve(name).values(), strict=True):
            assert all(np.diff(scores) > 0)
    for name in (COUNTING, MEMORY):
        for scores in zip(*real.curve(name).values(), strict=True):
            x = np.log10(real.sizes(name))
            assert np.abs(np.polyval(np.polyfit(x, scores, 1), x) - scores).max() < 2.5


def test_with_three_thousand_pairs_the_translations_gain_while_the_loss_climbs(real):
    climbs = real.climbs(TRANSFORMER, 3000)
    assert len(climbs) == 3
    for climb in climbs:
        assert climb.worst[2] > climb.lowest[2] + 0.3 and climb.gained > 5
        assert climb.best[0] > climb.worst[0]  # the best ones come later still
        assert 0.27 < climb.given_away / climb.best[3] < 0.36  # about a third
    assert all(1.5 < climb.given_away < 3.5 for climb in real.climbs(ATTENTIVE, 3000))
    records, _ = real.records(TRANSFORMER, 3000)
    lowest = min(record[2] for record in records)
    assert [record[2] for record in records].count(lowest) == 1  # it will never again be so low


def test_the_lowest_loss_costs_points_with_few_pairs_and_next_to_none_from_ten_thousand_on(real):
    for size in (1000, 3000):
        assert min(climb.given_away for climb in real.climbs(TRANSFORMER, size)) > 4
    assert 0.5 < real.stop_numbers(3000)["level_given_away"] < 2  # the bet: about one
    for name in reader.NETWORKS:
        for size in (10_000, 30_000):
            assert all(climb.given_away < 2 for climb in real.climbs(name, size))
            assert abs(real.passes(name, size, "lowest_tokens") - real.passes(name, size, "best_tokens")) < 2


def test_a_patience_of_one_loses_many_points_with_many_pairs_and_three_may_be_too_little(real):
    numbers = real.stop_numbers(3000)
    kept = [real.kept(TRANSFORMER, 30_000, patience) for patience in (1, 2, 3)]
    assert numbers["cost_of_one"] == kept[2] - kept[0] > 10 and kept[2] > kept[1] > kept[0] + 5
    short, other, long = sorted(point["tokens"] for point in real.points(TRANSFORMER, 1000))
    assert 1.8 < long / other < 2.5 and other < 1.25 * short
    best = {point["tokens"]: max(record[3] for record in point["curve"]) for point in real.points(TRANSFORMER, 1000)}
    assert max(best, key=best.get) == long
    for point in real.points(TRANSFORMER, 30_000):  # up and down while the score rises
        scores = [record[3] for record in point["curve"]]
        assert sum(after < before for before, after in pairwise(scores[:16])) >= 1


def test_what_the_solutions_say_of_two_rules_and_of_patience(real):
    same, enough = set(), {}
    for size in real.sizes(TRANSFORMER):
        for seed in range(3):
            records, _ = real.records(TRANSFORMER, size, seed)
            scores, losses = [record[3] for record in records], [-record[2] for record in records]
            same |= {(size, seed + 1, n) for n in (1, 2, 3) if reader.stop(losses, n)[0] == reader.stop(scores, n)[0]}
            enough[size, seed + 1] = scores[reader.stop(scores, 1)[0]] == scores[reader.stop(scores, 3)[0]]
    assert same == set()
    assert {point for point, is_enough in enough.items() if is_enough} == {(1000, 1), (1000, 2)}
    for size in (1000, 3000):
        rnn, transformer = ([c.given_away for c in real.climbs(name, size)] for name in (ATTENTIVE, TRANSFORMER))
        assert 1.5 < np.mean(rnn) < np.mean(transformer)
