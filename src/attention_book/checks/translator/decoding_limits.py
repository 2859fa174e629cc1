"""Checks for *What limits decoding* and *What do smaller weights cost?*: limits of a step, rows, eight bits by rows."""

import numpy as np
import torch

from ...models.quantisation import LARGEST, quantise
from ..answers import from_list
from ..known_mistakes import diagnose, expect_predictions, near, refuse_number
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, expect_parts

ROWS, COLUMNS, BATCH = 512, 2048, 8
RATE, PEAK = 10e9, 100e9
"""Bytes and operations per second of the machine in the first exercise."""
ROW = (0.4, -2.54, 1.115)
"""The row of the second exercise."""


@checking
def check_limits(predictions: object) -> Report:
    """Are these the limits of a product of 8 rows with a 512 × 2048 matrix, in milliseconds, and the even batches?

    Args:
        predictions: a number for each of ``bytes``, ``arithmetic`` (milliseconds), ``even`` and ``even_int8`` (rows).
    """
    weights = ROWS * COLUMNS
    by_bytes, by_arithmetic = 4e3 * weights / RATE, 2e3 * BATCH * weights / PEAK
    table = {
        "bytes": (by_bytes, {
            by_bytes * BATCH: "the matrix is read once for all 8 rows",
            by_bytes / 4: "each weight has four bytes",
            by_bytes / 1000: "that is in seconds",
            by_arithmetic: "that is the limit by arithmetic",
        }),
        "arithmetic": (by_arithmetic, {
            by_arithmetic / 2: "a multiply-add is two operations",
            by_arithmetic / BATCH: "that is one row; there are 8",
            by_arithmetic / 1000: "that is in seconds",
            by_bytes: "that is the limit by bytes",
        }),
        "even": (20, {
            10: "the machine does 10 operations per byte; a batch of b does 2 b operations per weight of four bytes",
            5: "that is for weights of one byte",
            40: "a multiply-add is two operations",
        }),
        "even_int8": (5, {
            20: "that is for weights of four bytes",
            80: "fewer bytes per weight mean that a smaller batch is enough",
            10: "a multiply-add is two operations",
        }),
    }  # fmt: skip
    expect_predictions(predictions, table, tolerance=5e-3, known_within=1e-3)
    return Report(True, "With 8 rows the bytes decide; from 20 on, the arithmetic.")


@checking
def check_row(predictions: object) -> Report:
    """Is this what :data:`ROW` becomes in eight bits?

    Args:
        predictions: a number for each of ``scale``, ``first``, ``third`` (whole numbers) and ``error`` (the largest).
    """
    values, (scale,) = quantise(torch.tensor([ROW]))
    first, _, third = values[0].tolist()
    error = abs(ROW[2] - third * float(scale))
    table = {
        "scale": (float(scale), {
            2 * LARGEST * float(scale): "the row's largest size becomes 127, and not 1",
            float(scale) / 2: "127 is the largest whole number, on both sides of 0",
            2 * 2.54 / 255: "127 is the largest whole number, on both sides of 0",
            2.54 / 128: "divide by 127, so that a number and its negative have the same size",
            ROW[2] / LARGEST: "the largest size counts, whatever its sign",
        }),
        "first": (first, {-first: "the sign stays"}),
        "third": (third, {
            55: "55.75 is rounded to the nearest whole number, and not cut off",
            55.75: "it still has to be rounded",
        }),
        "error": (error, {
            float(scale): "that is a whole unit",
            float(scale) / 2: "half a unit is the bound, and this row does better",
            0.0: "the third number lies between two units",
        }),
    }  # fmt: skip
    table["scale"][1][2.54] = "divide the largest size by 127"
    expect_predictions(predictions, table, tolerance=2e-5, known_within=3e-5)
    return Report(True, "Only the third number moves, by a quarter of a unit.")


@checking
def check_least_time(candidate: object) -> Report:
    """Does ``candidate(batch, weights, cached, rate, peak)`` give the least seconds of a step?"""
    for batch, weights, cached in ((1, 5e6, 0), (64, 5e6, 0), (4, 1e6, 2e5), (200, 1e6, 5e5), (100, 5e6, 1e5)):
        got = expect_number(attempt(candidate, batch, weights, cached, RATE, PEAK), "the time")
        read, work = 4 * (weights + batch * cached), 2 * batch * (weights + cached)
        by_bytes, by_arithmetic = read / RATE, work / PEAK
        right = max(by_bytes, by_arithmetic)
        if np.isclose(got, right):
            continue
        mistakes = {
            "It adds both; reading and multiplying go on at the same time.": by_bytes + by_arithmetic,
            "It takes the smaller limit; the larger one decides.": min(by_bytes, by_arithmetic),
            "Every row has a cache of its own.": max(4 * (weights + cached) / RATE, by_arithmetic),
            "The weights are read once for all rows.": max(4 * batch * (weights + cached) / RATE, by_arithmetic),
            "A multiply-add is two operations.": max(by_bytes, by_arithmetic / 2),
            "Each number has four bytes.": max(by_bytes / 4, by_arithmetic),
            "What is cached is read as well.": max(4 * weights / RATE, by_arithmetic),
            "A cached number is multiplied too, once per row.": max(by_bytes, 2 * batch * weights / PEAK),
        }
        case = f"For a batch of {batch}, {weights:.0e} weights and {cached:.0e} cached numbers per row"
        refuse_number(case, got, right, mistakes, near(rel_tol=1e-6), ".3g")
    return Report(True, "With a large cache, a larger batch no longer helps: every row brings its own bytes.")


