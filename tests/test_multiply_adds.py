"""Multiply-adds: the formulas against torch's counter, and what does not depend on the number of heads."""

import pytest
import torch

from attention_book.multi_head import MultiHeadAttention
from attention_book.multiply_adds import counted, of_attention, of_recurrence


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
