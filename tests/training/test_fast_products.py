"""Products by oneDNN are the products, and so are their gradients; what it cannot do is left to torch."""

import pytest
import torch
import torch.nn.functional as F
from oracles import unchecked

from attention_book.training import fast_products
from attention_book.training.fast_products import linear, times_transposed


def drawn(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def exact(x, weight, bias):
    """The product in float64, and the gradients of the sum of its squares."""
    parts = [None if one is None else one.detach().double().requires_grad_() for one in (x, weight, bias)]
    product = torch.einsum("...i,oi->...o", parts[0], parts[1]) + (0 if bias is None else parts[2])
    return product, torch.autograd.grad(product.square().sum(), [one for one in parts if one is not None])


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 1, 4)], ids=str)
@pytest.mark.parametrize("onednn", [True, False])
def test_a_linear_layer_and_all_its_gradients(onednn, shape, has_bias, monkeypatch):
    monkeypatch.setattr("torch.backends.mkldnn.is_available", lambda: onednn)
    torch.manual_seed(0)
    x, weight, bias = drawn(*shape, 6), drawn(9, 6), drawn(9) if has_bias else None
    product, gradients = exact(x, weight, bias)
    found = linear(x, weight, bias)
    given = [one for one in (x, weight, bias) if one is not None]
    torch.testing.assert_close(found.double(), product, rtol=1e-5, atol=1e-5)
    for one, other in zip(torch.autograd.grad(found.square().sum(), given), gradients, strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-5, atol=1e-4)


def test_each_gradient_by_itself():
    x, weight, bias = drawn(4, 3), drawn(2, 3), drawn(2)
    for frozen in range(3):
        parts = [one.detach() if place == frozen else one for place, one in enumerate((x, weight, bias))]
        given = [one for one in parts if one.requires_grad]
        wanted = torch.autograd.grad(F.linear(*parts).exp().sum(), given)
        torch.testing.assert_close(torch.autograd.grad(linear(*parts).exp().sum(), given), wanted)


def test_views_are_multiplied_as_they_are_seen():
    torch.manual_seed(0)
    a, b = torch.randn(6, 4).t(), torch.randn(6, 10)[:, ::2].t()
    torch.testing.assert_close(times_transposed(a, b), a.contiguous() @ b.t().contiguous())


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch comes without oneDNN")
def test_only_numbers_in_float32_and_on_a_cpu_go_to_onednn(monkeypatch):
    asked = []
    inner = fast_products._Linear.apply
    monkeypatch.setattr(fast_products._Linear, "apply", lambda *parts: asked.append(parts) or inner(*parts))
    for dtype in (torch.float64, torch.bfloat16):
        assert linear(drawn(2, 3, dtype=dtype), drawn(4, 3, dtype=dtype), None).dtype == dtype
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(drawn(2, 3), drawn(4, 3), None).dtype == torch.bfloat16
    assert linear(drawn(0, 3), drawn(4, 3), drawn(4)).shape == (0, 4) and not asked
    assert linear(drawn(2, 3), drawn(4, 3), None).shape == (2, 4) and len(asked) == 1


def test_sizes_that_do_not_fit_are_refused():
    for weight, bias in ((drawn(4, 5), None), (drawn(4, 3), drawn(5))):
        with unchecked(), pytest.raises(RuntimeError):
            linear(drawn(2, 3), weight, bias)
