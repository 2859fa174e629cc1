"""What *How much data?* says holds in the result on record; how it is read, on a result made up by hand."""

import random

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
            },
            TRANSFORMER: {
                "10": trained(10, 8.0, 300, 100, stopped=True),
                "100": trained(100, 30.0, 400, 200),
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
        "trained": [10, 100],
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
    assert made_up.sizes() == [10, 100, 300, 1000] and made_up.sizes(TRANSFORMER) == [10, 100]
    assert made_up.curve(ATTENTIVE) == {10: [10, 12], 100: [30, 32]}
    assert made_up.mean(ATTENTIVE, 100) == 31 and made_up.step(TRANSFORMER, 10, 100) == 22
    rows = made_up.score_rows()
    assert all(len(row) == len(reader.SCORE_HEADER) for row in rows)
    assert rows[0] == ("10", "15.0 · 15.0", "9.0 · 9.0", "10.0 · 12.0", "8.0 · 8.0")
    assert rows[-1] == ("1,000", "25.0 · 25.0", "45.0 · 45.0", "–", "–")
    with pytest.raises(ValueError, match="not in list"):
        made_up.mean(ATTENTIVE, 300)


def test_a_gain_is_measured_in_each_seed_and_over_the_points_asked_for(made_up):
    assert made_up.gain(TRANSFORMER).value == pytest.approx(22) and made_up.gain(TRANSFORMER).spread == 0
    assert made_up.gain(COUNTING, most=100).value == pytest.approx(22)
    assert made_up.gain(COUNTING, least=100).value == pytest.approx(reader.gain_per_tenfold([1, 3, 10], [31, 33, 45]))


def test_leads_are_within_each_seed_and_two_seeds_settle_only_what_hardly_varies(made_up):
    assert made_up.leads(100, ATTENTIVE, COUNTING) == [-1.0, 1.0] and not made_up.settled(100, ATTENTIVE, COUNTING)
    assert made_up.leads(100, TRANSFORMER, MEMORY) == [10.0, 10.0] and made_up.settled(100, TRANSFORMER, MEMORY)
    assert made_up.ahead(ATTENTIVE, MEMORY) == [100] and made_up.ahead(COUNTING, MEMORY) == [100, 300, 1000]
    assert made_up.ahead(ATTENTIVE, COUNTING) == [10]


def test_stopping_is_told_in_passes_and_by_what_was_seen_then(made_up):
    assert made_up.passes(ATTENTIVE, 10, "best_tokens") == 3.0 and made_up.passes(ATTENTIVE, 10, "lowest_tokens") == 2.0
    assert made_up.seen_at(ATTENTIVE, 10, "best_tokens", "loss") == 3.8
    assert made_up.lost_at_lowest(ATTENTIVE, 10) == [3.0, 3.0]
    assert made_up.stopped(10) == 2 and made_up.stopped(100) == 0
    rows = made_up.stop_rows(ATTENTIVE)
    assert all(len(row) == len(reader.STOP_HEADER) for row in rows)
    assert rows == [("10", "2.0", "15.0", "3.0", "18.0"), ("100", "0.4", "17.0", "0.4", "17.0")]
    records, a_pass = made_up.records(TRANSFORMER, 100, place=1)
    assert len(records) == 4 and records[0] == [100, 5.0, 4.0, 10.0] and a_pass == 1000


def test_less_patience_is_looked_up_in_the_recorded_curve(made_up):
    assert made_up.patience_header(ATTENTIVE) == ("patience", "10 pairs", "100 pairs")
    assert made_up.patience_rows(ATTENTIVE) == [(patience, "18.0", "18.0") for patience in "123"]
    for seed in made_up.result["seeds"].values():
        seed["points"][ATTENTIVE]["100"]["curve"][1][3] = 9.0
    assert made_up.kept(ATTENTIVE, 100, 1) == 10.0 and made_up.kept(ATTENTIVE, 100, 2) == 18.0
    for patience in (0, 4):
        with pytest.raises(ValueError, match="from 1 to 3"):
            made_up.kept(ATTENTIVE, 10, patience)


def test_the_first_training_is_told_at_its_start_and_at_its_worst_loss(made_up):
    numbers = made_up.stop_numbers()
    assert (numbers["first_passes"], numbers["first_loss"], numbers["first_chrf"]) == (1.0, 4.0, 10.0)
    assert (numbers["worst_passes"], numbers["worst_loss"], numbers["worst_chrf"]) == (4.0, 4.2, 17.0)
    assert numbers["second_chrf"] == 15.0
    assert numbers["gained"] == "2.0 and 2.0" and numbers["given_away"] == "3.0 and 3.0"
    assert numbers["lost_at_lowest"] == "3.0 and 3.0" and numbers["least_given_away"] == numbers["most_lost"] == 3.0


def test_a_climb_begins_at_the_second_validation_and_looks_only_forward(made_up):
    for seed in made_up.result["seeds"].values():
        seed["points"][TRANSFORMER]["10"]["curve"][0][2:] = [9.0, 30.0]
    (climb, _) = made_up.climbs(TRANSFORMER, 10)
    assert (climb.start[0], climb.worst[0], climb.best[0]) == (200, 400, 300)
    assert climb.gained == 2.0 and climb.given_away == 3.0
    assert made_up.climbs(TRANSFORMER, 10, first=0)[0].gained == 0.0
    rows = made_up.climb_rows(TRANSFORMER, 10)
    assert all(len(row) == len(reader.CLIMB_HEADER) for row in rows)
    assert rows == [(n, "3.50", "4.20", "15.0", "17.0", "18.0") for n in "12"]
    for place in (-1, 4):
        with pytest.raises(ValueError, match="none at the place"):
            made_up.climbs(TRANSFORMER, 10, first=place)


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
    numbers = made_up.numbers()
    assert (numbers["least_bleu"], numbers["most_bleu"]) == (2.0, 3.75)


def test_longer_trainings_stand_beside(made_up):
    assert [*made_up.long_scores()] == ["RNN with attention", "Transformer", "the book's translator"]
    assert made_up.long_scores()["the book's translator"] == (1000, 68.0, 20.0)
    numbers = made_up.numbers()
    assert numbers["passes_first"] == 4 and numbers["counting_step"] == 22 and numbers["long_shipped"] == 68.0


@pytest.fixture(scope="module")
def real():
    return reader.read()


def test_counting_wins_by_far_with_a_thousand_pairs_and_networks_are_about_where_the_look_up_is(real):
    for name in (*reader.NETWORKS, MEMORY):
        assert min(real.leads(1000, COUNTING, name)) > 2 * real.largest_distance()
    assert all(abs(real.mean(name, 1000) - real.mean(MEMORY, 1000)) < 3 for name in reader.NETWORKS)
    assert abs(real.mean(TRANSFORMER, 1000) - real.mean(MEMORY, 1000)) < 0.3  # the bet: level
    numbers = real.numbers()
    assert 3 < numbers["least_bleu"] < numbers["most_bleu"] < 6


def test_with_ten_thousand_pairs_chrf_and_bleu_disagree_on_counting_and_agree_on_the_look_up(real):
    for name in reader.NETWORKS:
        assert min(real.leads(10_000, COUNTING, name)) > 2 * real.largest_distance()
        assert min(real.leads(10_000, name, MEMORY)) > 2 * real.largest_distance()
        bleu = [real.scores(one, 10_000, "bleu") for one in (name, COUNTING, MEMORY)]
        assert min(bleu[0]) > max(bleu[1]) > min(bleu[1]) > max(bleu[2])


def test_with_all_pairs_the_longer_trained_networks_are_far_ahead_of_counting(real):
    numbers = real.numbers()
    assert min(numbers["long_rnn"], numbers["long_transformer"]) > numbers["counting_all"] + 10


def test_every_rise_is_larger_than_what_seeds_do_and_only_two_of_them_are_told_from_countings(real):
    rises = {
        name: [end - start for start, end in zip(*(real.scores(name, size) for size in (1000, 10_000)), strict=True)]
        for name in reader.CURVES
    }
    assert all(min(rise) > 2 * real.largest_distance() for rise in rises.values())
    steps = {name: np.mean(rise) for name, rise in rises.items()}
    assert 0.4 < steps[MEMORY] / steps[COUNTING] < 0.6
    more = np.subtract(rises[ATTENTIVE], rises[COUNTING])
    assert more.min() > 0 and more.mean() > 2 * real.largest_distance()
    assert abs(steps[TRANSFORMER] - steps[COUNTING]) < 2 * real.largest_distance()
    assert np.subtract(rises[TRANSFORMER], rises[COUNTING]).min() > 0


def test_the_networks_cannot_be_told_apart_with_ten_thousand_pairs(real):
    assert abs(np.mean(real.leads(10_000, TRANSFORMER, ATTENTIVE))) < 2 * real.largest_distance()


def test_counting_and_the_look_up_are_nearly_straight(real):
    for name in (COUNTING, MEMORY):
        for scores in zip(*real.curve(name).values(), strict=True):
            x = np.log10(real.sizes(name))
            assert np.abs(np.polyval(np.polyfit(x, scores, 1), x) - scores).max() < 2.5


def test_with_few_pairs_the_lowest_loss_comes_long_before_the_best_translations(real):
    for name in reader.NETWORKS:
        assert all(point["lowest_tokens"] < 0.6 * point["best_tokens"] for point in real.points(name, 1000))
        assert np.mean(real.lost_at_lowest(name, 1000)) > 2
    assert np.mean(real.lost_at_lowest(TRANSFORMER, 1000)) > real.step(TRANSFORMER, 1000, 10_000) / 2
    assert max(np.mean(real.lost_at_lowest(name, 10_000)) for name in reader.NETWORKS) < 0.5
    for point in real.points(TRANSFORMER, 1000):
        losses = [record[2] for record in point["curve"]]
        assert losses.index(min(losses)) < 2 and min(losses[2:]) > min(losses)  # it never comes back
        assert max(losses) - 0.4 < losses[-1] < max(losses) - 0.1  # though it falls at the end
    for name in reader.NETWORKS:
        assert all(point["lowest_tokens"] > 0.75 * point["tokens"] for point in real.points(name, 10_000))


def test_a_patience_of_one_loses_points_and_two_nearly_none(real):
    for size, lost in ((1000, 1), (10_000, 3)):
        kept = [real.kept(TRANSFORMER, size, patience) for patience in (1, 2, 3)]
        assert kept[0] < kept[2] - lost and kept[2] - kept[1] < 0.5
    scores = [[record[3] for record in point["curve"]] for point in real.points(TRANSFORMER, 10_000)]
    lost = [max(one) - one[reader.stop(one, 1)[0]] for one in scores]
    assert sum(one > 3 for one in lost) == 1 and sorted(lost)[1] < 0.1


def test_the_first_training_translates_better_where_its_loss_is_worst(real):
    numbers = real.stop_numbers()
    assert numbers["worst_loss"] > numbers["first_loss"] + 0.5
    records, _ = real.records(reader.TRANSFORMER, numbers["n_first"])
    assert numbers["first_loss"] == min(record[2] for record in records)
    assert numbers["worst_chrf"] > 2 * numbers["first_chrf"]


def test_from_the_second_validation_on_all_three_climb_by_half_a_nat_and_gain_two_points(real):
    climbs = real.climbs(TRANSFORMER, 1000)
    assert len(climbs) == 3
    for climb in climbs:
        assert 0.4 < climb.worst[2] - climb.start[2] < 0.55 and climb.gained == pytest.approx(2.0, abs=0.1)
        assert climb.given_away > 3.5
    firsts = [real.records(TRANSFORMER, 1000, place)[0][0] for place in range(3)]
    lower = [climb.start[2] - first[2] for first, climb in zip(firsts, climbs, strict=True)]
    assert 0 < lower[1] < 0.01 and 0 < lower[0] < 0.05 and lower[2] < 0  # the hair on which the lowest loss hangs
    for place in range(3):  # the RNN's valley is no edge: its lowest loss is the second validation
        losses = [record[2] for record in real.records(ATTENTIVE, 1000, place)[0]]
        assert losses.index(min(losses)) == 1
    assert min(real.lost_at_lowest(ATTENTIVE, 1000)) > 2.5
