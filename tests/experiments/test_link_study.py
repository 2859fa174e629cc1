"""From weights to links: the shift, pieces and words, counts beside scores that were counted elsewhere."""

import numpy as np
import pytest
import torch

from attention_book.experiments import link_study as study
from attention_book.translation.evaluation import alignment_error_rate

PIECES = torch.tensor(
    [[0.5, 0.2, 0.2, 0.1], [0.1, 0.3, 0.4, 0.2], [0.0, 0.0, 1.0, 0.0], [0.25, 0.25, 0.25, 0.25]], dtype=torch.float64
)


def test_words_weigh_what_their_pieces_weigh_together_by_hand():
    # source: one word of two pieces, then one of one; target: one word of one piece, then one of two
    words = study.word_weights(PIECES, [0, 0, 1], [0, 1, 1], "to come")
    expected = [[0.7, 0.2, 0.1], [(0.4 + 0.0) / 2, (0.4 + 1.0) / 2, (0.2 + 0.0) / 2]]
    torch.testing.assert_close(words, torch.tensor(expected, dtype=torch.float64))
    late = study.word_weights(PIECES, [0, 0, 1], [0, 1, 1], "just read")
    expected = [[0.4, 0.4, 0.2], [(0.0 + 0.5) / 2, (1.0 + 0.25) / 2, 0.25 / 2]]
    torch.testing.assert_close(late, torch.tensor(expected, dtype=torch.float64))


def test_rows_still_sum_to_one_whatever_the_heads():
    weights = torch.rand(2, 3, 6, 5).softmax(-1)
    words = study.word_weights(weights, [0, 1, 1, 2], [0, 0, 1, 2, 2], "to come")
    assert words.shape == (2, 3, 3, 4)
    torch.testing.assert_close(words.sum(-1), torch.ones(2, 3, 3))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="do not fit 2 pieces"):
        study.word_weights(PIECES, [0, 0, 1], [0, 1], "to come")
    with pytest.raises(ValueError, match="reading must be one of"):
        study.word_weights(PIECES, [0, 0, 1], [0, 1, 1], "late")


def test_pieces_are_given_to_their_words():
    assert study.words_of_pieces(["▁¿", "Do", "n", "'t", "▁go", "."], ["¿", "Don't", "go", "."]) == [0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        (["▁go", "es"], "comes after"),
        (["▁g", "a"], "does not go on"),
        (["▁g"], "pieces end"),
        (["▁go."], "does not go on"),
    ],
)
def test_pieces_of_other_words_are_refused(pieces, message):
    with pytest.raises(ValueError, match=message):
        study.words_of_pieces(pieces, ["go"])


def test_counts_give_the_scores_of_the_package():
    random = np.random.default_rng(3)
    choices = [random.integers(0, 6, size=5).tolist() for _ in range(8)]
    gold = [{(int(i), int(j)) for i, j in random.integers(0, 5, size=(6, 2))} for _ in range(8)]
    maybe = [{(int(i), int(j)) for i, j in random.integers(0, 5, size=(4, 2))} for _ in range(8)]
    links = [study.links_of(chosen, 5) for chosen in choices]
    counts = np.array([study.counted(*each) for each in zip(links, gold, maybe, strict=True)])
    scores = alignment_error_rate(links, gold, maybe)
    found = study.precisions(counts), study.recalls(counts), study.error_rates(counts)
    assert found == pytest.approx((scores.precision, scores.recall, scores.error_rate))
    assert not any(i == 5 for one in links for i, _ in one) and any(5 in chosen for chosen in choices)


def test_nothing_proposed_is_precise_and_recalls_nothing():
    counts = np.array([[0, 0, 0, 3]])
    assert (study.precisions(counts), study.recalls(counts), study.error_rates(counts)) == (1, 0, 1)


def test_the_diagonal_by_hand():
    assert study.diagonal(3, 3) == [0, 1, 2] and study.diagonal(2, 4) == [0, 0, 1, 1] and study.diagonal(4, 2) == [1, 3]


def test_a_choice_on_few_sentences_promises_too_much_and_on_half_of_many_does_not():
    random = np.random.default_rng(0)
    right = random.binomial(6, 0.6, size=(10, 200))  # ten heads that are equally good
    counts = np.stack([np.full_like(right, 6), right, right, np.full_like(right, 6)], axis=-1)
    one, hundred = (study.picked(counts, size, 100, np.random.default_rng(1)) for size in (1, 100))
    assert one[0] < 0.2 and one[1] == pytest.approx(0.4, abs=0.03)
    assert hundred[1] - hundred[0] < 0.1
