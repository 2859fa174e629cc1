"""Inputs of the claims: the same each time, others by another seed, and none of torch's own random numbers spent."""

import torch

from attention_book.claims.drawn import attention_layer, normal


def test_one_seed_draws_the_same_numbers_and_another_draws_others():
    assert torch.equal(normal(2, 3), normal(2, 3)) and not torch.equal(normal(2, 3), normal(2, 3, seed=2))
    assert normal(2, 3).dtype == torch.float64


def test_a_layer_is_the_same_each_time_and_leaves_the_random_numbers_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    one, other = attention_layer(8, 2), attention_layer(8, 2)
    assert torch.equal(torch.rand(3), expected)
    assert torch.equal(one.w_q.weight, other.w_q.weight) and one.w_q.weight.dtype == torch.float64
    assert not any(parameter.requires_grad for parameter in one.parameters())
