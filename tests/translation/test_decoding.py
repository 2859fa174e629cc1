"""The searches, on random tables whose every sentence can be listed, and on a small Transformer."""

import itertools
import math
import time
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.models.search_interface import largest_first
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.translation.decoding import (
    MOST_SEQUENCES,
    Hypothesis,
    _most_probable,
    beam_search,
    beam_search_n_best,
    exhaustive_search,
    gnmt_penalty,
    greedy_decode,
)

PAD, BOS, EOS = 0, 1, 2
EVERY_PREFIX = 10_000  # a beam that wide forgets nothing in these tests
SEEDS = st.integers(0, 10_000)
ALPHAS = st.sampled_from([0.0, 0.3, 0.6, 1.0, 2.0])


class TableState:
    """The rows of a search over tables: which table each row reads."""

    def __init__(self, tables):
        self.tables = tables

    def reorder(self, rows):
        return TableState(self.tables[rows])


class TableModel:
    """p(next | last) from a table a source row: the row's first id chooses the table, so rows differ."""

    def __init__(self, tables, max_len=None):
        self.tables = tables  # (n_tables, vocab, vocab), log-probabilities
        vocab = tables.shape[-1]
        self.config = SimpleNamespace(pad_id=PAD, bos_id=BOS, eos_id=EOS, vocab_size=vocab, max_len=max_len)
        self.rows_fed = []

    def encode(self, src):
        return self.tables[src[:, 0]]

    def start(self, memory):
        return TableState(memory)

    def step(self, tokens, state):
        self.rows_fed.append(len(tokens))
        return state.tables[torch.arange(len(tokens)), tokens], state


def table(transitions, vocab=6):
    """A one-table model from {last: {next: probability}}; what is not named has probability zero."""
    probs = torch.zeros(1, vocab, vocab, dtype=torch.float64)
    for last, row in transitions.items():
        for following, prob in row.items():
            probs[0, last, following] = prob
    return TableModel(probs.log())


def random_tables(seed, n_tables=4, vocab=6, max_len=None):
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(n_tables, vocab, vocab, generator=generator, dtype=torch.float64)
    return TableModel(logits.log_softmax(-1), max_len)


def tiny_transformer(seed=0, **changes):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = TransformerConfig.tiny(
            vocab_size=12, d_model=16, n_heads=2, d_ff=32, tie_embeddings=False, max_len=30, **changes
        )
        model = Transformer(config).double().eval()
        for parameter in model.parameters():  # far from uniform, so that searches and rows differ
            parameter.data *= 1.5
    return model


def sources(seed, n_rows, longest, vocab=12):
    """Rows of different lengths, padded: (n_rows, longest), the last id of each `</s>`."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(3, vocab, (n_rows, longest), generator=generator)
    for row, length in enumerate(torch.randint(1, longest + 1, (n_rows,), generator=generator).tolist()):
        src[row, length - 1] = EOS
        src[row, length:] = PAD
    return src


ONE = torch.tensor([[0, 3, 2]])
FOUR = torch.tensor([[0, 3, 3], [1, 2, PAD], [2, 2, PAD], [3, 2, PAD]])


def listed(model, row, max_len, alpha):
    """Every finished sentence of one table and its score, by itertools: the independent oracle."""
    log_p = model.tables[row]
    ordinary = [token for token in range(model.config.vocab_size) if token not in (PAD, BOS, EOS)]
    for length in range(max_len):
        for body in itertools.product(ordinary, repeat=length):
            path = (BOS, *body, EOS)
            total = sum(log_p[last, following].item() for last, following in itertools.pairwise(path))
            yield total / ((5 + length + 1) / 6) ** alpha, path[1:]


def beam_without_stop_rule(model, row, beam_size, alpha, max_len):
    """One table's beam search in plain Python, run to the end: (score, tokens) of all it finished, best first."""
    live, finished = [(0.0, (BOS,))], []
    for length in range(1, max_len + 1):
        grown = [
            (total + model.tables[row, path[-1], token].item(), (*path, token))
            for total, path in live
            for token in range(model.config.vocab_size)
            if token not in (PAD, BOS)
        ]
        kept = sorted(grown, key=lambda item: -item[0])[:beam_size]
        finished += [(total / ((5 + length) / 6) ** alpha, path[1:]) for total, path in kept if path[-1] == EOS]
        live = [(total, path) for total, path in kept if path[-1] != EOS]
    return sorted(finished, key=lambda item: -item[0])


