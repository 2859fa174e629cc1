"""What the hidden cells of a chapter use to put computed numbers into its text and its tables."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral

import numpy as np
from torch import Tensor

from .html_tables import table_html

GRAMMAR = "rfc3987_syntax"


class _NoGrammar:
    """Stands before the finders of modules, and says that the grammar is not there."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == GRAMMAR:
            raise ModuleNotFoundError(f"{name} is hidden while MyST-NB is imported", name=name)


@cache
def _glue() -> Callable[..., None]:
    """MyST-NB's `glue`, which the book alone needs.

    It brings jsonschema, which reads the grammar of addresses where that is installed, as it is beside JupyterLab. This
    takes seconds, and no notebook has such an address, so here jsonschema does not find it. (To hide it in the table of
    loaded modules would make every page depend on all of the package: who may reach that table may reach anything.)
    """
    sys.meta_path.insert(0, _NoGrammar)
    try:
        import myst_nb.ext.glue
    finally:
        sys.meta_path.remove(_NoGrammar)
    return myst_nb.glue


def glue_all(**numbers: int | float | np.number | Tensor | str) -> None:
    """Make numbers known to the text by name, as whole numbers or as floats, for ``{glue:text}`name:.2f```.

    Args:
        numbers: each name with its number; NumPy numbers and tensors of one element are converted. A text stays a
            text, for a number that is written out already, such as one with its spread.
    """
    glue = _glue()
    for name, number in numbers.items():
        if isinstance(number, Tensor):
            number = number.item()
        if not isinstance(number, str):
            number = int(number) if isinstance(number, Integral) else float(number)
        glue(name, number, display=False)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], languages: Mapping[str, str] | None = None) -> None:
    """Show a table of texts; what looks like HTML in them stays text.

    Args:
        header: a heading per column.
        rows: a text per column in each.
        languages: heading of a column to the language of its texts, such as ``"es"``, where that is not the page's.

    Raises:
        ValueError: if a row has not as many cells as the header.
    """
    from IPython.display import HTML, display

    display(HTML(table_html(header, rows, languages)))
