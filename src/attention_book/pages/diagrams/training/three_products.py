"""The figure of what a training step does with one matrix and one token: three products of one size."""

from matplotlib.figure import Figure

from ..shapes import WIDTH, grid, said, sheet

ROWS, COLUMNS = 2, 3
"""The shape of the matrix."""
PRODUCTS = (
    ("forward", "matrix · vector = output", (ROWS, COLUMNS), (COLUMNS, 1), (ROWS, 1)),
    ("backward", "matrixᵀ · gradient of output = gradient of vector", (COLUMNS, ROWS), (ROWS, 1), (COLUMNS, 1)),
    ("backward", "gradient of output · vectorᵀ = gradient of matrix", (ROWS, 1), (1, COLUMNS), (ROWS, COLUMNS)),
)
"""Of each product: its pass, what is multiplied, and the shapes of its two factors and of its result."""
_CELL, _BLOCK = 16, 92  # in points


def multiply_adds(left: tuple[int, int], right: tuple[int, int]) -> int:
    """How many multiplications a product has, and, with a first sum of 0, as many additions."""
    return left[0] * left[1] * right[1]


def three_products() -> Figure:
    """A line per product, its factors and its result as grids of cells."""
    with sheet(len(PRODUCTS) * _BLOCK) as axes:
        for n, (when, told, *shapes) in enumerate(PRODUCTS):
            top = (len(PRODUCTS) - n) * _BLOCK
            said(axes, (4, top - 11), f"{when}: {told}", ha="left")
            middle, x = top - 52, 28
            for name, (rows, columns), sign in zip(("left", "right", "result"), shapes, ("·", "=", ""), strict=True):
                grid(axes, (x, middle + rows * _CELL / 2), (rows, columns), _CELL, f"{name}-{n}")
                x += columns * _CELL + 28
                said(axes, (x - 14, middle), sign)
            said(axes, (WIDTH - 4, middle), f"{multiply_adds(*shapes[:2])} multiply-adds", ha="right")
    return axes.figure


def three_products_told() -> str:
    """The figure in words."""
    parts = (f"{when}, {told}, {multiply_adds(*shapes[:2])} multiply-adds" for when, told, *shapes in PRODUCTS)
    return f"Three products with a matrix of {ROWS} rows and {COLUMNS} columns. {'; '.join(parts)}."
