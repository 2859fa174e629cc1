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


def test_in_i_do_not_like_cats_each_direction_has_one_link_alone(trained):
    """The page says which: one is right, and one is wrong."""
    backward = known_links.turned_round(trained["es"])
    assert known_links.disagreement(trained["es"], backward, "I do not like cats.") == [
        ("x makes y", "cats", "los", True),
        ("y makes x", "do", "no", False),
    ]


@pytest.mark.slow
def test_where_the_directions_disagree_most_links_are_wrong(trained):
    counted = known_links.agreement(trained["es"], known_links.turned_round(trained["es"]))
    share = {kind: right / n for kind, (right, n) in counted.items()}
    assert share["both directions"] > 0.93 and share["only one direction"] < 0.45
    assert all(0.8 < share[kind] < 0.85 for kind in ("x makes y", "y makes x"))
    both, one = counted["both directions"], counted["only one direction"]
    # A link of both is in either list once, a link of one in one of them.
    for place in (0, 1):
        assert counted["x makes y"][place] + counted["y makes x"][place] == 2 * both[place] + one[place]


def test_links_are_counted_with_a_handful_of_pairs():
    few = known_links.train("es", 20, rounds=1)
    counted = known_links.agreement(few, known_links.turned_round(few, rounds=1))
    assert all(0 <= right <= n for right, n in counted.values())
    rows = known_links.agreement_rows({"both directions": (3, 4)})
    assert rows == [("both directions", "4", "3", "75 %")]
