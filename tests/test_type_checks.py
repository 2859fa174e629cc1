"""The checks of types themselves: they are on in every test, in modules with arrays and in those without."""

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError

from attention_book.attention.multi_head import split_heads
from attention_book.counting.log_linear import LogLinearModel
from attention_book.data.normalisation import normalise
from attention_book.little_language.language import sample


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: split_heads(torch.zeros(2, 4), 2),
        lambda: LogLinearModel.scores(None, np.zeros((2, 3, 4), dtype=int)),  # in a room of texts, and with an array
        lambda: sample("3", seed=1),
        lambda: normalise(3),
    ],
    ids=["a shape", "a shape in a room of texts", "a string for a number", "a number for a string"],
)
def test_what_is_of_another_type_is_refused_before_it_is_used(wrong):
    with pytest.raises(TypeCheckError):
        wrong()
