"""What the hidden cells of a chapter use to put computed numbers into its text and its tables."""

import html
from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np
from torch import Tensor


def glue_all(**numbers: int | float | np.number | Tensor | str) -> None:
    """Make numbers known to the text by name, as whole numbers or as floats, for ``{glue:text}`name:.2f```.

    Args:
        numbers: each name with its number; NumPy numbers and tensors of one element are converted. A text stays a
            text, for a number that is written out already, such as one with its spread.
    """
    from myst_nb import glue  # needed by the book alone

    for name, number in numbers.items():
        if not isinstance(number, str):
            number = int(number) if isinstance(number, Integral) else float(number)
        glue(name, number, display=False)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Show a table of texts; what looks like HTML in them stays text.

    Raises:
        ValueError: if a row has not as many cells as the header.
    """
    from IPython.display import HTML, display

    rows = list(rows)
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"a row of {len(row)} cells does not fit a header of {len(header)}: {list(row)}")
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    display(HTML(f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'))
