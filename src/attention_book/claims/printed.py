"""When is a printed number right? If rounding the true one, or cutting it off, gives the digits that stand there."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from ..pages.significant_digits import raised
from .claim import Verdict

_NOISE = 12  # significant digits that double precision leaves free of rounding errors in sums of a few terms


def agrees(printed: str, true: float) -> bool:
    """Whether a number was printed rightly, to the last digit that it shows.

    Args:
        printed: the number as it was printed, such as ``"0.40"`` or ``"4e-5"``; its last digit says how exact it is.
        true: the number that it stands for.

    Returns:
        True if ``true``, rounded or cut off at that digit, is ``printed``. Both are in use, so both count as right.
    """
    claimed, exact = Decimal(printed), Decimal(f"{true:.{_NOISE}g}")
    last_digit = Decimal((0, (1,), claimed.as_tuple().exponent))
    return claimed in (exact.quantize(last_digit, ROUND_HALF_UP), exact.quantize(last_digit, ROUND_DOWN))


def faults(printed: Sequence[Sequence[str]], true: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The places, row and column counted from 0, at which a printed table is wrong.

    Raises:
        ValueError: if the tables differ in shape.
    """
    return [
        (i, j)
        for i, (claimed_row, true_row) in enumerate(zip(printed, true, strict=True))
        for j, (claimed, exact) in enumerate(zip(claimed_row, true_row, strict=True))
        if not agrees(claimed, exact)
    ]


def verdict_on(printed: Sequence[Sequence[str]], true: Sequence[Sequence[float]]) -> Verdict:
    """``"right"`` if every number of a printed table is, else ``"wrong"``."""
    return "wrong" if faults(printed, true) else "right"


def listed(numbers: Iterable[float | int], digits: int = 3) -> str:
    """A row of numbers for a sentence: ``(0.450, 0.550)``."""
    return f"({', '.join(f'{number:.{digits}f}' for number in numbers)})"


def in_tens(number: float, digits: int = 2) -> str:
    """A very small or large number for a sentence: ``4.5 · 10⁻⁵``, with that many significant digits."""
    front, exponent = f"{number:.{digits - 1}e}".split("e")
    return f"{front} · 10{raised(int(exponent))}"
