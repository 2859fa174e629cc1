"""What *Another language, little data* says holds in the results; how they are read, on results made up by hand."""

import pytest
from scipy import stats

from attention_book.readers.verdict import english_hindi as reader
from attention_book.readers.verdict.english_hindi import (
    ALL,
    ALONE,
    ENCODER,
    HEADER,
    LABELS,
    LOOK_UP,
    SHUFFLED,
    TABLE,
    EnglishHindi,
)


def scores(chrf, unread, **more):
    return {
        "chrf": chrf, "bleu": chrf / 4, "chrf_half_width": 1.5, "exact": 3, "chrf_signature": "c",
        "unread": {"chrf": unread, "bleu": unread / 4}, **more,
    }  # fmt: skip


def start(chrf, unread, best, taken):
    curve = [[100, 3.0, 4.0, chrf / 2], [200, 2.0, 3.0, chrf]]
    return scores(chrf, unread, best_tokens=best, a_pass=1000, taken=taken, parameters=4000, curve=curve)


def seed(shift):
    return {
        "pairs": 38,
        "sentences": 50,
        "unread": 37,
        "memory": scores(23.0, 22.0),
        "starts": {
            ALONE: start(20.0 + shift, 18.0, 5000, 0),
            ENCODER: start(26.0 + 2 * shift, 25.0, 4000, 1000),
            ALL: start(30.0 + shift, 28.0, 2000, 2000),
        },
    }


@pytest.fixture
def made_up():
    configuration = {
        "starts": {ALONE: [], ENCODER: ["encoder"], ALL: ["encoder", "decoder"]},
        "vocabulary": 300,
        "training": {"tokens": 8000, "validate_every": 100},
    }
    points = {SHUFFLED: start(19.0, 17.0, 3000, 2000), TABLE: start(22.0, 21.0, 3000, 10)}
    controls = [
        {"configuration": {"starts": {name: []}}, "seeds": {"1": {"starts": {name: point}}}}
        for name, point in points.items()
    ]
    pieces = {"seeds": {"1": {"cuts": {"cut at marks": {"pieces": 90}}}}}
    seeds = {"1": seed(0.0), "2": seed(1.0), "3": seed(0.5)}
    return EnglishHindi({"configuration": configuration, "seeds": seeds}, controls, pieces)


def test_rows_show_every_seed_and_the_look_up_once(made_up):
    rows = made_up.rows()
    assert all(len(row) == len(HEADER) for row in rows)
    assert [row[0] for row in rows] == list(LABELS.values())
    assert rows[0] == ("look-up", "23.0", "22.0", "5.8", "3")
    assert rows[1] == ("nothing", "20.0 · 21.0 · 20.5", "18.0", "5.1", "3")
    assert [row[1] for row in rows[2:4]] == ["19.0", "22.0"] and rows[-1][1] == "30.0 · 31.0 · 30.5"
    assert made_up.drawn()["table, encoder, decoder"] == [30.0, 31.0, 30.5]
    assert made_up.copied()["table, encoder"] == ["encoder"]


def test_means_and_leads_are_over_the_seeds(made_up):
    assert made_up.mean(LOOK_UP) == 23.0 and made_up.mean(ALONE) == 20.5
    lead = made_up.lead(ENCODER, ALONE)
    expected = stats.ttest_rel([26, 28, 27], [20, 21, 20.5]).confidence_interval()
    assert (lead.value, lead.spread) == (pytest.approx(6.5), pytest.approx((expected.high - expected.low) / 2))
    assert made_up.largest_distance([ALONE, ENCODER, ALL]) == 2
    numbers = made_up.numbers()
    assert (numbers["read"], numbers["unread"], numbers["passes"]) == (13, 37, 8.0)
    assert numbers["decoder_copied"] == 0.001
    assert (numbers["shuffled"], numbers["table"]) == (19.0, 22.0)
    assert (numbers["alone_one"], numbers["alone"]) == (20.0, 20.5)
    assert (numbers["table_gain"], numbers["encoder_gain"]) == (2.0, 4.0)
    assert (numbers["pieces"], numbers["asked"]) == (90, 300)


def test_a_lead_that_every_seed_shares_exactly_is_settled(made_up):
    assert made_up.settled(ALL, ALONE) and not made_up.settled(ALONE, ALONE)


@pytest.fixture(scope="module")
def real():
    return reader.read()


def test_the_decoder_is_the_largest_of_the_copied_parts(real):
    table, encoder = real.entries(TABLE)[0]["taken"], real.entries(ENCODER)[0]["taken"]
    assert real.numbers()["decoder_copied"] > max(table, encoder - table) / 1e6


def test_from_nothing_the_child_is_below_the_look_up_and_with_the_encoder_above_it_in_every_seed(real):
    (floor,) = real.scores(LOOK_UP)
    assert max(real.scores(ALONE)) < floor < min(real.scores(ENCODER) + real.scores(ALL))
    assert real.mean(LOOK_UP, "exact") == 0 < min(real.scores(ALONE, "exact"))
    chance = real.largest_distance([ALONE, ENCODER, ALL])
    for name in (ENCODER, ALL):
        assert real.settled(name, ALONE) and real.lead(name, ALONE).value > 5 * chance
        assert real.lead(name, ALONE).value > 3 * max(entry["chrf_half_width"] for entry in real.entries(name))


def test_what_the_decoders_layers_add_is_not_settled(real):
    assert not real.settled(ALL, ENCODER)


def test_the_lead_is_as_large_on_sentences_that_the_parent_did_not_read(real):
    whole, unread = (real.lead(ALL, ALONE, unread=only).value for only in (False, True))
    assert unread > whole - 1
    assert real.lead(ALL, ALONE, unread=True).settled


def test_shuffled_numbers_help_no_more_than_a_seed_may(real):
    assert real.scores(SHUFFLED)[0] < real.mean(LOOK_UP)
    assert abs(real.scores(SHUFFLED)[0] - real.scores(ALONE)[0]) < real.largest_distance([ALONE, ENCODER, ALL])
    (point,), (layers, *_) = real.entries(SHUFFLED), real.entries(ALL)
    assert (point["taken"], point["tokens"]) == (layers["taken"], layers["tokens"])


def test_about_half_of_the_gain_is_in_the_table(real):
    numbers, chance = real.numbers(), real.largest_distance([ALONE, ENCODER, ALL])
    assert min(numbers["table_gain"], numbers["encoder_gain"]) > 2 * chance
    assert 0.4 < numbers["table_gain"] / (numbers["table_gain"] + numbers["encoder_gain"]) < 0.6
    (point,) = real.entries(TABLE)
    assert 0 < point["taken"] < real.entries(ENCODER)[0]["taken"]


def test_what_is_not_copied_is_the_table_of_the_pieces_that_were_counted(real):
    """The record of the trained models and that of the vocabularies are of the same pieces: 256 numbers each."""
    point, numbers = real.entries(ALL)[0], real.numbers()
    assert (point["parameters"] - point["taken"]) / 256 == numbers["pieces"]


def test_the_tokens_of_one_pass_are_those_of_the_pieces(real):
    """A pass has the pieces of every training sentence and its end: about as many as the test sentences have."""
    point = real.entries(ALONE)[0]
    (counted,) = real.pieces["seeds"].values()
    length = counted["cuts"]["cut at marks"]["per_sentence"]
    assert point["a_pass"] / point["pairs"] - 1 == pytest.approx(length, rel=0.05)
