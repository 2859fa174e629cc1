"""The least alignment error rate with one link per target word, against every choice of links."""

from itertools import product

import pytest

from attention_book.studies.before.alignment_limits import least_error_rate
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
