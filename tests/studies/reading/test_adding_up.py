"""What leaving out foretells in a model that only adds up random numbers."""

import numpy as np
import pytest

from attention_book.readers.reading import attributions
from attention_book.studies.reading import adding_up as study


def test_of_two_words_the_correlation_is_how_much_oftener_their_orders_agree_than_not():
    rng = np.random.default_rng(1)
    first, second = rng.random((2, 200_000)), rng.random((2, 200_000))
    agree = np.sign(first[0] - first[1]) == np.sign((first - second)[0] - (first - second)[1])
    found = study.correlation([1, 1], np.random.default_rng(0), draws=200_000)
    assert found == pytest.approx(2 * agree.mean() - 1, abs=0.01)


def test_more_exchanges_per_word_and_more_words_bring_the_orders_together():
    means = {
        (words, count): study.correlation([count] * words, np.random.default_rng(0), 20_000)
        for words in (4, 7)
        for count in (1, 3)
    }
    assert 0.55 < means[4, 1] < means[7, 1] < 0.65 < 0.7 < means[4, 3] < means[7, 3] < 0.85


def test_the_sentences_have_up_to_three_exchanges_per_word():
    counts = study.counts()
    assert len(counts) > 60 and {n for row in counts for n in row} == {1, 2, 3}
    assert min(map(len, counts)) == study.FEWEST


def test_untrained_models_come_near_what_adding_up_foretells():
    """What the page says: the number computed lies within the interval of the one measured."""
    measured = attributions.read().little.value("untrained_foretell", "leaving out")
    assert abs(study.expected() - measured.value) < measured.spread


def test_one_word_has_no_order():
    with pytest.raises(ValueError, match="two words or more"):
        study.correlation([1], np.random.default_rng(0))
