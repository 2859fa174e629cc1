"""One line per role, to learn the dashes and markers by which figures tell roles apart."""

from matplotlib.figure import Figure

from .axis_marks import marked
from .plotting import ROLES, curves

LETTERS = {"query": "Q", "key": "K", "value": "V", "weight": "A", "mask": "M", "output": "O"}
LINES = {
    "-": "solid",
    "--": "dashed",
    "-.": "dashes and dots",
    ":": "dotted",
    "(0, (5, 1))": "long dashes",
    "(0, (3, 1, 1, 1))": "short dashes and dots",
}
MARKERS = {"o": "circles", "s": "squares", "^": "triangles", "D": "diamonds", "x": "crosses", "v": "inverted triangles"}


def named_roles() -> dict[str, str]:
    """The role behind each line's name, such as "query Q"."""
    return {f"{role} {LETTERS[role]}": role for role in ROLES}


def role_figure() -> Figure:
    """A level line for each role in its colour, dashes and markers, with its name beside it."""
    names = named_roles()
    heights = {name: height for height, name in zip(range(len(names), 0, -1), names, strict=True)}
    levels = {name: ([0, 1, 2, 3], [height] * 4) for name, height in heights.items()}
    figure = curves(levels, x_label="", y_label="", roles=names)
    return marked(figure, x=[], y={height: name for name, height in heights.items()}, legend=False)


def roles_told() -> str:
    """The figure in words."""
    return "; ".join(
        f"{name}: {LINES[str(ROLES[role].line)]}, with {MARKERS[ROLES[role].marker]}"
        for name, role in named_roles().items()
    )
