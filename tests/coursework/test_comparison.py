"""The comparison: every right form of an answer passes, and of every wrong one it is said what is wrong."""

import numpy as np
import pytest

from coursework.comparison import difference

ARRAY = np.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    "expected, answer",
    [
        (ARRAY, ARRAY.tolist()),
        (ARRAY, ARRAY.astype("float32")),
        (ARRAY, ARRAY + 1e-9),
        (np.array([np.nan, np.inf]), [float("nan"), float("inf")]),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([True]), [True]),
        (0.5, np.array(0.5)),
        (2, 2.0),
        ([1, "a"], (1, "a")),
        ([1, 2], np.array([1, 2])),
        ({"a": 0.1}, {"a": 0.1 + 1e-9}),
        ({1, 2}, {2, 1}),
        (None, None),
    ],
)
def test_right_answers_pass(expected, answer):
    assert difference(expected, answer, 1e-5) is None


@pytest.mark.parametrize(
    "expected, answer, reason",
    [
        (ARRAY, ARRAY.T, "2 of its 4 entries are wrong, the first at (0, 1)"),
        (ARRAY, ARRAY[0], "its shape is (2,) where (2, 2) is expected"),
        (ARRAY, ARRAY > 0.5, "its dtype is bool where float64"),
        (ARRAY, [["a", "b"], ["c", "d"]], "its dtype is <U1"),
        (ARRAY, [[1], [1, 2]], "its lists have no common shape"),
        (ARRAY, {"a": 1}, "it is a dict where an array"),
        (ARRAY, ARRAY * np.nan, "4 of its 4 entries are wrong, the first at (0, 0)"),
        (np.array([True]), np.array([1]), "its dtype is int64 where bool"),
        (np.array([2**60]), np.array([2**60 + 1]), "1 of its 1 entries"),
        (1, True, "it is True or False where an int"),
        (1.5, "1.5", "it is text where a float"),
        (1.5, np.array([1.5]), "it is an array where a float"),
        (1.5, 10**400, "the wrong number"),
        (2**60, 2**60 + 1, "the wrong number"),
        ([1, 2], [1], "it has 1 items where 2 are expected"),
        ([1, [2]], [1, [3]], "item 1: item 0: it is the wrong number"),
        ({"a": 1}, {"b": 1}, "1 of its keys are missing and 1 are not expected"),
        ({"a": 1}, {"a": 2}, "at one key, it is the wrong number"),
        ({"a": 1}, [1], "it is a list where a dict"),
        ({1}, {2}, "the wrong value"),
        ("a", None, "it is None where text"),
        (None, 0, "it is an int where None"),
    ],
)
def test_wrong_answers_are_told_what_is_wrong(expected, answer, reason):
    assert reason in difference(expected, answer, 1e-5)
