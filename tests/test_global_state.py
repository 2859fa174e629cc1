"""The helper that holds functions to the random numbers and threads that they found."""

import numpy as np
import pytest
import torch
from global_state import unchanged_state


@pytest.mark.parametrize("change", [lambda: torch.rand(1), lambda: np.random.rand(1)])
def test_a_drawn_number_is_noticed(change):
    with pytest.raises(AssertionError, match="own random numbers were drawn"), unchanged_state():
        change()


def test_what_changes_nothing_passes():
    with unchanged_state():
        torch.rand(1, generator=torch.Generator())
        np.random.default_rng(0).random()
