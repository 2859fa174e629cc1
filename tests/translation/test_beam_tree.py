"""The recorded search against `beam_search`, against listing everything, and by hand on the small language."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_searches import SOURCE, random_searches

from attention_book.examples.small_bigram import SmallBigram
from attention_book.translation.beam_tree import DROPPED, FINISHED, KEPT, as_many_as_the_beam, first_finished, grow
from attention_book.translation.decoding import MOST_CONTINUATIONS, beam_search, exhaustive_search

from .test_decoding import ALPHAS, BOS, EOS, ONE, SEEDS, random_tables, table, tiny_transformer  # isort: skip

ANIMALS = SmallBigram()


@settings(deadline=None, max_examples=60)
@given(SEEDS, ALPHAS, st.integers(1, 5))
def test_it_finds_what_the_beam_search_finds(seed, alpha, beam_size):
    model = random_tables(seed)
    for row in range(4):
        src = torch.tensor([[row]])
        (expected,) = beam_search(model, src, beam_size, alpha, 6)
        tree = grow(model, src, beam_size, (alpha,), 6)
        if finished := tree.finished(alpha):
            assert finished[0] == expected
        else:
            assert tree.steps[-1].of(KEPT)[0].tokens == expected.tokens
        assert tree.decided_at(alpha) == len(tree.steps)


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(1, 4))
def test_one_tree_serves_all_penalties(seed, beam_size):
    model, alphas = random_tables(seed), (0.0, 0.6, 1.0)
    tree = grow(model, ONE, beam_size, alphas, 6)
    for alpha in alphas:
        finished = tree.finished(alpha, tree.decided_at(alpha))
        (expected,) = beam_search(model, ONE, beam_size, alpha, 6)
        assert not finished or finished[0] == expected


@pytest.mark.slow
def test_the_stop_rule_is_the_searchs_own_on_a_thousand_random_trees():
    stopped_early = ties = 0
    for model, beam_size, limit, alpha, tree in random_searches():
        model.rows_fed.clear()
        (found,) = beam_search(model, SOURCE, beam_size, alpha, limit)
        decided = tree.decided_at(alpha)
        assert decided == len(model.rows_fed)  # one call of the model is one step of the search
        assert decided == len(grow(model, SOURCE, beam_size, (alpha,), limit).steps)
        finished = tree.finished(alpha, decided)
        assert not finished or finished[0] == found
        stopped_early += decided < len(tree.steps)
        ties += bool(finished) and tree.reach(alpha, decided) == finished[0].score
    assert stopped_early > 100 and ties > 20  # the trees tell a rule with < from one with <=


def test_it_finds_what_the_beam_search_finds_on_a_transformer():
    model = tiny_transformer()
    src = torch.tensor([[5, 9, 3, 2]])
    for beam_size in (1, 3):
        (expected,) = beam_search(model, src, beam_size, 0.6, 8)
        best = (grow(model, src, beam_size, (0.6,), 8).finished(0.6) or [None])[0]
        assert best is None or (best.tokens == expected.tokens and best.score == pytest.approx(expected.score))
        assert best is not None or expected.tokens[-1] != EOS


def test_a_beam_that_holds_everything_finds_what_listing_everything_finds():
    for alpha in (0.0, 0.6, 1.0):
        (best,) = exhaustive_search(ANIMALS, ANIMALS.source, 5, alpha)
        tree = grow(ANIMALS, ANIMALS.source, 50, (), 5, dropped=0)
        assert tree.finished(alpha)[0].tokens == best.tokens
        assert len(tree.finished(alpha)) == len(ANIMALS.sentences())
        assert not any(step.of(DROPPED) for step in tree.steps)


def test_a_beam_of_two_by_hand():
    tree = grow(ANIMALS, ANIMALS.source, 2, (), 5)

    def told(step, fate):
        return {ANIMALS.spelt(one.tokens): pytest.approx(math.exp(one.log_prob)) for one in tree.steps[step].of(fate)}

    assert told(0, KEPT) == {"dogs": 0.45, "cats": 0.35} and told(0, DROPPED) == {"hide": 0.2}
    assert told(1, KEPT) == {"cats sleep": 0.35 * 0.8, "dogs bark": 0.45 * 0.5}
    assert told(2, FINISHED) == {"cats sleep </s>": 0.28 * 0.55}
    assert told(2, KEPT) == {"dogs bark loudly": 0.225 * 0.6}
    assert told(3, FINISHED) == {"dogs bark loudly </s>": 0.135 * 0.1}
    assert told(4, FINISHED) == {"dogs bark loudly today </s>": 0.135 * 0.9}
    assert [step.candidates[0].parent for step in tree.steps] == [0, 1, 0, 0, 0]
    assert (tree.decided_at(0.0), tree.decided_at(0.6)) == (3, 5)
    assert tree.reach(0.6, 3) == pytest.approx(math.log(0.135) / (10 / 6) ** 0.6)
    assert tree.reach(0.6, 5) == -math.inf


def test_both_early_stops_lose_what_the_proved_rule_keeps():
    tree, alpha = grow(ANIMALS, ANIMALS.source, 2, (), 5), 0.6
    for stopped in (first_finished(tree, alpha), as_many_as_the_beam(tree, alpha, 2)):
        assert ANIMALS.spelt(stopped.tokens) == "cats sleep </s>"
        assert stopped.score < tree.finished(alpha)[0].score
    assert ANIMALS.spelt(tree.finished(alpha)[0].tokens) == "dogs bark loudly today </s>"
    assert first_finished(tree, 0.0).tokens == beam_search(ANIMALS, ANIMALS.source, 2, 0.0, 5)[0].tokens


def test_three_words_take_four_steps():
    model = table({BOS: {3: 1.0}, 3: {4: 1.0}, 4: {5: 1.0}, 5: {EOS: 1.0}})
    tree = grow(model, ONE, 2)
    assert len(tree.steps) == 4 and tree.finished(0.6)[0].tokens == (3, 4, 5, EOS)


def test_what_does_not_end_has_no_finished_sentence():
    tree = grow(table({BOS: {3: 1.0}, 3: {3: 1.0}}), ONE, 2, (0.6,), 4)
    assert len(tree.steps) == 4 and tree.finished(0.6) == [] and tree.decided_at(0.6) == 4
    assert len(grow(table({BOS: {3: 1.0}, 3: {4: 1.0}}), ONE, 2, (0.6,), 9).steps) == 2  # a dead end


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"beam_size": 0}, "beam_size must be at least 1"),
        ({"beam_size": MOST_CONTINUATIONS}, "beam_size must be at most"),
        ({"dropped": -1}, "dropped must be at least 0"),
        ({"dropped": MOST_CONTINUATIONS // len(ANIMALS.names) - 1}, "dropped must be at most"),
        ({"alphas": (0.6, -1.0)}, "length_penalty must be from 0 to 100"),
        ({"src": torch.zeros(2, 1, dtype=torch.int64)}, "one source at a time, got 2"),
    ],
)
def test_what_does_not_fit_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        grow(**{"model": ANIMALS, "src": ANIMALS.source, "beam_size": 2, **change})
