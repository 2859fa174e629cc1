"""The sentences with *it*: only the end differs within a two, and no fixed habit of a head is right more than half."""

import numpy as np
import pytest

from attention_book.experiments.reading import pronoun_sentences as experiment
from attention_book.translation.shipped_translator import encoder_weights, shipped

TWOS = experiment.CONFIGURATION["twos"]


def test_there_are_fifty_sentences_or_more_and_half_of_them_mean_each_noun():
    assert 2 * len(TWOS) >= 50
    assert len({text for two in TWOS for text in experiment.sentences(two)[0]}) == 2 * len(TWOS)


@pytest.mark.parametrize("two", TWOS, ids=lambda two: two[0])
def test_both_sentences_have_the_same_nouns_and_one_it_at_the_same_places(two):
    texts, nouns = experiment.sentences(two)
    assert len(nouns) == 2 and nouns[0] != nouns[1]
    subwords = shipped().subwords
    found = []
    for text in texts:
        tokens = subwords.tokens(subwords.encode(text))
        found.append([experiment.places(tokens, word) for word in (*nouns, "it")])
        assert "<unk>" not in tokens and text.endswith(".") and "{" not in text
    assert found[0] == found[1] and found[0][0][0] < found[0][1][0] < found[0][2][0]


def test_a_word_of_several_pieces_is_found_whole_and_a_missing_one_is_refused():
    tokens = ["▁The", "▁har", "bor", "▁is", "▁it", ".", "</s>"]
    assert experiment.places(tokens, "harbor") == [1, 2] and experiment.places(tokens, "it") == [4]
    for word in ("har", "ship"):
        with pytest.raises(ValueError, match="stands 0 times"):
            experiment.places(tokens, word)
    with pytest.raises(ValueError, match="stands 2 times"):
        experiment.places([*tokens, "▁it"], "it")


def test_the_weights_are_those_of_the_row_of_it():
    texts, nouns = experiment.sentences(TWOS[4])
    found = experiment.weights_of_it(texts[0], nouns)
    subwords = shipped().subwords
    tokens = [*subwords.tokens(subwords.encode(texts[0])), "</s>"]
    rows = encoder_weights(texts[0]).flatten(0, 1)
    for column, noun in enumerate(nouns):
        places = experiment.places(tokens, noun)
        wanted = sum(rows[:, tokens.index("▁it"), place] for place in places)
        np.testing.assert_allclose(found[:, column], wanted)
        np.testing.assert_allclose(found[:, 2 + column], len(places) / len(tokens))


def made_up(right_head):
    """Eight twos and three heads: one always prefers the first noun, one the second, one is right as told."""
    weights = np.full((8, 2, 3, 4), 0.1)
    weights[:, :, 0, 0] = weights[:, :, 1, 1] = 0.5
    for n, right in enumerate(right_head):
        weights[n, 0, 2, 0 if right else 1] = weights[n, 1, 2, 1 if right else 0] = 0.6
    return weights


def test_a_fixed_habit_is_right_in_half_and_a_head_that_finds_the_noun_in_all():
    right = experiment.right_choices(made_up([True] * 8))
    assert right.mean(axis=(0, 1)).tolist() == [0.5, 0.5, 1.0]
    shares, heads = experiment.chosen_elsewhere(right)
    assert heads == [2, 2] and shares.tolist() == [1.0] * 8


def test_a_head_that_was_lucky_on_one_half_is_not_believed():
    shares, heads = experiment.chosen_elsewhere(experiment.right_choices(made_up([True, False] * 4)))
    assert shares.mean() == pytest.approx(0.25)  # the lucky half chooses it, the other half refutes it
    assert heads[1] == 2 and heads[0] != 2


def test_the_interval_is_that_of_the_mean():
    shares = np.random.default_rng(1).choice([0.0, 0.5, 1.0], size=200)
    low, high = experiment.interval(shares, 4000, np.random.default_rng(0))
    error = shares.std(ddof=1) / 200**0.5
    assert low == pytest.approx(shares.mean() - 1.96 * error, abs=0.01)
    assert high == pytest.approx(shares.mean() + 1.96 * error, abs=0.01)


@pytest.mark.slow
def test_a_run_reports_every_head_and_repeats_itself():
    short = experiment.CONFIGURATION | {"twos": TWOS[:4], "resamples": 50}
    first, second = (experiment.run_seed(0, short) for _ in range(2))
    assert first == second and first["sentences"] == 8 and len(first["right"]) == 12
    assert first["best"] == max(first["right"]) and 0 <= first["chosen"] <= 1
