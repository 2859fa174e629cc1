"""What *How much data?* says of English and Hindi holds in the result; how it is read, on a result made up by hand."""

import pytest

from attention_book.readers.verdict.english_hindi import ALL, ALONE, ENCODER, HEADER, LOOK_UP, EnglishHindi


def scores(chrf, unread, **more):
    return {
        "chrf": chrf, "bleu": chrf / 4, "chrf_half_width": 1.5, "exact": 3,
        "unread": {"chrf": unread, "bleu": unread / 4}, **more,
    }  # fmt: skip


def start(chrf, unread, best, taken):
    return scores(chrf, unread, best_tokens=best, a_pass=1000, taken=taken, parameters=4000)


def seed(shift):
    return {
        "pairs": 38,
        "sentences": 50,
        "unread": 37,
        "memory": scores(23.0, 22.0),
        "starts": {
            ALONE: start(20.0 + shift, 18.0, 5000, 0),
            ENCODER: start(26.0 + shift, 25.0, 4000, 1000),
            ALL: start(30.0 + shift, 28.0, 2000, 2000),
        },
    }


@pytest.fixture
def made_up():
    configuration = {
        "starts": {ALONE: [], ENCODER: ["encoder"], ALL: ["encoder", "decoder"]},
        "vocabulary": 300,
        "training": {"tokens": 8000},
    }
    return EnglishHindi({"configuration": configuration, "seeds": {"1": seed(0.0), "2": seed(1.0)}})


def test_rows_show_every_seed_and_the_look_up_once(made_up):
    rows = made_up.rows()
    assert all(len(row) == len(HEADER) for row in rows)
    assert rows[0] == ("look-up", "23.0", "22.0", "5.8", "3", "–")
    assert rows[1][:3] == ("alone", "20.0 · 21.0", "18.0 · 18.0") and rows[1][-1] == "5"
    assert made_up.drawn()["all layers from English–Spanish"] == [30.0, 31.0]


def test_means_and_gains_are_over_the_seeds(made_up):
    assert made_up.mean(LOOK_UP) == 23.0 and made_up.mean(ALONE) == 20.5
    numbers = made_up.numbers()
    assert numbers["hi_layers_gain"] == 10.0 and numbers["hi_encoder_gain_unread"] == 7.0
    assert (numbers["hi_encoder_taken"], numbers["hi_layers_taken"]) == (25.0, 50.0)
    assert (numbers["hi_read"], numbers["hi_unread"], numbers["hi_passes"]) == (13, 37, 8.0)
    assert made_up.passes(ALL) == 2.0


def test_a_lead_that_every_seed_shares_exactly_is_settled(made_up):
    assert made_up.settled(ALL, ALONE) and not made_up.settled(ALONE, ALONE)
