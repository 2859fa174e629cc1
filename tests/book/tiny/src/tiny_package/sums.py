"""Sums: imported by one page of the tiny book, through `means`."""


def total(numbers):
    """The sum."""
    return sum(numbers)
