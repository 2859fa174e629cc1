"""What a computation costs: by formula, by torch's own count, and by hand."""

import time

import pytest
import torch

from attention_book.analysis.costs import (
    ScoreCosts,
    counted,
    longest_chain,
    numbers_kept,
    of_attention,
    of_recurrence,
    processor_ms,
    score_costs,
    translator_chains,
)
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.scores import additive_scores, dot_scores
from attention_book.models.cells import GRU, RNN
from attention_book.models.config import TransformerConfig
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.models.transformer import Transformer


@pytest.mark.parametrize(
    ("n", "d_model", "n_heads", "d_k", "d_v"), [(5, 8, 2, None, None), (7, 32, 4, 6, 5), (1, 4, 4, 1, 3)]
)
def test_the_formula_is_torchs_count(n, d_model, n_heads, d_k, d_v):
    layer = MultiHeadAttention(d_model, n_heads, d_k, d_v).eval()
    formula = of_attention(n, d_model, n_heads, d_k, d_v if d_v is not None else d_k)
    products = sum(formula[name] for name in ("projections", "scores", "mixing"))
    assert counted(layer, torch.zeros(1, n, d_model), need_weights=True) == products


def test_one_head_of_512_costs_what_eight_of_64_cost_but_for_the_exponentials():
    costs = {h: of_attention(100, 512, h) for h in (1, 8)}
    assert counted(MultiHeadAttention(512, 1), torch.zeros(1, 100, 512), need_weights=True) == counted(
        MultiHeadAttention(512, 8), torch.zeros(1, 100, 512), need_weights=True
    )
    assert costs[8].pop("exponentials") == 8 * costs[1].pop("exponentials")
    assert costs[1] == costs[8]


def test_attention_overtakes_recurrence_at_n_equal_d():
    def core(n):
        parts = of_attention(n, 64, 4)
        return parts["scores"] + parts["mixing"]

    assert core(63) < of_recurrence(63, 64)
    assert core(64) == of_recurrence(64, 64)
    assert core(65) > of_recurrence(65, 64)


def test_a_recurrence_is_counted_as_a_loop():
    w, u, x = torch.zeros(4, 4), torch.zeros(4, 4), torch.zeros(6, 4)

    def recurrence():
        h = torch.zeros(1, 4)
        for row in x:
            h = torch.tanh(row[None] @ w + h @ u)

    assert counted(recurrence) == of_recurrence(6, 4)


def test_a_chain_by_hand():
    x = torch.randn(3, requires_grad=True)
    assert longest_chain(x.tanh()) == 1
    assert longest_chain(x.tanh().exp().sum()) == 3
    y = x.tanh().exp().sin() + x.cos()  # the longer of two ways, and the sum
    assert longest_chain(y) == 4


def test_a_long_chain_needs_no_deep_stack():
    x = torch.ones(1, requires_grad=True)
    for _ in range(5000):
        x = x * 1.0
    assert longest_chain(x) == 5000


def test_work_side_by_side_does_not_count():
    x = torch.randn(4, requires_grad=True)
    one = longest_chain(x.tanh())
    assert longest_chain(torch.stack([x.tanh() for _ in range(7)])) == one + 1


def test_nothing_recorded_is_told():
    with pytest.raises(ValueError, match="gradients on"):
        longest_chain(torch.ones(2))


@pytest.mark.parametrize("layers", [RNN(2, 3), GRU(2, 3), GRU(2, 3, bidirectional=True)])
def test_a_recurrent_layer_adds_the_same_for_every_position(layers):
    chains = [longest_chain(layers(torch.randn(1, n, 2))[0]) for n in (4, 8, 12)]
    assert chains[1] - chains[0] == chains[2] - chains[1] > 0


def lengths(model, src_len, tgt_len):
    src, tgt = torch.full((1, src_len), 5), torch.full((1, tgt_len), 6)
    return longest_chain(model(src, tgt))


