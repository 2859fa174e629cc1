"""The check of *The masks of a translator* takes the right counts and names what is wrong with the others."""

from fractions import Fraction

import numpy as np
import pytest

from attention_book.checks.attention import translator_masks as checks

from ..diagnosis import diagnosis

CELLS = {"encoder": 8, "decoder": 39, "cross": 8}


def test_the_cells_pass():
    assert checks.check_cells(CELLS)
    assert checks.check_cells({"encoder": 8.0, "decoder": np.int64(39), "cross": Fraction(8)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoder": 10}, "shorter source has padding"),
        ({"encoder": 34}, "not one per query"),
        ({"encoder": 40}, "not one per query"),
        ({"decoder": 42}, "padding of the first target"),
        ({"decoder": 31}, "not emptied"),
        ({"decoder": 60}, "no later token"),
        ({"decoder": 72}, "Nothing is hidden"),
        ({"decoder": 21}, "two sentences"),
        ({"decoder": 18}, "two sentences"),
        ({"decoder": 10}, "the future is hidden too"),
        ({"cross": 10}, "of the source"),
        ({"cross": 12}, "not of the target"),
        ({"cross": 48}, "serves all queries"),
        ({"cross": 38}, "serves all queries"),
        ({"cross": 7}, "row by row"),
        ({"decoder": ...}, "still open"),
        ({"decoder": "39"}, "one number"),
    ],
)
def test_the_cells_name_the_mistake(change, message):
    assert message in diagnosis(checks.check_cells(CELLS | change))
