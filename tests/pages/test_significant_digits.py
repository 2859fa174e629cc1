"""Three significant digits, with a power of ten where a number is very large or very small."""

import pytest

from attention_book.pages.significant_digits import compact


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-13, "<10⁻¹²"),
        (-1e-13, "<10⁻¹²"),
        (0.03125, "0.0313"),
        (-0.03125, "−0.0313"),
        (0.001, "0.001"),
        (0.00099951, "0.001"),
        (0.00099949, "9.99·10⁻⁴"),
        (-2.5e-7, "−2.5·10⁻⁷"),
        (123.4, "123"),
        (999.6, "1·10³"),
        (2.0, "2"),
        (100.0, "100"),
    ],
)
def test_numbers_have_three_digits(number, told):
    assert compact(number) == told