def test_greedy_follows_the_most_probable_token():
    model = table({BOS: {3: 0.6, 4: 0.4}, 3: {4: 0.7, EOS: 0.3}, 4: {EOS: 0.9, 3: 0.1}})
    (hypothesis,) = greedy_decode(model, ONE)
    assert hypothesis.tokens == (3, 4, EOS)
    assert hypothesis.log_prob == pytest.approx(math.log(0.6 * 0.7 * 0.9))


def test_greedy_rows_are_independent_and_finished_rows_leave_the_batch():
    model = random_tables(0)
    together = greedy_decode(model, FOUR)
    fed = list(model.rows_fed)
    assert together == [greedy_decode(model, row[None])[0] for row in FOUR]
    assert len({len(hypothesis.tokens) for hypothesis in together}) > 1
    assert sum(fed) == sum(len(hypothesis.tokens) for hypothesis in together)


def test_the_smallest_case_where_greedy_is_not_optimal():
    # The best first word, 0.6, goes on to 0.6 · 0.5 = 0.30; the other, 0.4, to 0.4 · 0.9 = 0.36.
    model = table({BOS: {3: 0.6, 4: 0.4}, 3: {EOS: 0.5, 3: 0.3, 4: 0.2}, 4: {EOS: 0.9, 3: 0.1}})
    (greedy,), (beam,) = greedy_decode(model, ONE), beam_search(model, ONE, beam_size=2, length_penalty=0.0)
    assert (greedy.tokens, beam.tokens) == ((3, EOS), (4, EOS))
    assert math.exp(greedy.log_prob) == pytest.approx(0.30)
    assert math.exp(beam.log_prob) == pytest.approx(0.36)
    assert exhaustive_search(model, ONE, max_len=4, length_penalty=0.0) == [beam]


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, alpha=ALPHAS)
def test_a_beam_of_one_is_greedy(seed, alpha):
    model = random_tables(seed)
    greedy, beam = greedy_decode(model, FOUR), beam_search(model, FOUR, beam_size=1, length_penalty=alpha)
    assert [h.tokens for h in beam] == [h.tokens for h in greedy]
    assert [h.log_prob for h in beam] == pytest.approx([h.log_prob for h in greedy])


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, alpha=ALPHAS, max_len=st.integers(1, 4))
def test_a_beam_of_every_prefix_is_exhaustive(seed, alpha, max_len):
    model = random_tables(seed)
    beam = beam_search(model, FOUR, EVERY_PREFIX, alpha, max_len)
    exhaustive = exhaustive_search(model, FOUR, max_len, alpha)
    for row, (wide, whole) in enumerate(zip(beam, exhaustive, strict=True)):
        score, tokens = max(listed(model, row, max_len, alpha))
        assert wide.tokens == whole.tokens == tokens
        assert wide.score == pytest.approx(score)
        assert whole.score == pytest.approx(score)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, alpha=ALPHAS, beam_size=st.integers(1, 5), max_len=st.integers(1, 12))
def test_the_stop_rule_loses_nothing(seed, alpha, beam_size, max_len):
    model = random_tables(seed)
    for n_best in (1, 3):
        found = beam_search_n_best(model, FOUR, n_best, beam_size, alpha, max_len)
        for row, hypotheses in enumerate(found):
            expected = beam_without_stop_rule(model, row, beam_size, alpha, max_len)[:n_best]
            if expected:
                assert [h.tokens for h in hypotheses] == [tokens for _, tokens in expected]
                assert [h.score for h in hypotheses] == pytest.approx([score for score, _ in expected])
            else:
                assert all(len(h.tokens) == max_len and EOS not in h.tokens for h in hypotheses)


