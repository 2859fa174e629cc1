"""What scores cost: numbers kept are those of the formula, and time is that of the processor."""

import time

import pytest
import torch

from attention_book.additive import additive_scores, dot_scores
from attention_book.score_costs import numbers_kept, processor_ms


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