def test_a_transformer_waits_as_long_for_forty_tokens_as_for_four():
    model = Transformer(TransformerConfig.tiny(50))
    assert lengths(model, 4, 4) == lengths(model, 40, 40)


@pytest.mark.parametrize("asks", ["before", "after"])
def test_a_recurrent_translator_waits_for_source_and_target(asks):
    model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks=asks))
    short, long_source, long_target = lengths(model, 4, 4), lengths(model, 14, 4), lengths(model, 4, 14)
    assert long_source > short < long_target
    assert lengths(model, 14, 14) - long_source == long_target - short


def test_asking_before_puts_the_attention_on_the_chain():
    chains = {}
    for asks in ("before", "after"):
        model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks=asks))
        chains[asks] = lengths(model, 4, 14) - lengths(model, 4, 4)
    assert chains["before"] > chains["after"]


def test_the_chains_of_the_page_grow_by_the_token_or_not_at_all():
    before, after, transformer = translator_chains((3, 5, 9)).values()
    assert len(set(transformer)) == 1
    for chain in (before, after):
        first, second, third = chain
        assert third - second == 2 * (second - first) > 0 and (second - first) % 2 == 0
    assert before[1] - before[0] > after[1] - after[0]
    model = RecurrentEncoderDecoder(RecurrentConfig.tiny(50, fused=False, asks="after"))
    assert after == [lengths(model, n, n) for n in (3, 5, 9)]


@pytest.mark.parametrize(("q_len", "k_len", "width"), [(3, 5, 4), (6, 2, 8)])
def test_additive_keeps_a_number_for_each_pair_and_coordinate_and_dot_keeps_queries_and_keys(q_len, k_len, width):
    q, k = torch.randn(q_len, width, requires_grad=True), torch.randn(k_len, width, requires_grad=True)
    w_q, w_k, v = torch.randn(width, width), torch.randn(width, width), torch.randn(width)
    matrices = w_q.numel() + w_k.numel() + v.numel()
    assert numbers_kept(additive_scores, q, k, w_q, w_k, v) == q_len * k_len * width + matrices
    assert numbers_kept(dot_scores, q, k) == (q_len + k_len) * width


def test_what_two_operations_need_counts_once_and_sums_need_nothing():
    x = torch.randn(7, requires_grad=True)
    assert numbers_kept(lambda x: x * x * x, x) == 14  # x, and x²
    assert numbers_kept(lambda x: x.sum(), x) == 0
    assert numbers_kept(lambda x: x.exp(), x) == 7  # its result


def test_processor_time_does_not_count_waiting():
    calls = []
    assert processor_ms(lambda: (calls.append(torch.is_grad_enabled()), time.sleep(0.02)), repeats=3) < 15
    assert calls == [False] * 3

    def busy():
        began = time.process_time()
        while time.process_time() - began < 0.02:
            pass

    assert processor_ms(busy, repeats=2) >= 20


def test_made_up_costs_are_read_by_hand():
    kept, spent = {"additive": [1000, 2000], "general": [30, 40]}, {"additive": [1.0, 6.0], "general": [1.0, 1.5]}
    made_up = ScoreCosts(8, kept, spent, (2, 5))
    assert made_up.numbers() == {"cost_width": 8, "cost_n": 5, "kept_ratio": 50, "time_ratio": 4}


def test_additive_keeps_a_hidden_unit_per_pair_and_takes_longer():
    threads, width, sizes = torch.get_num_threads(), 64, (10, 20, 80)
    costs = score_costs(sizes, width)
    assert torch.get_num_threads() == threads
    assert len({kept - (n * n + 2 * n) * width for n, kept in zip(sizes, costs.kept["additive"], strict=True)}) == 1
    assert costs.kept["dot"] == [2 * n * width for n in sizes]
    assert costs.spent["additive"][-1] > costs.spent["general"][-1]
