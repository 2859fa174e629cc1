"""What the page says of the lists holds in the committed result."""

import re

import numpy as np
import pytest

from attention_book.readers.beyond import recall_of_lists


@pytest.fixture(scope="module")
def runs():
    return recall_of_lists.read()


def test_softmax_recalls_every_list(runs):
    assert runs.right("softmax_16").min() > 0.99


def test_a_fixed_memory_recalls_less_the_longer_the_list_in_every_seed(runs):
    for arm in ("linear_8", "linear_16", "linear_32"):
        assert (np.diff(runs.right(arm), axis=1) < 0).all()
    for narrow, wide in (("linear_8", "linear_16"), ("linear_16", "linear_32")):
        assert (runs.right(narrow) < runs.right(wide)).all()


def test_about_nine_in_ten_are_right_with_as_many_rows_as_a_key_is_wide(runs):
    for width in (8, 16, 32):
        assert 87 < runs.at(f"linear_{width}", width).value < 96


def test_the_table_and_the_lines_have_every_arm_and_length(runs):
    assert len(runs.header) == 1 + len(runs.lengths) and [len(row) for row in runs.rows()] == [len(runs.header)] * 4
    assert runs.rows()[2][0] == "linear, width 16" and list(runs.lines()) == [row[0] for row in runs.rows()]
    for arm, row in zip(runs.arms, runs.rows(), strict=True):
        for place, length in enumerate(runs.lengths):
            shares = 100 * runs.right(arm)[:, place]
            mean, spread = re.fullmatch(r"([\d.]+)\s±\s([\d.]+)", row[1 + place]).groups()
            assert mean == f"{shares.mean():.1f}" and spread == f"{shares.std(ddof=1):.1f}"
            assert runs.at(arm, length).value == pytest.approx(shares.mean())
    assert "Linear, width 8: 97 with 4" in runs.lines_told()


def test_the_numbers_of_the_text(runs):
    numbers = runs.numbers()
    assert numbers["recall_chance"] == 6.25 and numbers["recall_longest"] == 64 and numbers["recall_seeds"] == 5
    assert [numbers[f"fade_linear_{width}"] for width in (8, 16, 32)] == [16, 32, 64]
    assert numbers["recall_list_bits"] == 256  # log2 16 per symbol, 64 symbols
    assert numbers["recall_narrow_numbers"] == 8 * 16 + 8 and numbers["recall_narrow_bits"] == 4352
    with pytest.raises(ValueError, match="right at every length"):
        runs.fade("softmax_16")
