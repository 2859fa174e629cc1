import numpy as np
import pytest

from attention_book.counting.ibm1 import IBMModel1
from attention_book.little_language import language as little_language
from attention_book.studies.before import known_links
from attention_book.studies.before.known_links import Trained


@pytest.fixture(scope="module")
def trained():
    return {target: known_links.train(target) for target in known_links.LANGUAGES}


@pytest.mark.slow
def test_every_round_makes_the_pairs_more_probable(trained):
    for one in trained.values():
        assert (np.diff(one.likelihoods()) > 0).all()


def test_likelihoods_are_per_word_of_the_target():
    x, y = ["cats", "dogs"], ["gatos", "perros"]
    one = Trained("es", IBMModel1([(x, y)]).fit(3), 1, 2)
    # At first each of the two words has the probability 1/2, whichever of the three words makes it.
    assert one.likelihoods()[0] == pytest.approx(-np.log(2))
    assert list(known_links.likelihood_lines({"es": one})) == ["Spanish"]
    assert known_links.likelihood_told({"es": one}).startswith(
        "Log-likelihood in nats per word of the target by round. Spanish: -0.69 before the first round, "
    )


def test_training_counts_pairs_and_words():
    one = known_links.train("hi", 20, rounds=1)
    assert one.n_pairs == 20 and 20 < one.n_words < 400 and len(one.likelihoods()) == 2


def test_links_stand_beside_the_truth(trained):
    rows = trained["es"].beside_the_truth("I do not like cats.")
    pair = little_language.pair_for("I do not like cats.")
    assert [word.lower() for word, _, _ in rows] == [word.lower() for word in pair.target_words]
    assert dict((word, truth) for word, truth, _ in rows)["gatos"] == "cats"
