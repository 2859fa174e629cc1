"""What *What looking back buys* says of real sentences holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.before.translators_compared import (
    HEADER,
    TRANSFORMER,
    WITH,
    WITHOUT,
    TranslatorsCompared,
    read,
)


@pytest.fixture(scope="module")
def real():
    return read()


@pytest.fixture
def made_up():
    def system(bleu, short, long, **more):
        by_length = {"1–4": {"sentences": 30, "bleu": short}, "5 and more": {"sentences": 10, "bleu": long}}
        scores = {"bleu": bleu, "bleu_half_width": 1.0, "chrf": bleu + 20, "chrf_half_width": 0.5}
        return (
            scores | {"parameters": 1000, "trained_tokens": 5000, "bleu_signature": "s", "by_length": by_length} | more
        )

    systems = {
        WITH: system(40.0, 42.0, 38.0),
        TRANSFORMER: system(45.0, 48.0, 41.0, bleu_p=0.125, bleu_half_width=1.5),
        WITHOUT: system(30.0, 34.0, 20.0, bleu_p=0.125),
    }
    counted = {
        "all_references": {"bleu": 20.0, "chrf": 50.0, "bleu_signature": "s"},
        "interval": {"half_width": 2.0},
    }
    seeds = {"0": {"sentences": 40, "systems": systems}}
    return TranslatorsCompared({"configuration": {"bootstrap": 7}, "seeds": seeds}, counted)


def test_made_up_scores_are_read_by_hand(made_up):
    assert made_up.names == [WITHOUT, WITH, TRANSFORMER]
    rows = made_up.rows()
    assert rows[0] == ("recurrent, without attention", "30.0\xa0±\xa01.0", "1,000", "5,000")
    assert rows[2][0] == "Transformer" and all(len(row) == len(HEADER) for row in rows)
    assert made_up.length_rows()[:2] == [("sentences", "30", "10"), ("recurrent, without attention", "34.0", "20.0")]
    assert made_up.gains().tolist() == [8, 18] and made_up.gaps().tolist() == [6, 3]
    numbers = made_up.numbers()
    assert (numbers["bleu_gap"], numbers["gap_alone"]) == (5, 10)
    assert (numbers["counted_bleu"], numbers["alone_bleu"]) == (20, 30)
    assert numbers["lead_within"] == 2.5  # 1 and 1.5
    assert (numbers["least_gain"], numbers["most_gain"]) == (8, 18)


def test_all_were_scored_alike_on_the_same_sentences(real):
    assert len(real.signatures) == 1 and real.counted["sentences"] == real.found["sentences"]
    made_otherwise = TranslatorsCompared(real.result, {"all_references": {"bleu_signature": "another"}})
    assert len(made_otherwise.signatures) == 2


def test_the_recurrent_translators_were_trained_alike_and_the_transformer_twice_as_long(real):
    recurrent, alone, transformer = (real.systems[name] for name in (WITH, WITHOUT, TRANSFORMER))
    assert abs(recurrent["trained_tokens"] - alone["trained_tokens"]) < 2000
    assert transformer["trained_tokens"] > 2 * recurrent["trained_tokens"]
    assert transformer["parameters"] > recurrent["parameters"]


def test_no_two_intervals_touch(real):
    alone, attentive, transformer = (real.score(name, "bleu") for name in real.names)
    for lower, higher in ((alone, attentive), (attentive, transformer)):
        assert lower.value + lower.spread < higher.value - higher.spread


def test_even_both_spreads_together_are_far_below_each_lead(real):
    told = real.numbers()
    assert 2 * told["lead_within"] < min(told["gap_alone"], told["bleu_gap"])


def test_both_p_are_the_least_that_the_samples_can_give(real):
    assert real.systems[WITHOUT]["bleu_p"] == real.systems[TRANSFORMER]["bleu_p"] == 1 / (real.samples + 1)


def test_attention_gains_with_every_length_and_the_transformer_does_not(real):
    gaps = real.gaps()
    assert (np.diff(real.gains()) > 0).all()
    assert gaps.max() - gaps.min() < 4 and gaps.argmin() == len(gaps) - 1


def test_looking_back_is_worth_more_than_the_step_from_counting_to_a_network(real):
    told = real.numbers()
    assert told["gap_alone"] > told["alone_bleu"] - told["counted_bleu"] + 1
