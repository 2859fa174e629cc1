"""What crosses between the grader and a submission's process, both ways: JSON with a closed schema.

Nothing is unpickled and no archive is opened, npz included: an archive may unfold into more than it seems. An array is
its dtype, its shape and its bytes, so a class that lies about itself arrives as the plain numbers that it holds.
"""

import base64
import binascii
import math
import numbers
import sys

import numpy as np

DTYPES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
)
DTYPES += ("complex64", "complex128")
DEEPEST = 20
MOST_KEYS = 20_000  # keys can be chosen to collide, and then a dict costs their number squared


def encode(value, depth=0):
    """A value as JSON data.

    Raises:
        TypeError: it is, or holds, something else than numbers, text, arrays, tensors, lists, tuples, dicts and sets.
    """
    torch = sys.modules.get("torch")
    if depth > DEEPEST:
        raise TypeError(f"it is nested more than {DEEPEST} deep")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if torch and isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return {"tensor": _array((value.float() if value.dtype == torch.bfloat16 else value).numpy())}
    if isinstance(value, np.ndarray) and value.dtype == object:  # Python's own numbers, such as large ints
        return encode(value.tolist(), depth + 1)
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": _array(value)}
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return {kind.__name__.removeprefix("frozen"): [encode(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    raise TypeError(
        f"a {type(value).__name__}; return numbers, text, arrays, tensors, or lists, tuples, dicts or sets of them"
    )


def _array(value):
    plain = np.array(value, subok=False)
    if plain.dtype.name not in DTYPES:
        raise TypeError(f"an array of dtype {plain.dtype.name}; return an array of numbers")
    plain = np.array(plain, dtype=plain.dtype.name, order="C")
    return [plain.dtype.name, list(plain.shape), base64.b64encode(plain.tobytes()).decode("ascii")]


def decode(data, tensors=False, depth=0):
    """The value that `encode` wrote; tensors come back as arrays unless `tensors` is set.

    Raises:
        ValueError: the data are outside the schema.
    """
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    kind, content = next(iter(data.items())) if isinstance(data, dict) and len(data) == 1 else (None, None)
    if kind is None or not isinstance(content, list) or depth > DEEPEST:
        raise ValueError("a value outside the schema")
    if kind in ("array", "tensor"):
        array = _plain(content)
        return sys.modules["torch"].from_numpy(array) if tensors and kind == "tensor" else array
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](decode(item, tensors, depth + 1) for item in content)
    try:
        if kind == "set" and len(content) <= MOST_KEYS:
            return {decode(item, tensors, depth + 1) for item in content}
        if kind == "dict" and len(content) <= MOST_KEYS:
            return {decode(key, tensors, depth + 1): decode(item, tensors, depth + 1) for key, item in content}
    except (TypeError, ValueError) as error:
        raise ValueError(f"a key or an item outside the schema: {error}") from None
    raise ValueError(f"a {kind!r:.20} outside the schema, or with more than {MOST_KEYS} keys")


def _plain(content):
    dtype, shape, text = content if len(content) == 3 else (None, None, None)
    sizes = shape if isinstance(shape, list) and len(shape) <= 8 else [None]
    if dtype not in DTYPES or not isinstance(text, str) or not all(type(n) is int and 0 <= n < 2**40 for n in sizes):
        raise ValueError("an array outside the schema")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("an array whose bytes are damaged") from error
    if len(data) != math.prod(sizes) * np.dtype(dtype).itemsize:
        raise ValueError("an array whose bytes do not fill its shape")
    return np.frombuffer(data, dtype=dtype).reshape(sizes).copy()
