"""What reaches a query is autograd's, and the division makes it equal at every width and in every draw."""

import numpy as np
import pytest
import torch

from attention_book.studies.attention.query_gradients import (
    PERCENT,
    QueryGradient,
    gradient_numbers,
    query_gradients,
    sorted_lines,
    sorted_told,
    weight_derivatives,
)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_derivatives_are_autograds(temperature):
    random = np.random.default_rng(0)
    q, k = random.normal(size=(2, 5)), random.normal(size=(2, 3, 5))
    for n, found in enumerate(weight_derivatives(q, k, temperature)):
        keys = torch.tensor(k[n])
        wanted = torch.autograd.functional.jacobian(
            lambda x, keys=keys: torch.softmax(keys @ x / temperature, dim=-1), torch.tensor(q[n])
        )
        np.testing.assert_allclose(found, wanted.numpy(), atol=1e-12)


def test_norms_of_the_draws_are_told_by_hand():
    found = QueryGradient(4, "divided", np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert f"{found.measured:.2f}" == "2.00\xa0±\xa01.58" and found.below(10) == "0.4"
    assert gradient_numbers([found]) == {"divided_4": 2.0, "low_divided_4": "0.4"}
    ((percent, below),) = sorted_lines([found]).values()
    assert list(sorted_lines([found])) == ["divided, width 4"] and percent.tolist() == PERCENT.tolist()
    assert [below[list(percent).index(at)] for at in (10, 50, 75)] == pytest.approx([0.4, 2.0, 3.0])
    assert sorted_told([found]).endswith("logarithmic axis. Divided, width 4: 0.4, 2 and 3.6.")


def test_divided_is_of_one_size_and_undivided_a_lottery():
    by = {(it.arm, it.width): it for it in query_gradients((16, 64, 256), np.random.default_rng(1))}
    divided = [by["divided", width].measured for width in (16, 64, 256)]
    assert max(it.value for it in divided) < 1.05 * min(it.value for it in divided)
    assert max(it.spread / it.value for it in divided) < 0.3
    for width in (16, 64, 256):
        undivided = by["undivided", width]
        assert undivided.measured.value > by["divided", width].measured.value
        assert np.quantile(undivided.norms, 0.1) < 0.1 * undivided.measured.value
