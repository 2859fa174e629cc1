"""The figure of the file that holds the whole translator: its sections, as long as they are, and what each hands on."""

import re
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

from ....examples import translator_in_one_file
from ...figures.plotting import ROLES
from ..shapes import box, said, sheet

_LEFT, _BOX, _GAP, _LINE = 30.0, 92.0, 8.0, 1.3  # in points; _LINE is the height of one line of the file
_HANDED = {
    "Words": "ids, (batch, length)",
    "Attention": "mixed values,\n(batch, q_len, d_model)",
    "Block": "vectors,\n(batch, length, d_model)",
    "Model": "scores of the next word,\n(batch, tgt_len, vocab_size)",
    "Training": "a loss, and better parameters",
    "Search": "a sentence",
}
_ROLE = {"Attention": "weight", "Model": "output"}


class Section(NamedTuple):
    """A numbered section of the file.

    Attributes:
        name: its first word, such as "Attention".
        first, last: its lines, counted from 1, without the blank ones at its end.
    """

    name: str
    first: int
    last: int

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.last - self.first + 1


def sections() -> list[Section]:
    """The numbered sections of the file, as its comments head them; the last ends where the file ends."""
    lines = Path(translator_in_one_file.__file__).read_text(encoding="utf-8").splitlines()
    heads = [(n, found[1]) for n, line in enumerate(lines, 1) if (found := re.match(r"# \d\. (\w+)", line))]
    ends = [n - 1 for n, _ in heads[1:]] + [len(lines)]
    found = []
    for (first, name), last in zip(heads, ends, strict=True):
        while not lines[last - 1].strip():
            last -= 1
        found.append(Section(name, first, last))
    return found


def one_file_map() -> Figure:
    """A box per section from above, as high as the section is long; beside it what it hands on."""
    drawn = sections()
    height = sum(section.lines for section in drawn) * _LINE + _GAP * (len(drawn) + 1)
    with sheet(height) as axes:
        top = height - _GAP
        for number, section in enumerate(drawn, 1):
            tall, role = section.lines * _LINE, _ROLE.get(section.name)
            colour = {"facecolor": ROLES[role].light + "22"} if role else {}
            middle = (_LEFT + _BOX / 2, top - tall / 2)
            box(axes, middle, (_BOX, tall), section.name, **colour)
            said(axes, middle, f"{number}. {section.name}")
            said(axes, (_LEFT - 4, middle[1]), str(section.lines), ha="right")
            if section.name in _HANDED:
                said(axes, (_LEFT + _BOX + 8, middle[1]), _HANDED[section.name], ha="left")
            top -= tall + _GAP
    return axes.figure


def one_file_told() -> str:
    """The figure of :func:`one_file_map` in words."""
    told = [
        f"{section.name}, {section.lines} lines"
        + (f", gives {_HANDED[section.name].replace(chr(10), ' ')}" if section.name in _HANDED else "")
        for section in sections()
    ]
    return "The sections of the file in their order, each as high as it is long. " + "; ".join(told) + "."
