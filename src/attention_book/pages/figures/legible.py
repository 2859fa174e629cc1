"""Type in figures that can be read on a phone: how wide a drawing must be shown, and numbers without exponents."""

import math
import re

from matplotlib.axis import Axis
from matplotlib.ticker import LogFormatter

LEAST_TYPE = 9
"""The smallest type that a figure is shown with, in CSS pixels, on the narrowest screen too."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = re.compile(r"font(?:-size)?: (?:[a-z]+ )*([0-9.]+)px")


def least_width(drawing: str) -> int:
    """How many CSS pixels wide a drawing must be shown for its smallest letters to have `LEAST_TYPE` pixels.

    Args:
        drawing: an SVG of Matplotlib's, whose text is text.

    Returns:
        The width; 0 for a drawing without letters.
    """
    sizes = [float(size) for size in _SIZES.findall(drawing)]
    if not sizes:
        return 0
    width = float(re.search(r'viewBox="0 0 ([0-9.]+)', drawing)[1])
    return math.ceil(LEAST_TYPE * width / min(sizes))


def plain_number(number: int | float) -> str:
    """A positive number of at most one digit and zeros as a mark of an axis: 0.02, 60, 20 000, 10⁻⁶, 3 × 10⁶."""
    if 1e-4 < number < 99_999:
        return f"{number:,.4g}".replace(",", "\u202f") if number < 1000 else f"{number:,.0f}".replace(",", "\u202f")
    exponent = math.floor(math.log10(number) + 1e-9)
    power = f"10{str(exponent).translate(_RAISED)}"
    factor = f"{number / 10**exponent:.3g}"
    return power if factor == "1" else f"{factor} × {power}"


class _PlainLogFormatter(LogFormatter):
    """Writes where Matplotlib would write on a logarithmic axis, but plain numbers."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return plain_number(x) if super().__call__(x, pos) else ""


def plain_log_marks(axis: Axis) -> None:
    """Mark a logarithmic axis with numbers of one size of type: Matplotlib's own have exponents of two thirds of it."""
    axis.set_major_formatter(_PlainLogFormatter())
    axis.set_minor_formatter(_PlainLogFormatter())
