"""What lies around the package: the measured results and the sources of the pages, in a checkout or carried along.

In a checkout the folders `results` and `chapters` lie beside `src`. An installed package has no checkout around it, so
its wheel carries a copy of both, which `setup.py` puts beside the modules.
"""

from pathlib import Path

from .provenance import PACKAGE


def checkout() -> Path | None:
    """The folder of the book's repository that this package is run from; None if it is installed without one."""
    around = PACKAGE.parents[1]
    return around if (around / "_config.yml").is_file() else None


def folder(name: str) -> Path:
    """Where a folder of the book can be read, whether or not a checkout is there.

    Args:
        name: such as ``"results"`` or ``"chapters/appendix"``.

    Returns:
        The folder in the checkout, or the copy that the installed package carries.
    """
    return (checkout() or PACKAGE) / name
