"""Checks of the tiny book's exercises."""


def check_total(fn):
    """Whether `fn` adds up."""
    return "right" if fn([1, 2]) == 3 else "Not yet."
