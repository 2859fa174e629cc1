"""The checks of *Word alignment by counting* on right answers and on wrong ones, each of which they must name."""

from collections import Counter

import pytest

from attention_book.checks.before.word_alignment import check_em_round, check_two_directions

from ..diagnosis import diagnosis


def em_round(pairs, t, side=1):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            total = sum(t[word, given] for given in x)
            for given in x:
                counts[word, given] += t[word, given] / total
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] for cell, count in counts.items()}


def two_directions(forward, backward):
    turned = {(i, j) for j, i in backward}
    return forward & turned, forward | turned


def test_the_right_answers_pass():
    assert check_em_round(em_round)
    assert check_two_directions(two_directions)


def overwriting(pairs, t):
    counts, sums = {}, Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] = t[word, given] / sum(t[word, other] for other in x)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


def not_divided(pairs, t):
    counts = Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[word, other] for other in x)
    return counts


def shared_out_over_y(pairs, t):
    counts, sums = Counter(), Counter()
    for x, y in pairs:
        for word in y:
            for given in x:
                counts[word, given] += t[word, given] / sum(t[other, given] for other in y)
    for (_, given), count in counts.items():
        sums[given] += count
    return {cell: count / sums[cell[1]] for cell, count in counts.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda pairs, t: em_round(pairs, t, side=0), "wrong side"),
        (overwriting, "overwrites"),
        (not_divided, "still to be divided"),
        (shared_out_over_y, "a word of x is shared out"),
        (lambda pairs, t: dict(t), "nothing has changed"),
        (lambda pairs, t: {cell: 2 * share for cell, share in em_round(pairs, t).items()}, "not to 1"),
        (lambda pairs, t: {}, "same keys"),
    ],
)
def test_a_wrong_round_is_recognised(wrong, said):
    assert said in diagnosis(check_em_round(wrong))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, b: (f & b, f | b), "turn it first"),
        (lambda f, b: two_directions(f, b)[::-1], "exchanged"),
        (lambda f, b: tuple({(j, i) for i, j in part} for part in two_directions(f, b)), "gold links are (x, y)"),
        (lambda f, b: (set(), two_directions(f, b)[1]), "the links of both are []"),
        (lambda f, b: (two_directions(f, b)[0], set(f)), "the links of either are [(0, 0), (1, 2), (3, 1)], expected"),
        (lambda f, b: (two_directions(f, b)[0], f | b), "the links of either are"),
        (lambda f, b: (*two_directions(f, b), f), "Expected 2 values"),
        (lambda f, b: (..., ...), "Expected two sets of links"),
        (lambda f, b: ([1, 2], [3]), "Expected two sets of links"),
        (lambda f, b: (len(f), len(b)), "Expected two sets of links"),
        (lambda f, b: f, "Expected 2 values"),
    ],
)
def test_wrong_directions_are_recognised(wrong, said):
    assert said in diagnosis(check_two_directions(wrong))


@pytest.mark.parametrize("as_links", [set, frozenset, list, sorted, lambda links: [list(link) for link in links]])
def test_links_of_every_kind_pass(as_links):
    report = check_two_directions(lambda f, b: [as_links(part) for part in two_directions(f, b)])
    assert report, report.message
