"""What a function may not change behind its caller's back."""

from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def unchanged_state():
    """Fail if what runs inside spends random numbers of torch's or NumPy's own, or sets the number of threads."""
    torchs, numpys, threads = torch.get_rng_state(), np.random.get_state()[1].copy(), torch.get_num_threads()
    yield
    assert torch.equal(torch.get_rng_state(), torchs), "torch's own random numbers were drawn"
    assert (np.random.get_state()[1] == numpys).all(), "NumPy's own random numbers were drawn"
    assert torch.get_num_threads() == threads, "another number of threads is set"
