"""Is an answer the expected value? Both are plain values by now; the reason given for a no tells no number."""

import numpy as np

NUMBERS = (bool, int, float)


def difference(expected, answer, tolerance):
    """What is wrong with an answer, as one sentence without its full stop; None if it is right.

    An array may be given as nested lists, a tuple as a list. True is no 1, and a number is no array of one entry.
    """
    if isinstance(expected, np.ndarray):
        return _array_difference(expected, answer, tolerance)
    if isinstance(answer, np.ndarray) and (answer.ndim == 0 or isinstance(expected, (list, tuple))):
        answer = answer.tolist()
    if isinstance(expected, NUMBERS):
        if not isinstance(answer, NUMBERS) or isinstance(expected, bool) != isinstance(answer, bool):
            return f"it is {_kind(answer)} where {_kind(expected)} is expected"
        return None if _close(expected, answer, tolerance) else "it is the wrong number"
    if isinstance(expected, (list, tuple)):
        return _sequence_difference(expected, answer, tolerance)
    if isinstance(expected, dict) and isinstance(answer, dict):
        return _dict_difference(expected, answer, tolerance)
    if type(expected) is not type(answer):
        return f"it is {_kind(answer)} where {_kind(expected)} is expected"
    return None if expected == answer else "it is the wrong value"


def _kind(value):
    names = {"NoneType": "None", "ndarray": "an array", "bool": "True or False", "int": "an int", "str": "text"}
    return names.get(type(value).__name__, f"a {type(value).__name__}")


def _close(expected, answer, tolerance):
    if isinstance(expected, int) and isinstance(answer, int):
        return expected == answer
    try:
        return bool(np.isclose(float(answer), float(expected), rtol=tolerance, atol=tolerance, equal_nan=True))
    except OverflowError:
        return False


def _array_difference(expected, answer, tolerance):
    if not isinstance(answer, (np.ndarray, list, tuple, *NUMBERS)):
        return f"it is {_kind(answer)} where an array of shape {expected.shape} is expected"
    try:
        answer = np.asarray(answer)
    except (ValueError, OverflowError):
        return f"its lists have no common shape; an array of shape {expected.shape} is expected"
    if answer.shape != expected.shape:
        return f"its shape is {answer.shape} where {expected.shape} is expected"
    if answer.dtype.kind not in "biufc" or (answer.dtype.kind == "b") != (expected.dtype.kind == "b"):
        return f"its dtype is {answer.dtype} where {expected.dtype} is expected"
    if {answer.dtype.kind, expected.dtype.kind} <= set("biu"):
        right = answer == expected
    else:
        with np.errstate(all="ignore"):
            right = np.isclose(answer, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    if right.all():
        return None
    first = tuple(int(i) for i in np.argwhere(~right)[0])
    return f"{np.count_nonzero(~right)} of its {right.size} entries are wrong, the first at {first}"


def _sequence_difference(expected, answer, tolerance):
    if not isinstance(answer, (list, tuple)):
        return f"it is {_kind(answer)} where a list of {len(expected)} is expected"
    if len(answer) != len(expected):
        return f"it has {len(answer)} items where {len(expected)} are expected"
    for index, (right, given) in enumerate(zip(expected, answer, strict=True)):
        if wrong := difference(right, given, tolerance):
            return f"item {index}: {wrong}"
    return None


def _dict_difference(expected, answer, tolerance):
    missing, extra = len(expected.keys() - answer.keys()), len(answer.keys() - expected.keys())
    if missing or extra:
        return f"{missing} of its keys are missing and {extra} are not expected"
    for key, right in expected.items():
        if wrong := difference(right, answer[key], tolerance):
            return f"at one key, {wrong}"
    return None
