"""Numbers with three significant digits, for quantities that run over many powers of ten."""

from decimal import ROUND_HALF_UP, Decimal

TRACE_OF_ROUNDING = 1e-12
"""Numbers below this are told as such: the last digits are not to be trusted."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def compact(x: float) -> str:
    """A number with three significant digits, such as "0.0313" or "9.99·10⁻⁴", as jacobian.js writes it."""
    if abs(x) < TRACE_OF_ROUNDING:
        return "<10⁻¹²" if x else "0"
    exact = Decimal(float(x))
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), ROUND_HALF_UP)
    power = rounded.adjusted()
    if -3 <= power < 3:
        text = _stripped(f"{rounded:f}")
    else:
        text = f"{_stripped(f'{rounded.scaleb(-power):f}')}·10{raised(power)}"
    return text.replace("-", "−")


def raised(power: int) -> str:
    """An exponent in raised digits, such as "⁻⁴"."""
    return str(power).translate(_RAISED)


def _stripped(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
