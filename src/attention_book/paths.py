"""Where the package keeps its files, and where the book's results and pages lie around it."""

from pathlib import Path

PACKAGE = Path(__file__).parent
PRETRAINED = Path(__file__).parent / "pretrained"


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
