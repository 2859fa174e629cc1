"""Matrices in large pages are the matrices."""

import pytest
import torch

from attention_book.translation.fast.large_pages import in_large_pages


def test_copies_are_equal_apart_and_in_lines_of_their_own():
    originals = [torch.arange(6.0).view(2, 3), torch.arange(40.0), torch.zeros(0, 2)]
    copies = in_large_pages(originals)
    assert all(one.equal(other) for one, other in zip(copies, originals, strict=True))
    assert all(one.data_ptr() % 64 == 0 for one in copies[:2])
    copies[0].fill_(-1)
    assert copies[1].equal(originals[1]) and originals[0][1, 2] == 5


def test_a_kernel_that_has_none_and_another_default_type(monkeypatch):
    monkeypatch.setattr("mmap.MADV_HUGEPAGE", 10**6, raising=False)  # advice that no kernel takes
    torch.set_default_dtype(torch.float64)
    try:
        for _ in range(2):
            (copy,) = in_large_pages([torch.eye(3, dtype=torch.float32)])
            assert copy.equal(torch.eye(3, dtype=torch.float32)) and copy.dtype == torch.float32
            monkeypatch.delattr("mmap.MADV_HUGEPAGE", raising=False)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("has_large_pages", [True, False])
def test_systems_without_large_pages_have_the_copies_too(monkeypatch, has_large_pages):
    if not has_large_pages:
        monkeypatch.delattr("mmap.MADV_HUGEPAGE", raising=False)
    (copy,) = in_large_pages([torch.eye(3)])
    assert copy.equal(torch.eye(3))
