"""What crosses the wall: every right kind of answer arrives as it was, and nothing else arrives at all."""

import json
from fractions import Fraction

import numpy as np
import pytest
import torch

from coursework.runner.exchange import MOST_KEYS, decode, encode


def sent(value, **options):
    """The value after its way through JSON text."""
    return decode(json.loads(json.dumps(encode(value))), **options)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2**70,
        -0.5,
        float("inf"),
        "día",
        [1, [2.5, "x"]],
        (1, (2,)),
        {("a", "b"): 2, "c": [1]},
        {1, 2},
        [],
    ],
)
def test_plain_values_arrive_as_they_were(value):
    assert sent(value) == value and type(sent(value)) is type(value)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex128", ">f8"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_arrive_with_their_shape_and_dtype(dtype, shape):
    value = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    got = sent(value.T)
    assert got.dtype == value.dtype.newbyteorder("=") and got.shape == value.T.shape and (got == value.T).all()


def test_a_tensor_is_a_tensor_for_the_student_and_an_array_for_the_grader():
    value = torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True)
    assert isinstance(sent(value), np.ndarray) and sent(value).dtype == np.float32
    assert torch.equal(sent(value, tensors=True), torch.ones(2, 3))


def test_numbers_of_other_kinds_arrive_as_numbers():
    assert sent(Fraction(1, 4)) == 0.25 and sent(np.float32(0.5)) == 0.5 and sent(np.bool_(True)).dtype == bool


@pytest.mark.parametrize("value", [object(), np.array([object()]), np.array(["a"]), b"bytes", range(3), len])
def test_what_has_no_plain_form_is_refused(value):
    with pytest.raises(TypeError, match=r"a \w+|an array of dtype"):
        encode(value)


def test_what_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(TypeError, match="nested more than 20 deep"):
        encode(value)


@pytest.mark.parametrize(
    "data",
    [
        {"array": ["float64", [2], "AAAA"]},
        {"array": ["float64", [-1], ""]},
        {"array": ["float64", [True], ""]},
        {"array": ["object", [0], ""]},
        {"array": ["float64", [0] * 9, ""]},
        {"array": ["float64", "12", ""]},
        {"array": ["float64", [0], "?"]},
        {"array": ["float64", [0]]},
        {"array": [["float64"], [0], ""]},
        {"pickle": ["gAR9lC4="]},
        {"list": {"a": 1}},
        {"list": [1], "tuple": [1]},
        {},
        [1],
        {"dict": [[1]]},
        {"dict": [[{"list": []}, 1]]},
        {"set": [{"array": ["bool", [], "AQ=="]}]},
        {"set": [0] * (MOST_KEYS + 1)},
        {"dict": [[0, 0]] * (MOST_KEYS + 1)},
    ],
)
def test_what_is_outside_the_schema_is_refused(data):
    with pytest.raises(ValueError, match=r"outside the schema|damaged|do not fill"):
        decode(data)


def test_deep_data_are_refused_before_they_exhaust_the_stack():
    data = 1
    for _ in range(500):
        data = {"list": [data]}
    with pytest.raises(ValueError, match="outside the schema"):
        decode(data)
