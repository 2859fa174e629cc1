"""One way to write a function for NumPy arrays and torch tensors alike (the array API standard)."""

import numpy as np
import torch

Array = np.ndarray | torch.Tensor


def namespace(*arrays):
    """The module whose functions work on ``arrays``: NumPy's, or torch's, seen through ``array-api-compat``.

    Where ``array-api-compat`` is not installed (a bare training machine) the library itself is returned: for the few
    functions this package calls through it, the names and the keywords ``axis`` and ``keepdims`` agree.

    Raises:
        TypeError: if the arrays are of two libraries, or of neither.
    """
    if all(isinstance(a, torch.Tensor) for a in arrays):
        library = torch
    elif all(isinstance(a, np.ndarray) for a in arrays):
        library = np
    else:
        kinds = ", ".join(sorted({type(a).__module__.split(".")[0] + "." + type(a).__name__ for a in arrays}))
        raise TypeError(f"expected NumPy arrays only or torch tensors only, got {kinds}; convert them to one library")
    try:
        from array_api_compat import array_namespace
    except ImportError:
        return library
    return array_namespace(*arrays)


def as_floating(x: Array) -> Array:
    """``x`` itself if its numbers are floating point, else ``x`` in the library's default float type."""
    floating = x.is_floating_point() if isinstance(x, torch.Tensor) else np.issubdtype(x.dtype, np.floating)
    return x if floating else x * 1.0
