"""Means: imported by one page of the tiny book."""

from tiny_package.sums import total


def mean(numbers):
    """The mean."""
    return total(numbers) / len(numbers)