def test_the_stop_rule_stops():
    model = table({BOS: {3: 0.9, 4: 0.1}, 3: {EOS: 0.9, 4: 0.1}, 4: {4: 0.9, EOS: 0.1}})
    beam_search(model, ONE, beam_size=2, length_penalty=0.0, max_len=50)
    assert len(model.rows_fed) == 2  # log 0.81 is out of reach of log 0.1 and of log 0.09


def test_the_stop_rule_looks_ahead_to_the_longest_sentence():
    # `</s>` at once scores log 0.6 = -0.511. The other branch starts at log 0.4 = -0.916, no better until lp(6) = 11/6.
    chain = {token: {token + 1: 1.0} for token in range(3, 7)}
    model = table({BOS: {3: 0.4, EOS: 0.6}, **chain, 7: {EOS: 1.0}}, vocab=8)
    (hypothesis,) = beam_search(model, ONE, beam_size=2, length_penalty=1.0, max_len=6)
    assert hypothesis.tokens == (3, 4, 5, 6, 7, EOS)
    assert hypothesis.score == pytest.approx(math.log(0.4) * 6 / 11)


def test_a_finished_sentence_is_not_forgotten():
    # `</s>` at once has 0.4; every longer sentence has at most 0.6 · 0.5.
    model = table({BOS: {3: 0.6, EOS: 0.4}, 3: {3: 0.5, EOS: 0.5}})
    (hypothesis,) = beam_search(model, ONE, beam_size=2, length_penalty=0.0)
    assert hypothesis.tokens == (EOS,)


def test_the_length_penalty_lets_a_longer_sentence_win():
    model = table({BOS: {3: 0.6, EOS: 0.4}, 3: {4: 1.0}, 4: {EOS: 0.55, 4: 0.45}})
    assert beam_search(model, ONE, 3, length_penalty=0.0)[0].tokens == (EOS,)
    assert beam_search(model, ONE, 3, length_penalty=1.0)[0].tokens == (3, 4, EOS)


def test_the_penalty_counts_the_end_and_not_the_start():
    model = table({BOS: {3: 0.5, 4: 0.5}, 3: {EOS: 1.0}, 4: {EOS: 1.0}})
    (hypothesis,) = beam_search(model, ONE, length_penalty=0.6)
    assert hypothesis.tokens == (3, EOS)  # of equals the lower id
    assert hypothesis.score == pytest.approx(math.log(0.5) / ((5 + 2) / (5 + 1)) ** 0.6)
    assert gnmt_penalty(1, 0.6) == 1


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, alpha=ALPHAS, beam_size=st.integers(8, 60))
def test_a_wide_beam_keeps_what_it_must_among_many_equals(seed, alpha, beam_size):
    generator = torch.Generator().manual_seed(seed)
    model = TableModel(-torch.randint(1, 4, (4, 6, 6), generator=generator, dtype=torch.float64))  # sums are exact
    for row, (found,) in enumerate(beam_search_n_best(model, FOUR, 1, beam_size, alpha, 5)):
        (score, tokens), *_ = beam_without_stop_rule(model, row, beam_size, alpha, 5)
        assert (found.score, found.tokens) == (score, tokens)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([-1.0, -2.0, -2.5, -30.0, -math.inf]), min_size=50, max_size=50), max_size=4),
    st.integers(1, 50),
)
def test_many_are_chosen_as_one_after_the_other_would_be(rows, count):
    rows = torch.tensor(rows).reshape(-1, 50)
    if not len(rows):
        return
    for (values, places), (expected, there) in zip(
        zip(*_most_probable(rows, count), strict=True), zip(*largest_first(rows, count), strict=True), strict=True
    ):
        possible = sum(value > -math.inf for value in expected)  # the others are left out, or are there at the end
        assert (values[:possible], places[:possible]) == (expected[:possible], there[:possible])
        assert set(values[possible:]) <= {-math.inf}


def test_a_wide_beam_costs_no_square():
    rows = torch.randn(1, 256 * 2000, generator=torch.Generator().manual_seed(0))

    def seconds(choose):
        began = time.process_time()
        choose(rows, 256)
        return time.process_time() - began

    assert min(seconds(_most_probable) for _ in range(3)) < seconds(largest_first) / 3  # measured: a twentieth


