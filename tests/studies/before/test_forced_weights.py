"""A picture of *What looking back buys* and *Attention as alignment*: where a translator looks before it writes."""

import pytest
import torch

from attention_book.little_language import language as little_language
from attention_book.studies.before.forced_weights import ForcedWeights, forced_weights
from attention_book.translation.evaluation import alignment_error_rate
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.from_pretrained("en-es-rnn-attention")


@pytest.fixture(scope="module")
def looks(translator):
    return forced_weights(translator, little_language.pair_for("I like cats.", "es", "Me gustan los gatos."))


def test_rows_are_words_to_write_and_sum_to_one(looks):
    assert looks.weights.shape == (len(looks.pair.target_words), len(looks.columns)) == (5, 5)
    torch.testing.assert_close(looks.weights.sum(1), torch.ones(5))


def test_made_up_weights_are_read_by_hand(looks):
    weights = torch.tensor(
        [[0.9, 0.1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0.75, 0, 0.25], [0, 0, 0, 0, 1]]
    )
    made_up = ForcedWeights(looks.pair, weights)
    assert made_up.largest() == ["I", "like", ".", "cats", "</s>"]
    assert made_up.linked() == ["I", "like", "cats", "cats", "."]
    assert made_up.rows()[3] == ("gatos", "cats", "cats (0.75)") and made_up.agreeing() == 3
    assert made_up.links() == {(0, 0), (1, 1), (3, 2), (2, 3)}  # the full stop looks at </s>
    assert "Before 'Me': 0.90 on 'I', 0.10 on 'like', 0.00 on 'cats'" in made_up.told()


def test_the_verb_looks_at_the_verb_and_little_at_the_noun_that_made_it_plural(looks):
    assert looks.largest()[1] == "like" and looks.weights[1, 2] < 0.25


def test_articles_and_nouns_go_to_the_noun(looks):
    assert looks.largest()[2:4] == ["cats", "cats"]


def test_only_the_pronoun_and_the_full_stop_look_away_from_their_true_links(looks):
    each = zip(looks.pair.target_words, looks.largest(), looks.linked(), strict=True)
    assert [word for word, seen, true in each if seen != true] == ["Me", "."]


def test_one_word_late_los_alone_looks_at_its_true_link(looks):
    each = zip(looks.pair.target_words, looks.largest()[1:], looks.linked(), strict=False)
    assert [word for word, seen, true in each if seen == true] == ["los"]


def test_of_four_links_three_are_right_and_five_are_true(looks):
    gold = looks.pair.alignment
    assert (len(looks.links()), len(looks.links() & gold), len(gold)) == (4, 3, 5)
    assert looks.agreeing() == 3  # so no right link is one of several
    assert alignment_error_rate([looks.links()], [gold]).error_rate == pytest.approx(1 / 3)


def test_words_of_several_subwords_are_refused(translator):
    with pytest.raises(ValueError, match="must be one subword"):
        forced_weights(translator, little_language.pair_for("I buy bananas."))
