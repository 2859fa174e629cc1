import numpy as np
import pytest

from attention_book.counting.ngrams import NGramModel
from attention_book.studies.before.context_length import ContextLength, little_pairs, measure


@pytest.fixture(scope="module")
def found(spanish_pairs):
    return measure(*spanish_pairs)


def test_what_is_measured_is_the_models_perplexity():
    pairs = little_pairs(3, 2)
    train, new = ([pair.target_words for pair in some] for some in pairs)
    found = measure(*pairs, sizes=(2, 3), orders=(1, 2))
    assert found.n_held == 2 and found.orders == (1, 2)
    assert found.perplexities[2].tolist() == [NGramModel(train[:2], order).perplexity(new) for order in (1, 2)]
    assert found.perplexities[3][1] == NGramModel(train, 2).perplexity(new)
    with pytest.raises(ValueError, match="3 sentences to count in, not 4"):
        measure(*pairs, sizes=(4,))


def test_made_up_perplexities_are_told_by_hand():
    found = ContextLength((1, 2, 3), {10: np.array([9.0, 8.0, 8.5]), 40: np.array([9.0, 7.0, 6.04])}, 5)
    assert (found.best(10), found.best(40)) == (2, 3)
    assert found.told() == (
        "Perplexity by the order n. 10 sentences: 9.0, 8.0, 8.5 for n from 1 to 3. "
        "40 sentences: 9.0, 7.0, 6.0 for n from 1 to 3."
    )
    assert found.lines()["40 sentences"][1].tolist() == [9, 7, 6.04]
    assert [line.get_label() for line in found.figure().axes[0].lines] == list(found.lines())
    assert found.numbers() == {"n_held": 5, "best_100": 2, "best_4000": 3, "low_4000": 6.04, "six_4000": 6.04}


def test_held_out_sentences_have_sources_of_their_own():
    train, new = little_pairs(20, 5)
    assert (len(train), len(new)) == (20, 5)
    assert not {pair.source for pair in train} & {pair.source for pair in new}


def test_longer_contexts_help_up_to_a_point_that_lies_further_out_the_more_is_counted(found):
    assert found.best(100) <= found.best(1000) <= found.best(4000) < 6
    assert all(line[-1] > line.min() for line in found.perplexities.values())
