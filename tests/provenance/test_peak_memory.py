"""The peaks of memory: known allocations are counted, whatever becomes of them in the end."""

import numpy as np
import pytest
import torch

from attention_book.provenance.peak_memory import numpy_peak, torch_peak


def test_numpys_peak_counts_what_was_held_at_one_time():
    def call():
        first = np.zeros(500_000)
        del first
        second = np.zeros(1_000_000)
        return second + 1  # two arrays of eight megabytes

    assert numpy_peak(call) == pytest.approx(16e6, rel=0.01)
    assert numpy_peak(lambda: np.zeros(1_000_000)) == pytest.approx(8e6, rel=0.01)


def test_torchs_peak_counts_what_was_held_at_one_time():
    def call():
        first = torch.zeros(500_000)
        del first
        return torch.zeros(1_000_000) + 1

    assert torch_peak(call) == pytest.approx(8e6, rel=0.01)
    assert torch_peak(lambda: torch.zeros(1_000_000)) == pytest.approx(4e6, rel=0.01)


def test_after_an_error_nothing_goes_on_counting():
    import tracemalloc

    with pytest.raises(ZeroDivisionError):
        numpy_peak(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()
