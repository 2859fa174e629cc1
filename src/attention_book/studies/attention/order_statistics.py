"""The largest of several random numbers."""

from scipy.integrate import quad
from scipy.stats import norm


def mean_of_the_largest(n: int) -> float:
    r"""The mean of the largest of n independent standard normal numbers.

    .. math:: m_n = n \int x\,\varphi(x)\, \Phi(x)^{n-1}\, dx = n(n-1) \int \varphi(x)^2\, \Phi(x)^{n-2}\, dx

    By the second form, an integration by parts of the first, it is also the density at 0 of the gap between the two
    largest.

    Args:
        n: how many, at least one.

    Raises:
        ValueError: if n is below one.
    """
    if n < 1:
        raise ValueError(f"the largest of {n} numbers does not exist")
    return float(quad(lambda x: n * x * norm.pdf(x) * norm.cdf(x) ** (n - 1), -9, 9, limit=200)[0])
