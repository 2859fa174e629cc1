"""One code for two libraries: which one is chosen, and that the choice does not need array-api-compat."""

import sys

import numpy as np
import pytest
import torch
from oracles import close, normal

from attention_book.attention.array_api import as_floating, namespace
from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.probability import cross_entropy, entropy, softmax_jacobian


def test_the_library_follows_the_arrays():
    assert namespace(np.ones(2), np.ones(3)).exp(np.zeros(1)) == 1
    assert isinstance(namespace(torch.ones(2)).exp(torch.zeros(1)), torch.Tensor)


@pytest.mark.parametrize("wrong", [(np.ones(2), torch.ones(2)), ([1.0],), (1.0,)])
def test_other_things_are_refused_by_name(wrong):
    with pytest.raises(TypeError, match=r"expected NumPy arrays only or torch tensors only, got .*; convert"):
        namespace(*wrong)


def test_integers_become_floats_and_floats_stay():
    assert as_floating(np.array([1, 2])).dtype == np.float64
    assert as_floating(torch.tensor([1, 2])).tolist() == [1.0, 2.0]
    assert as_floating(torch.tensor([1, 2])).dtype == torch.get_default_dtype()
    for kept in (np.ones(2, np.float16), torch.ones(2, dtype=torch.bfloat16)):
        assert as_floating(kept) is kept


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
def test_without_array_api_compat_the_answers_are_the_same(kind, monkeypatch):
    q, k, v = (kind(normal(2, 3, 4, seed=seed).numpy()) for seed in range(3))
    mask = kind(np.tril(np.ones((3, 3), bool)))

    def answers():
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return [output, weights, softmax_jacobian(q), entropy(weights), cross_entropy(weights, weights)]

    with_it = answers()
    monkeypatch.setitem(sys.modules, "array_api_compat", None)  # importing it now fails
    for found, wanted in zip(answers(), with_it, strict=True):
        close(torch.as_tensor(found), torch.as_tensor(wanted), atol=0)
