"""Matrices in large pages are the matrices, and their products are the products."""

import pytest
import torch

from attention_book.translation.fast.fast_translator import packed
from attention_book.translation.fast.large_pages import PagedProduct, PagedTransformer, in_large_pages
from attention_book.translation.fast.packing import PackedTransformer, product
from translation.fast.models import SHAPES, random_model


def test_copies_are_equal_apart_and_in_lines_of_their_own():
    originals = [torch.arange(6.0).view(2, 3), torch.arange(40.0), torch.zeros(0, 2)]
    copies = in_large_pages(originals)
    assert all(one.equal(other) for one, other in zip(copies, originals, strict=True))
    assert all(one.data_ptr() % 64 == 0 for one in copies[:2])
    copies[0].fill_(-1)
    assert copies[1].equal(originals[1]) and originals[0][1, 2] == 5


@pytest.mark.parametrize("has_large_pages", [True, False])
def test_systems_without_large_pages_have_the_copies_too(monkeypatch, has_large_pages):
    if not has_large_pages:
        monkeypatch.delattr("mmap.MADV_HUGEPAGE", raising=False)
    (copy,) = in_large_pages([torch.eye(3)])
    assert copy.equal(torch.eye(3))


@pytest.mark.parametrize("rows", [0, 1, 2, 40])
@pytest.mark.parametrize("with_onednn", [True, False])
@pytest.mark.parametrize("with_bias", [True, False])
def test_products_are_products(rows, with_onednn, with_bias, monkeypatch):
    monkeypatch.setattr("torch.backends.mkldnn.is_available", lambda: with_onednn)
    torch.manual_seed(0)
    weight, bias, x, total = torch.randn(64, 5), torch.randn(64), torch.randn(rows, 5), torch.randn(rows, 64)
    one = product(weight, bias if with_bias else None, "float32")
    (turned,) = in_large_pages([one.turned])
    paged = PagedProduct(one, turned)
    wanted = torch.einsum("ri,oi->ro", x, weight) + (bias if with_bias else 0)
    assert torch.allclose(paged(x), wanted, atol=1e-5)
    before = total.clone()
    paged.add_to(total, x)
    assert torch.allclose(total, before + wanted, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_may_be_generated(shape):
    model = random_model(**SHAPES[shape])
    allowed = PagedTransformer(model).allowed
    config = model.config
    banned = {config.pad_id, config.bos_id, *range(config.vocab_size, len(allowed))}
    assert {place for place, number in enumerate(allowed.tolist()) if number} == banned


@pytest.mark.usefixtures("unchecked")
def test_float32_is_put_into_large_pages_and_nothing_else():
    model = random_model()
    assert isinstance(packed(model), PagedTransformer)
    assert type(packed(model, "int8")) is PackedTransformer
    with pytest.raises(TypeError, match="fast decoding is for Transformers"):
        packed(torch.nn.Linear(2, 2))