@checking
def check_few_rows(candidate: object) -> Report:
    """Does ``candidate(hidden, read, width)`` give Σ hidden[i] · read(i), and read only the rows that count?"""
    matrix = np.random.default_rng(3).standard_normal((6, 3))
    for case, hidden in (
        ("With two positive numbers", np.array([0, 0.5, 0, 0, 2, 0])),
        ("With nothing but zeros", np.zeros(6)),
        ("Without a zero", np.arange(1.0, 7)),
    ):
        asked: list[int] = []

        def read(row: int, asked: list[int] = asked) -> np.ndarray:
            asked.append(int(row))
            return matrix[int(row)].copy()

        got = attempt(candidate, hidden.copy(), read, matrix.shape[1])
        got = expect_array(got, (matrix.shape[1],), "one number per column", like=matrix)
        needed = np.flatnonzero(hidden)
        if not agrees(got, hidden @ matrix):
            diagnose(got, hidden @ matrix, {
                f"{case}: it adds the rows as they are. Row i is multiplied by hidden[i].": matrix[needed].sum(axis=0),
                f"{case}: it adds all rows as they are. Row i is multiplied by hidden[i].": matrix.sum(axis=0),
                f"{case}: it takes one row alone. All rows of positive numbers are added.":
                    hidden.max() * matrix[hidden.argmax()],
            })  # fmt: skip
        if unneeded := sorted({*asked} - {*needed.tolist()}):
            raise NotYet(f"{case}: it reads row {unneeded[0]}, which is multiplied by 0.")
        if len(asked) > len(needed):
            raise NotYet(f"{case}: it reads a row twice.")
    return Report(True, "The product is the same, and rows that are multiplied by 0 stay where they are.")


def _by(scales: np.ndarray, matrix: np.ndarray, how=np.round) -> tuple[np.ndarray, np.ndarray]:
    return how(matrix / np.where(scales > 0, scales, 1)), scales


@checking
def check_quantise(candidate: object) -> Report:
    """Does ``candidate(matrix)`` round a NumPy matrix to eight bits by rows? It returns ``(values, scales)``."""
    generator = np.random.default_rng(6)
    for case, matrix in (
        ("With rows of different sizes", generator.standard_normal((3, 4)) * np.array([[0.01], [1], [50]])),
        ("With a row of zeros", np.array([[0.0, 0, 0], [1, -2, 0.5]])),
    ):
        sizes = np.abs(matrix)
        with np.errstate(all="ignore"):
            values, scales = expect_parts(attempt(candidate, matrix), ("values", "scales"))
        values = expect_array(values, matrix.shape, "as the matrix", like=matrix, name="the values")
        scales = expect_array(scales, (len(matrix),), "one number per row", like=matrix, name="the scales")
        right = sizes.max(axis=1) / LARGEST
        wanted = _by(right[:, None], matrix)[0]
        if not agrees(scales, right):
            diagnose(scales, right, {
                "There is one scale for the whole matrix. Each row has its own.": np.full(len(matrix), right.max()),
                "It divides by 128. With 127 a number and its negative have the same size.": right * LARGEST / 128,
                "It takes the largest number; the largest size may be that of a negative number.":
                    matrix.max(axis=1) / LARGEST,
                "These are the largest sizes. Divide by 127.": sizes.max(axis=1),
            })  # fmt: skip
        if not agrees(values, wanted):
            diagnose(values, wanted, {
                f"{case}: it cuts off what is behind the point. Round to the nearest whole number.":
                    _by(right[:, None], matrix, np.trunc)[0],
                f"{case}: it rounds down. Round to the nearest whole number.":
                    _by(right[:, None], matrix, np.floor)[0],
                f"{case}: the values are not rounded.": _by(right[:, None], matrix, lambda x: x)[0],
                f"{case}: these are the numbers that the whole numbers stand for.": wanted * right[:, None],
            })  # fmt: skip
    return Report(True, "Every number moves by at most half of its row's scale.")


@checking
def check_matrix(matrix: object) -> Report:
    """Does one scale for the whole matrix lose a row of this one, while a scale per row keeps every number?

    Args:
        matrix: a list of two rows of two numbers.
    """
    if matrix is ...:
        raise NotYet("The matrix is still open: put two rows of two numbers in place of `...`.")
    given = matrix.detach().numpy() if isinstance(matrix, torch.Tensor) else from_list(matrix)
    given = expect_array(given, (2, 2), "two rows of two numbers", like=np.zeros(1), name="the matrix")
    given = given.astype(float)
    if not np.isfinite(given).all() or np.abs(given).max() > 1e30:
        raise NotYet("Give finite numbers that are not huge.")
    sizes = np.abs(given)
    if (sizes.max(axis=1) == 0).any():
        raise NotYet("A row of zeros is lost by no rounding: both rows need a number other than 0.")
    lost = (np.round(given / (sizes.max() / LARGEST)) == 0).all(axis=1)
    if not lost.any():
        raise NotYet("With one scale no row is lost yet: in each row a whole number other than 0 is left.")
    scales = sizes.max(axis=1, keepdims=True) / LARGEST
    kept = np.round(given / scales) * scales
    if not np.allclose(kept, given, rtol=0.01, atol=0):
        raise NotYet("By rows, a number moves by more than a hundredth of itself. Can both numbers of a row be exact?")
    return Report(True, "One large row sets the scale for all, and the small row becomes zeros.")
