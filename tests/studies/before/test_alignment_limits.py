"""The least alignment error rate with one link per target word, against every choice of links; and that of chance."""

from itertools import product

import numpy as np
import pytest

from attention_book.little_language import language as little_language
from attention_book.studies.before.alignment_limits import chance_error_rate, least_error_rate
from attention_book.translation.evaluation import alignment_error_rate

CORPORA = [
    [{(0, 0), (1, 1)}],
    [{(0, 0), (1, 0), (0, 1)}],
    [{(0, 1), (1, 1), (2, 1)}, {(0, 0)}],
]


@pytest.mark.parametrize("gold", CORPORA)
def test_no_choice_of_one_link_per_word_does_better(gold):
    choices = [None, 0, 1, 2]  # for each of two target words of each sentence
    found = []
    for chosen in product(choices, repeat=2 * len(gold)):
        links = [{(i, j) for j, i in enumerate(chosen[2 * n : 2 * n + 2]) if i is not None} for n in range(len(gold))]
        found.append(alignment_error_rate(links, gold).error_rate)
    assert least_error_rate(gold) == pytest.approx(min(found))


def test_nothing_to_link_is_refused():
    with pytest.raises(ValueError, match="no gold link"):
        least_error_rate([set(), set()])


def test_chance_on_one_sentence_is_the_pencils():
    pair = little_language.pair_for("I like cats.", "es", "Me gustan los gatos.")
    assert chance_error_rate([pair]) == pytest.approx(1 - (5 / 4 + 5 / 4) / (5 + 5)) == 0.75


def test_chance_is_what_drawn_links_come_to():
    pairs = little_language.sample(20, 3, "es")
    random = np.random.default_rng(0)

    def drawn(pair):
        return {(int(random.integers(len(pair.source_words))), j) for j in range(len(pair.target_words))}

    gold = [pair.alignment for pair in pairs]
    rates = [alignment_error_rate([drawn(pair) for pair in pairs], gold).error_rate for _ in range(2000)]
    assert np.mean(rates) == pytest.approx(chance_error_rate(pairs), abs=0.005)


def test_chance_without_sentences_is_refused():
    with pytest.raises(ValueError, match="no pairs"):
        chance_error_rate([])
