"""Softmax, its Jacobian, entropy, cross-entropy, KL: against SciPy, autograd and finite differences; and their laws."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import close, normal

from attention_book.attention.probability import cross_entropy, entropy, kl_divergence, softmax, softmax_jacobian

LIBRARIES = pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
law = settings(max_examples=40, deadline=None)
scores = hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=3, max_side=5), elements=st.floats(-50, 50))
vectors = hnp.arrays(np.float64, st.integers(1, 7), elements=st.floats(-20, 20))


def as_numpy(x):
    return np.asarray(x.detach() if isinstance(x, torch.Tensor) else x)


@LIBRARIES
@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_softmax_is_scipys(kind, axis):
    x = 3 * normal(2, 3, 4).numpy()
    found = softmax(kind(x), axis=axis)
    np.testing.assert_allclose(as_numpy(found), scipy.special.softmax(x, axis=axis), rtol=0, atol=1e-15)


def test_softmax_gradient_is_torchs_and_the_finite_difference():
    x, upstream = normal(3, 5).requires_grad_(), normal(3, 5, seed=1)
    (found,) = torch.autograd.grad((softmax(x) * upstream).sum(), x)
    (wanted,) = torch.autograd.grad((torch.softmax(x, -1) * upstream).sum(), x)
    close(found, wanted, atol=1e-15)
    assert torch.autograd.gradcheck(softmax, x)


@LIBRARIES
def test_softmax_of_huge_scores_does_not_overflow(kind):
    found = softmax(kind(np.array([1e4, 1e4 - 1, -1e4])))
    np.testing.assert_allclose(as_numpy(found), scipy.special.softmax([1, 0, -2e4]))


@LIBRARIES
def test_softmax_of_integers_is_floating(kind):
    found = softmax(kind(np.array([0, 1, 2])))
    np.testing.assert_allclose(as_numpy(found), scipy.special.softmax([0.0, 1, 2]), atol=1e-7)


@LIBRARIES
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_softmax_of_nothing_is_nothing(kind, shape):
    assert tuple(softmax(kind(np.zeros(shape))).shape) == shape


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_slice_with_nothing_to_choose_from_gives_zeros_and_zero_gradients(dtype):
    x = torch.tensor([[-torch.inf, -torch.inf], [0.0, -torch.inf]], dtype=dtype, requires_grad=True)
    p = softmax(x)
    p.backward(torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype))
    assert p.tolist() == [[0, 0], [1, 0]]
    assert p.dtype == dtype
    assert x.grad.tolist() == [[0, 0], [0, 0]]


@law
@given(scores)
def test_softmax_gives_a_distribution(x):
    p = softmax(x)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(-1), 1, atol=1e-14)


@law
@given(scores, st.floats(-100, 100))
def test_softmax_does_not_see_a_common_shift(x, shift):
    np.testing.assert_allclose(softmax(x + shift), softmax(x), atol=1e-12)


@law
@given(st.integers(0, 10_000))
def test_temperature_goes_from_the_largest_score_to_indifference(seed):
    s = normal(6, seed=seed).numpy()
    sharp, flat = softmax(s / 1e-6), softmax(s / 1e9)
    assert sharp[s.argmax()] > 1 - 1e-6 or np.sort(s)[-1] - np.sort(s)[-2] < 1e-4
    np.testing.assert_allclose(flat, 1 / 6, atol=1e-8)


@LIBRARIES
@pytest.mark.parametrize("temperature", [0.5, 1.0, np.sqrt(64)])
def test_jacobian_is_the_finite_difference_of_scipys_softmax(kind, temperature):
    s, h = normal(2, 3, 4).numpy(), 1e-5
    found = as_numpy(softmax_jacobian(kind(s), float(temperature)))
    for j in range(4):
        step = h * np.eye(4)[j]
        rise = scipy.special.softmax((s + step) / temperature, -1) - scipy.special.softmax((s - step) / temperature, -1)
        np.testing.assert_allclose(found[..., :, j], rise / (2 * h), rtol=0, atol=1e-9)


def test_jacobian_is_autograds():
    s = normal(5)
    found = softmax_jacobian(s, 3.0)
    close(found, torch.autograd.functional.jacobian(lambda x: torch.softmax(x / 3.0, -1), s), atol=1e-15)
    close(softmax_jacobian(s), torch.autograd.functional.jacobian(lambda x: torch.softmax(x, -1), s), atol=1e-15)
    assert torch.autograd.gradcheck(softmax_jacobian, s.clone().requires_grad_())


@law
@given(vectors, st.floats(0.1, 10))
def test_jacobian_is_symmetric_and_positive_semidefinite_and_its_rows_and_columns_sum_to_zero(s, temperature):
    j = softmax_jacobian(s, temperature)
    np.testing.assert_array_equal(j, j.T)
    np.testing.assert_allclose(j.sum(0), 0, atol=1e-14)
    np.testing.assert_allclose(j.sum(1), 0, atol=1e-14)
    assert np.linalg.eigvalsh(j).min() > -1e-14


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_jacobian_refuses_a_temperature_that_is_not_positive(temperature):
    with pytest.raises(ValueError, match="temperature must be positive"):
        softmax_jacobian(np.zeros(3), temperature)


@LIBRARIES
@pytest.mark.parametrize("axis", [-1, 0])
def test_entropy_cross_entropy_and_kl_are_scipys(kind, axis):
    p, q = (scipy.special.softmax(2 * normal(4, 5, seed=seed).numpy(), axis) for seed in (0, 1))
    kl = scipy.special.rel_entr(p, q).sum(axis)
    for found, wanted in [
        (entropy(kind(p), axis), scipy.stats.entropy(p, axis=axis)),
        (kl_divergence(kind(p), kind(q), axis), kl),
        (cross_entropy(kind(p), kind(q), axis), scipy.stats.entropy(p, axis=axis) + kl),
    ]:
        np.testing.assert_allclose(as_numpy(found), wanted, rtol=0, atol=1e-14)


@LIBRARIES
def test_impossible_outcomes(kind):
    certain, fair = kind(np.array([1.0, 0.0])), kind(np.array([0.5, 0.5]))
    assert float(entropy(certain)) == 0
    assert float(cross_entropy(certain, fair)) == pytest.approx(np.log(2))
    assert float(cross_entropy(certain, certain)) == 0
    assert float(cross_entropy(fair, certain)) == np.inf
    assert float(kl_divergence(fair, certain)) == scipy.special.rel_entr([0.5, 0.5], [1, 0]).sum() == np.inf


def test_the_gradient_of_entropy_is_finite_at_certainty():
    p = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    entropy(p).backward()
    assert p.grad.isfinite().all()


def test_gradients_of_cross_entropy_are_the_finite_differences():
    p, q = (torch.softmax(normal(2, 4, seed=seed), -1).requires_grad_() for seed in (0, 1))
    assert torch.autograd.gradcheck(cross_entropy, (p, q))
    assert torch.autograd.gradcheck(entropy, (p,))


@law
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_entropy_lies_between_zero_and_log_n_and_kl_is_never_negative(seed, n):
    p, q = (scipy.special.softmax(3 * normal(n, seed=seed + i).numpy()) for i in (0, 1))
    assert -1e-15 <= entropy(p) <= np.log(n) + 1e-14
    assert kl_divergence(p, q) >= -1e-14
    assert kl_divergence(p, p) == 0
