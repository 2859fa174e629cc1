import numpy as np
import pytest

from attention_book.counting.kneser_ney import KneserNeyModel
from attention_book.counting.ngrams import NGramModel
from attention_book.studies.before.context_length import (
    ContextLength,
    TwoSmoothings,
    compare,
    little_pairs,
    measure,
    share_seen,
)


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


@pytest.mark.slow
def test_longer_contexts_help_up_to_a_point_that_lies_further_out_the_more_is_counted(found):
    assert found.best(100) <= found.best(1000) <= found.best(4000) < 6
    assert all(line[-1] > line.min() for line in found.perplexities.values())


def test_the_share_of_contexts_seen_by_hand():
    """After "a" and "b" something was counted, and after two beginnings; of the pairs of words only "a b" is new."""
    train, new = [["a", "c"], ["b", "d"]], [["a", "b"]]
    assert share_seen(train, new, 1) == 1
    assert share_seen(train, new, 2) == 1
    assert share_seen(train, new, 3) == 2 / 3


def test_both_smoothings_are_measured_on_the_same_sentences():
    pairs = little_pairs(40, 3)
    train, new = ([pair.target_words for pair in some] for some in pairs)
    two = compare(measure(*pairs, sizes=(5, 40), orders=(1, 3)), *pairs, sizes=(5, 40))
    assert two.sizes == (5, 40)
    assert two.kneser_ney.perplexities[5][1] == KneserNeyModel(train[:5], 3).perplexity(new)
    assert two.witten_bell.perplexities[40][1] == NGramModel(train, 3).perplexity(new)
    assert two.seen[1] == share_seen(train, new, 3) < 1
    assert two.discount == KneserNeyModel(train, 3).discounts[2]


def test_made_up_smoothings_are_told_by_hand():
    wb = ContextLength((1, 2, 3), {10: np.array([9.0, 8.0, 8.5]), 40: np.array([9.0, 7.0, 9.5])}, 5)
    kn = ContextLength((1, 2, 3), {10: np.array([9.0, 8.0, 7.5]), 40: np.array([9.0, 6.04, 6.54])}, 5)
    two = TwoSmoothings(wb, kn, np.array([1.0, 0.9, 0.25]), 0.75)
    assert two.header() == ["n", "Witten–Bell, 10", "Kneser–Ney, 10", "Witten–Bell, 40", "Kneser–Ney, 40",
                            "contexts seen, 40"]  # fmt: skip
    one = TwoSmoothings(wb, ContextLength((1, 2, 3), {40: kn.perplexities[40]}, 5), two.seen, 0.75)
    assert one.header() == ["n", "Witten–Bell", "Kneser–Ney", "contexts seen"]
    assert two.rows()[2] == ("3", "8.5", "7.5", "9.5", "6.5", "25\N{NO-BREAK SPACE}%")
    assert two.numbers() == pytest.approx(
        {"best_kn_few": 3, "best_kn_most": 2, "low_kn": 6.04, "last_kn": 6.54, "rise_wb": 2.5, "rise_kn": 0.5,
         "seen_last": 25, "discount": 0.75, "kept": 0.25}
    )  # fmt: skip


@pytest.mark.slow
def test_most_of_the_rise_with_long_contexts_is_the_smoothing(spanish_pairs, found):
    """If it came of unseen contexts alone, both smoothings would rise by as much: they are counted in the same ones."""
    two = compare(found, *spanish_pairs, sizes=(4000,))
    numbers = two.numbers()
    assert numbers["rise_kn"] < numbers["rise_wb"] / 3
    assert (two.kneser_ney.perplexities[4000][1:] < two.witten_bell.perplexities[4000][1:]).all()
