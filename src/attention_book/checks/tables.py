"""Dictionaries of numbers, as readers return them: whether two agree, and where the first difference is."""

from collections.abc import Mapping


def same(got: Mapping, wanted: Mapping) -> bool:
    """Whether two dictionaries have the same keys and, up to rounding, the same numbers."""
    return got.keys() == wanted.keys() and all(abs(got[key] - wanted[key]) < 1e-6 for key in wanted)


def first_difference(got: Mapping, wanted: Mapping) -> str:
    """The first key, in order, at which two dictionaries differ, with both numbers."""
    key = next(key for key in sorted(wanted) if abs(got[key] - wanted[key]) >= 1e-6)
    return f"at {key!r} it gives {got[key]:.6g}, expected {wanted[key]:.6g}"
