"""What *Counting and regression* says of real sentences holds in the result on record."""

import itertools

import pytest

from attention_book.readers.before.counting_tatoeba import CountingTatoeba


@pytest.fixture
def made_up():
    def scored(bleu, chrf):
        return {"sentences": 8, "all_references": {"bleu": bleu, "chrf": chrf, "bleu_signature": "v1"}}

    found = {
        "pairs": 100,
        "never_seen": {"4": 0.25, "5": 0.5},
        "bare_impossible": {"3": 0.625, "4": 0.875, "5": 1.0},
        "best": {"cat": [["gato", 0.5], ["gata", 0.25]]},
        "word_for_word": scored(10.0, 20.0) | {"interval": {"half_width": 1.25}},
        "noisy_channel": scored(15.0, 30.0) | {"interval": {"half_width": 2.0}, "training_seconds": 4.0},
    }
    network = {"test": scored(60.0, 80.0), "training_seconds": 120}
    result = {"configuration": {"least_count": 2}, "seeds": {"0": found}}
    return CountingTatoeba(result, network, {"bleu_half_width": 3.0})


def test_made_up_counts_are_read_by_hand(made_up):
    assert made_up.order_rows() == [("4", "25.0\xa0%", "87.5\xa0%"), ("5", "50.0\xa0%", "100.0\xa0%")]
    assert made_up.word_rows() == [("cat", "gato 0.50, gata 0.25")]
    assert made_up.score_rows() == [
        ("word for word", "10.0\xa0±\xa01.2", "20.0"),
        ("noisy channel, trigrams", "15.0\xa0±\xa02.0", "30.0"),
        ("the book's Transformer", "60.0\xa0±\xa03.0", "80.0"),
    ]
    found = made_up.numbers()
    assert (found["bleu_share"], found["network_minutes"], found["test_n"]) == (25, 2, 8)
    assert (found["chrf_share"], found["chrf_word"]) == (37.5, 25)
    assert (found["impossible_3"], found["least"]) == (62.5, 2)
    assert (found["channel_seconds"], found["real_pairs"]) == (4, 100)


def test_three_words_are_the_best_context_in_real_text(runs):
    numbers = runs.found["perplexity"]
    assert numbers["1"] > numbers["2"] > numbers["3"] < numbers["4"] < numbers["5"]


def test_every_round_of_em_makes_the_real_pairs_more_probable(runs):
    assert all(a < b for a, b in itertools.pairwise(runs.found["log_likelihoods"]))


def test_the_three_translators_are_scored_alike_on_the_same_sentences(runs):
    assert len(set(runs.signatures())) == 1 and len(runs.signatures()) == 3
    assert runs.network["test"]["sentences"] == runs.found["noisy_channel"]["sentences"]


def test_the_interval_of_the_transformer_is_that_of_the_translator_on_record(runs):
    recorded = runs.network["test"]["all_references"]
    assert (runs.compared["bleu"], runs.compared["chrf"]) == (recorded["bleu"], recorded["chrf"])


def test_the_channel_is_ahead_of_word_for_word_far_outside_the_intervals(runs):
    word, channel = runs.bleu("word_for_word"), runs.bleu("noisy_channel")
    assert channel.value - word.value > channel.spread + word.spread


def test_cats_claims_the_words_that_stand_about_where_cats_are_liked(runs):
    assert {"los", "gustan"} <= set(dict(runs.found["best"]["cats"])) and "gusta" in dict(runs.found["best"]["like"])
