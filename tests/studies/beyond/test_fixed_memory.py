"""The numbers of the fixed memory, its size beside the cache's, and what both ways hold."""

import pytest

from attention_book.studies.beyond import fixed_memory as study


@pytest.mark.parametrize(("d_k", "d_v"), [(64, 64), (8, 8), (1, 1), (16, 4)])
def test_the_cache_becomes_the_larger_one_at_the_length_that_is_told(d_k, d_v):
    n = study.first_longer(d_k, d_v)
    assert study.cache_numbers(n, d_k, d_v) > study.memory_numbers(d_k, d_v) >= study.cache_numbers(n - 1, d_k, d_v)


def test_the_table_grows_with_the_square_and_the_memory_with_the_outputs_alone():
    first, last = study.measured(256), study.measured(512)
    assert last[0] > 3.5 * first[0] and last[0] >= 2 * 4 * 512**2  # raw weights and weights at once
    outputs = 4 * 512 * study.WIDTH
    assert (
        outputs < last[1] < outputs + 5 * 4 * study.memory_numbers()
    )  # memory, its successor, what is added, rounding
    assert max(first[2], last[2]) < 1e-5


@pytest.mark.slow
def test_the_rows_and_numbers_of_the_page():
    rows = study.rows()
    assert [len(row) for row in rows] == [len(study.HEADER)] * len(study.LENGTHS)
    assert rows[0][:3] == ("256", "131\N{NO-BREAK SPACE}kB", "17\N{NO-BREAK SPACE}kB")
    assert len({row[2] for row in rows}) == 1
    numbers = study.numbers()
    assert numbers["first_longer"] == 33 and numbers["memory_of_all"] == 64 * 65 and numbers["apart"] < 1e-4