def test_equals_rank_by_their_prefix_and_then_by_the_lower_id():
    uniform = TableModel(torch.full((1, 6, 6), 0.25, dtype=torch.float64).log())
    n_best = beam_search_n_best(uniform, ONE, n_best=6, beam_size=4, length_penalty=0.0, max_len=3)[0]
    # Of the four equals 2, 3, 4, 5 at the first step, 2 is `</s>`; then all four places go to what follows 3.
    assert [h.tokens for h in n_best] == [(EOS,), (3, EOS), (3, 3, EOS)]
    assert greedy_decode(uniform, ONE, max_len=2)[0].tokens == (EOS,)
    assert exhaustive_search(uniform, ONE, max_len=3)[0].tokens == (EOS,)


def test_pad_and_start_are_never_generated_and_unk_may_be():
    logits = torch.zeros(1, 6, 6, dtype=torch.float64)
    logits[..., [PAD, BOS]] = 5.0
    logits[..., 3] = 2.0
    model = TableModel(logits.log_softmax(-1))
    kept = model.tables.clone()
    for (hypothesis,) in (
        greedy_decode(model, ONE, 3),
        beam_search(model, ONE, 4, 0.0, 3),
        exhaustive_search(model, ONE, 3, 0.0),
    ):
        assert hypothesis.log_prob == pytest.approx(
            sum(kept[0, last, token].item() for last, token in itertools.pairwise((BOS, *hypothesis.tokens)))
        )  # not renormalised
        assert not {PAD, BOS} & set(hypothesis.tokens)
    assert greedy_decode(model, ONE, 3)[0].tokens == (3, 3, 3)


def test_the_models_own_numbers_are_left_alone():
    model = random_tables(0)
    kept = model.tables.clone()
    model.step = lambda tokens, state: (model.tables[0, : len(tokens)], state)  # a view, not a copy
    for search in (greedy_decode, beam_search):
        search(model, ONE)
    assert torch.equal(model.tables, kept)


@pytest.mark.parametrize(
    "search",
    [greedy_decode, beam_search, lambda model, src: exhaustive_search(model, src, max_len=3)],
    ids=["greedy", "beam", "exhaustive"],
)
class TestOddModels:
    def test_what_does_not_finish_is_returned_unfinished(self, search):
        model = table({BOS: {3: 0.9, 4: 0.1}, 3: {3: 0.9, 4: 0.1}, 4: {4: 1.0}})
        (hypothesis,) = search(model, ONE)
        assert set(hypothesis.tokens) == {3}

    def test_a_dead_end_is_returned_unfinished(self, search):
        (hypothesis,) = search(table({BOS: {3: 1.0}, 3: {4: 1.0}}), ONE)
        assert hypothesis.tokens == (3, 4)

    def test_where_nothing_can_follow_the_start_the_hypothesis_is_empty_and_certain(self, search):
        assert search(table({3: {4: 1.0}}), ONE) == [Hypothesis((), 0.0, 0.0)]

    def test_not_a_number_is_an_error(self, search):
        with pytest.raises(FloatingPointError, match="NaN"):
            search(TableModel(torch.full((1, 6, 6), torch.nan)), ONE)

    def test_no_rows_give_no_hypotheses(self, search):
        assert search(random_tables(0), torch.zeros(0, 3, dtype=torch.int64)) == []


def test_the_default_length_limit_is_each_rows_own():
    model = table({BOS: {3: 1.0}, 3: {3: 1.0}})
    src = torch.tensor([[0, PAD, PAD, PAD], [0, 3, 3, EOS]])
    model.tables = model.tables.expand(1, -1, -1)
    for search in (greedy_decode, beam_search):
        model.config.max_len = None
        assert [len(h.tokens) for h in search(model, src)] == [2 * 0 + 10, 2 * 3 + 10]
        model.config.max_len = 12
        assert [len(h.tokens) for h in search(model, src)] == [10, 12]


