"""IBM Model 1 against expectation-maximisation over every single alignment, in fractions, and its laws."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.counting.ibm1 import NOTHING, IBMModel1

PAIRS = [("I sleep", "yo duermo"), ("I eat", "yo como"), ("cats sleep", "gatos duermen")]
PAIRS = [(x.split(), y.split()) for x, y in PAIRS]
sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sentences, st.lists(st.sampled_from("xyz"), max_size=3)), min_size=1, max_size=4)


def uniform(pairs):
    seen = defaultdict(set)
    for x, y in pairs:
        for word in (NOTHING, *x):
            seen[word] |= set(y)
    return {(w, g): Fraction(1, len(seen[g])) for g in seen for w in seen[g]}


def one_round(pairs, t):
    """Expected counts by going through every alignment of every pair."""
    counts = defaultdict(Fraction)
    for x, y in pairs:
        given = (NOTHING, *x)
        every = product(range(len(given)), repeat=len(y))
        ways = {a: math.prod(t[w, given[i]] for w, i in zip(y, a, strict=True)) for a in every}
        for a, p in ways.items():
            for w, i in zip(y, a, strict=True):
                counts[w, given[i]] += p / sum(ways.values())
    totals = defaultdict(Fraction)
    for (_, g), count in counts.items():
        totals[g] += count
    return {cell: counts[cell] / totals[cell[1]] if totals[cell[1]] else Fraction(0) for cell in t}


@settings(deadline=None, max_examples=40)
@given(corpora, st.integers(1, 2))
def test_rounds_are_those_over_all_alignments(pairs, rounds):
    model, t = IBMModel1(pairs).fit(rounds), uniform(pairs)
    for _ in range(rounds):
        t = one_round(pairs, t)
    for (word, other), p in t.items():
        assert model.t(word, other) == pytest.approx(float(p), abs=1e-9)


@settings(deadline=None)
@given(corpora)
def test_the_likelihood_never_falls_and_columns_sum_to_one(pairs):
    model = IBMModel1(pairs).fit(6)
    assert len(model.log_likelihoods) == 7
    for before, after in pairwise(model.log_likelihoods):
        assert after >= before - 1e-9
    for given_word in {NOTHING, *(word for x, y in pairs if y for word in x)}:
        column = model.best(given_word, count=100)
        assert not column or sum(p for _, p in column) == pytest.approx(1)
    assert model.log_likelihoods[-1] == pytest.approx(sum(model.log_prob(x, y) for x, y in pairs))


def test_the_probability_of_a_sentence_is_the_sum_over_its_alignments():
    model = IBMModel1(PAIRS).fit(2)
    x, y = PAIRS[0]
    given = (NOTHING, *x)
    ways = [math.prod(model.t(w, given[i]) for w, i in zip(y, a, strict=True)) for a in product(range(3), repeat=2)]
    assert model.log_prob(x, y) == pytest.approx(math.log(sum(ways) / 3**2))
    assert model.log_prob(x, ["perro"]) == -math.inf


def test_more_rounds_go_on_where_the_first_stopped():
    at_once, in_two = IBMModel1(PAIRS).fit(5), IBMModel1(PAIRS).fit(2).fit(3)
    assert in_two.log_likelihoods == pytest.approx(at_once.log_likelihoods)
    assert in_two.best("I") == at_once.best("I")


def test_it_learns_who_translates_whom():
    model = IBMModel1(PAIRS).fit(20)
    assert model.best("I")[0][0] == "yo" and model.best("eat")[0][0] == "como"
    assert model.align(*PAIRS[1]) == {(0, 0), (1, 1)}
    assert model.best("perro") == [] and model.t("yo", "cats") == 0


def test_a_link_has_the_place_in_the_given_sentence_first():
    pairs = [("black cats", "gatos negros"), ("black dogs", "perros negros"), ("cats", "gatos"), ("dogs", "perros")]
    model = IBMModel1([(x.split(), y.split()) for x, y in pairs]).fit(20)
    assert model.align(["I", "like", "black", "cats"], ["gatos", "negros"]) == {(3, 0), (2, 1)}


def test_three_doors_by_hand():
    """Of "cats" over gatos, perros and pájaros: 2/3, 1/6, 1/6 after two rounds, 4/5, 1/10, 1/10 after three."""
    doors = [("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros")]
    model = IBMModel1([(x.split(), y.split()) for x, y in doors]).fit(2)
    column = lambda: [model.t(v, "cats") for v in ("gatos", "perros", "pájaros")]  # noqa: E731
    assert column() == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    model.fit(1)
    assert column() == pytest.approx([4 / 5, 1 / 10, 1 / 10])
    assert model.t("gatos") == pytest.approx(1 / 3)


def test_what_the_empty_word_generates_is_aligned_to_nothing():
    model = IBMModel1([(["a"], ["x", "z"]), (["b"], ["y", "z"]), (["c"], ["w", "z"])]).fit(30)
    assert model.align(["a"], ["x", "z"]) == {(0, 0)}
    assert model.align([], ["z"]) == frozenset()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="at least one pair"):
        IBMModel1([])
    with pytest.raises(ValueError, match="must not stand in a sentence"):
        IBMModel1([([NOTHING], ["x"])])
    with pytest.raises(ValueError, match="rounds must be at least 1"):
        IBMModel1(PAIRS).fit(0)
