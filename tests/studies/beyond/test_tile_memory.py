"""The memory of both attentions: formula and measurement agree, and the tiles do not grow with the table."""

import pytest
import torch

from attention_book.attention.tiles import tiled_attention
from attention_book.studies.beyond import tile_memory as study

AT_ONCE = 3
"""Tables that NumPy holds at one time in a softmax: the scores, these less the largest, and their exponentials."""


def table_bytes(length: int) -> int:
    """By formula: so many whole tables. (The output is smaller than the tables that are gone when it is made.)"""
    return study.BYTES * AT_ONCE * length**2


def tiles_bytes(length: int) -> int:
    """By formula: the most that a tile's softmax or a merge holds, and the output.

    The softmax holds so many tiles, beside the values of the parts before and after it; the merge one tile of scores,
    the values of both parts, each times its factor, and their sum.
    """
    softmax = AT_ONCE * study.TILE**2 + 2 * study.TILE * study.WIDTH
    merge = study.TILE**2 + 5 * study.TILE * study.WIDTH
    return study.BYTES * (max(softmax, merge) + length * study.WIDTH)


@pytest.mark.parametrize("length", [512, 1024])
def test_the_formulas_are_what_is_measured(length):
    found = study.measured(length)
    assert found.table == pytest.approx(table_bytes(length), rel=0.03)
    assert found.tiles == pytest.approx(tiles_bytes(length), rel=0.06)


def test_what_the_page_says_of_the_two_ways():
    first, last = study.measured(512), study.measured(1024)
    assert last.table > 3.9 * first.table and last.tiles < 2 * first.tiles
    assert max(first.difference, last.difference) < 1e-12


@pytest.mark.slow
def test_the_table_of_the_page():
    rows = study.rows()
    assert [len(row) for row in rows] == [len(study.HEADER)] * len(study.LENGTHS)
    n = study.LENGTHS[-1]
    assert rows[-1][:3] == ("2,048", *(f"{size / 1e6:.2f} MB" for size in study.measured(n)[:2]))
    assert all(row[-1].endswith(("e\N{MINUS SIGN}15", "e\N{MINUS SIGN}16")) for row in rows)


def test_autograd_keeps_as_many_numbers_as_the_table_has():
    found = study.numbers()
    assert (
        1.9 < found["kept_table"] < 2.1 and 1 < found["kept_tiles"] < 1.3
    )  # the exponentials, and the table of weights
    assert found["saving"] > 50 and found["apart"] < 1e-12
    assert found["tile_of_table"] == 1024 and found["tables_at_once"] == AT_ONCE
    by_formula = 8 * study.LENGTHS[-1] * study.WIDTH / tiles_bytes(study.LENGTHS[-1])
    assert found["outputs_share"] == pytest.approx(100 * by_formula, abs=3) and found["outputs_share"] > 80


def test_what_autograd_keeps_is_counted_by_hand():
    def product(q, k, v):  # keeps q and k, which are inputs, and the product of both
        return (q @ k.mT).exp() @ v

    n = 16
    assert study.kept_by_autograd(product, n) == n * n  # exp keeps its result, which the last product reads too
    assert study.kept_by_autograd(lambda q, k, v: q + k, n) == 0
    assert study.kept_by_autograd(lambda q, k, v: q * (q @ k.mT).amax(-1, keepdim=True).detach(), n) == n  # not n * n
    with torch.no_grad():
        assert study.kept_by_autograd(lambda q, k, v: tiled_attention(q, k, v), n) == 0