def test_bad_arguments_are_refused():
    model = random_tables(0, max_len=20)
    with pytest.raises(ValueError, match="beam_size must be at least 1, got 0"):
        beam_search(model, ONE, beam_size=0)
    with pytest.raises(ValueError, match="n_best must be at least 1, got 0"):
        beam_search_n_best(model, ONE, n_best=0)
    for alpha in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="length_penalty"):
            beam_search(model, ONE, length_penalty=alpha)
    for max_len, message in ((0, "at least 1"), (21, "max_len=21 exceeds the 20 positions")):
        with pytest.raises(ValueError, match=message):
            greedy_decode(model, ONE, max_len=max_len)
    with pytest.raises(ValueError, match=rf"6 \*\* 9 sequences .*at most {MOST_SEQUENCES}"):
        exhaustive_search(model, ONE, max_len=9)
    with pytest.raises(ValueError, match=r"6 \*\* 1000000000 sequences"):  # which is never computed
        exhaustive_search(random_tables(0), ONE, max_len=10**9)


class WithoutCache:
    """A Transformer stepped by decoding the whole prefix anew each time: what the cache must agree with."""

    def __init__(self, model):
        self.model, self.config, self.encode = model, model.config, model.encode

    def start(self, memory):
        return Prefixes(memory, torch.zeros(memory.states.shape[0], 0, dtype=torch.int64))

    def step(self, tokens, state):
        state = Prefixes(state.memory, torch.cat([state.tokens, tokens[:, None]], dim=1))
        return self.model.decode(state.tokens, state.memory)[:, -1].log_softmax(-1), state


class Prefixes:
    def __init__(self, memory, tokens):
        self.memory, self.tokens = memory, tokens

    def reorder(self, rows):
        return Prefixes(self.memory.reorder(rows), self.tokens[rows])


def same(left, right):
    return [h.tokens for h in left] == [h.tokens for h in right] and [h.log_prob for h in left] == pytest.approx(
        [h.log_prob for h in right], abs=1e-9
    )


@pytest.mark.parametrize("seed", range(3))
def test_transformer_cached_equals_full_recompute(seed):
    model, src = tiny_transformer(seed), sources(seed, 5, 6)
    assert same(greedy_decode(model, src), greedy_decode(WithoutCache(model), src))
    assert same(beam_search(model, src), beam_search(WithoutCache(model), src))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_transformer_rows_do_not_influence_each_other(seed):
    model, src = tiny_transformer(seed), sources(seed, 6, 7)
    assert (src == PAD).any()
    singly = [row[row != PAD][None] for row in src]
    assert same(greedy_decode(model, src), [greedy_decode(model, row)[0] for row in singly])
    assert same(beam_search(model, src), [beam_search(model, row)[0] for row in singly])
    assert same(beam_search(model, src.flip(0)), beam_search(model, src)[::-1])


def test_transformer_log_prob_is_that_of_teacher_forcing():
    model, src = tiny_transformer(1), sources(1, 5, 6)
    for row, hypothesis in zip(src, beam_search(model, src, beam_size=3), strict=True):
        tokens = torch.tensor([hypothesis.tokens])
        tgt = torch.cat([torch.tensor([[BOS]]), tokens[:, :-1]], dim=1)
        log_probs = model(row[None], tgt).log_softmax(-1)
        assert hypothesis.log_prob == pytest.approx(log_probs.gather(2, tokens[..., None]).sum().item(), abs=1e-9)
        assert hypothesis.score == pytest.approx(hypothesis.log_prob / gnmt_penalty(tokens.numel(), 0.6))


def test_transformer_full_width_beam_is_exhaustive():
    model = tiny_transformer(2)
    src = sources(2, 3, 4)
    assert same(beam_search(model, src, EVERY_PREFIX, max_len=3), exhaustive_search(model, src, max_len=3))


def test_transformer_decodes_without_dropout_and_keeps_its_mode():
    model, src = tiny_transformer(3, dropout=0.5), sources(3, 4, 5)
    quiet = greedy_decode(model, src)
    model.train()
    assert greedy_decode(model, src) == quiet
    assert model.training
    with pytest.raises(ValueError):
        greedy_decode(model, torch.full((1, 31), 3))  # longer than the model
    assert model.training


def test_a_hypothesis_names_its_parts():
    assert Hypothesis((3, EOS), -1.0, -0.9)._fields == ("tokens", "log_prob", "score")
