"""The checks of types themselves: they are on in every test, for functions with arrays and for those without."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from jaxtyping import Float, TypeCheckError
from type_checks import EACH, FIRST, checked, has_arrays, new_test

from attention_book.attention.multi_head import split_heads
from attention_book.counting.log_linear import LogLinearModel
from attention_book.data.normalisation import normalise
from attention_book.little_language.language import sample
from attention_book.models.recurrent_config import RecurrentConfig


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: split_heads(torch.zeros(2, 4), 2),
        lambda: LogLinearModel.scores(None, np.zeros((2, 3, 4), dtype=int)),  # in a room of texts, and with an array
        lambda: sample("3", seed=1),
        lambda: normalise(3),
        lambda: RecurrentConfig("3"),
    ],
    ids=["a shape", "a shape in a room of texts", "a string for a number", "a number for a string", "a dataclass"],
)
def test_what_is_of_another_type_is_refused_before_it_is_used(wrong):
    with pytest.raises(TypeCheckError):
        wrong()


def test_the_first_calls_of_each_test_are_checked_and_then_one_of_many():
    @checked
    def half(number: int) -> float:
        return number / 2

    def refused(times):
        found = []
        for call in range(1, times + 1):
            try:
                half(1.0)
            except TypeCheckError:
                found.append(call)
        return found

    assert refused(3 * EACH + FIRST) == [*range(1, FIRST + 1), *range(FIRST + EACH, 3 * EACH + FIRST + 1, EACH)]
    new_test()
    assert refused(FIRST + 1) == [*range(1, FIRST + 1)]


@pytest.mark.parametrize(
    ("annotation", "arrays"),
    [
        (Float[np.ndarray, " n"], True),
        (Float[torch.Tensor, " n"] | None, True),
        (dict[str, tuple[Float[np.ndarray, " n"], ...]], True),
        (Callable[[Float[np.ndarray, " n"]], float], True),
        (dict[str, tuple[int, ...]] | None, False),
        (np.ndarray, False),
        (Callable[[int], float], False),
    ],
)
def test_an_array_is_found_at_any_depth_of_an_annotation(annotation, arrays):
    assert has_arrays(annotation) is arrays
