"""Numbers and lists as explorers tell them: what arithmetic.js writes after a change, Python writes the same."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal


def rounded(x: float, decimals: int) -> str:
    """A number with so many decimals, a true minus sign, and no claim that something tiny is zero.

    Halves are rounded away from zero, as JavaScript's ``toFixed`` does; Python's own formats round them to even.

    Args:
        x: a finite number.
        decimals: at least 1.
    """
    last = Decimal(1).scaleb(-decimals)
    if 0 < abs(x) < last / 2:
        return f"<{last}" if x > 0 else f">−{last}"
    return f"{Decimal(x or 0).quantize(last, ROUND_HALF_UP)}".replace("-", "−")


def fixed(x: float) -> str:
    """The same with three decimals."""
    return rounded(x, 3)


def short(x: float) -> str:
    """The same with at most three decimals: `stripped` of trailing zeros."""
    return stripped(fixed(x))


def stripped(text: str) -> str:
    """A written number without the zeros that end its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(items: Sequence[str]) -> str:
    """``["I", "like", "cats"]`` as "I, like and cats"; no items are no words."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)
