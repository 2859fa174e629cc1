"""What scores cost: numbers kept are those of the formula, and time is that of the processor."""

import time

import pytest
import torch

from attention_book.additive import additive_scores, dot_scores
from attention_book.score_costs import ScoreCosts, numbers_kept, processor_ms, score_costs


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
    header = ["additive: numbers kept", "general: numbers kept", "additive: ms", "general: ms"]
    assert made_up.header() == ["queries, keys", *header]
    assert made_up.rows()[1] == ("5", "2,000", "40", "6.00", "1.50")
    assert made_up.numbers() == {"cost_width": 8, "cost_n": 5, "time_ratio": 4, "hidden_numbers": 200}


def test_additive_keeps_a_hidden_unit_per_pair_and_takes_longer():
    threads, width, sizes = torch.get_num_threads(), 64, (10, 20, 80)
    costs = score_costs(sizes, width)
    assert torch.get_num_threads() == threads
    assert len({kept - (n * n + 2 * n) * width for n, kept in zip(sizes, costs.kept["additive"], strict=True)}) == 1
    assert costs.kept["dot"] == [2 * n * width for n in sizes]
    assert costs.spent["additive"][-1] > costs.spent["general"][-1]
